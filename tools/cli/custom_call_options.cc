#include "tools/cli/custom_call_options.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "interpreter/shared_library.h"
#include "spec/arrays/arrays.h"

namespace assay::cli {
namespace {

// Each call yields the arrays out0, out1, ... of the file.
absl::StatusOr<CustomCallHandler> FromFile(const std::string& path, int64_t max_bytes) {
  absl::StatusOr<std::vector<NamedLiteral>> arrays =
      ReadArrays(path, max_bytes < 0 ? kDefaultMaxArrayBytes : max_bytes, "out");
  if (!arrays.ok()) return arrays.status();
  absl::StatusOr<std::vector<std::vector<Literal>>> by_device = ByDevice(*std::move(arrays), "out");
  if (!by_device.ok())
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", by_device.status().message()));
  if (by_device->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": results of a custom call are those of one device"));
  }
  return CustomCallHandler(
      [path, values = by_device->front()](const CustomCall& call) -> absl::StatusOr<Literal> {
        const std::vector<const Shape*> leaves = Leaves(call.instruction.shape());
        bool fits = leaves.size() == values.size();
        for (size_t i = 0; fits && i < leaves.size(); ++i) {
          fits = Shape::Compatible(*leaves[i], values[i].shape());
        }
        if (fits) return Unflatten(call.instruction.shape(), values);
        std::string given;
        for (const Literal& value : values) absl::StrAppend(&given, " ", value.shape().ToString());
        return absl::InvalidArgumentError(absl::StrCat(
            path, " has", given, ", which is not a value of ", call.instruction.Describe()));
      });
}

}  // namespace

void CustomCallOptions::AddTo(CLI::App* app) {
  constexpr char kGroup[] = "Custom calls (golden, cpu and cuda; docs/custom_calls.md)";
  app->add_option(
         "--custom-call-lib", libraries,
         "A shared library with functions void TARGET(void* out, const void** in, ...) for "
         "targets of the module; its code is run. May be repeated")
      ->type_name("FILE")
      ->group(kGroup);
  app->add_option("--custom-call", files,
                  "Each call of the target yields the arrays out0, out1, ... of this .npz. May be "
                  "repeated")
      ->type_name("TARGET=FILE")
      ->group(kGroup);
}

absl::StatusOr<std::unique_ptr<CustomCallRegistry>> CustomCallOptions::Load(
    const Module& module, int64_t max_bytes) const {
  auto registry = std::make_unique<CustomCallRegistry>();
  for (const std::string& library : libraries) {
    absl::Status status = RegisterSharedLibrary(library, module, registry.get());
    if (!status.ok()) return status;
  }
  for (const std::string& file : files) {
    const size_t at = file.rfind('=');
    if (at == std::string::npos || at == 0 || at + 1 == file.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--custom-call ", file, ": it must be TARGET=FILE"));
    }
    absl::StatusOr<CustomCallHandler> handler = FromFile(file.substr(at + 1), max_bytes);
    if (!handler.ok()) return handler.status();
    registry->Register(file.substr(0, at), *std::move(handler));
  }
  return registry;
}

}  // namespace assay::cli
