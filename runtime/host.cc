#include "runtime/host.h"

#include "absl/strings/str_cat.h"

namespace assay::runtime {

absl::StatusOr<Literal> Host::Infeed(const ProcessId& /*process*/, const Shape& shape) {
  return absl::FailedPreconditionError(
      absl::StrCat("there is no infeed data; an item of shape ", shape.ToString(), " is wanted"));
}

absl::Status Host::Outfeed(const ProcessId& /*process*/, const Literal& /*value*/) {
  return absl::FailedPreconditionError("the host takes no values from outfeeds in this run");
}

absl::StatusOr<Literal> Host::Receive(const ProcessId& /*process*/, const std::string& key,
                                      const Shape& shape) {
  return absl::NotFoundError(absl::StrCat("the host has no value of shape ", shape.ToString(),
                                          " to send under the key ", key));
}

absl::Status Host::Send(const ProcessId& /*process*/, const std::string& key,
                        const Literal& /*value*/) {
  return absl::NotFoundError(absl::StrCat("the host takes nothing under the key ", key));
}

}  // namespace assay::runtime
