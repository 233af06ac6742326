#include "spec/ir/entry.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace assay {

absl::Status CheckParameters(const Computation& computation) {
  const std::vector<Instruction*> parameters = computation.parameters();
  const auto missing = std::find(parameters.begin(), parameters.end(), nullptr);
  if (missing == parameters.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "computation ", computation.name(), " has no parameter ", missing - parameters.begin(),
      ", although it has parameter ", parameters.size() - 1));
}

absl::Status CheckEntry(const Module& module) {
  if (module.entry() == nullptr || module.entry()->root() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("module ", module.name(), " has no entry computation to run"));
  }
  return CheckParameters(*module.entry());
}

}  // namespace assay
