// Shardings as Shardy leaves them in frontend attributes: text like
// `#sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>` over meshes that the module names.
// Tests: module_form_test.cc.
#ifndef ASSAY_INTERPRETER_SDY_SHARDINGS_H_
#define ASSAY_INTERPRETER_SDY_SHARDINGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/ir/metadata.h"
#include "spec/ir/module.h"

namespace assay {

// The shardings of a list, with their meshes; INVALID_ARGUMENT says what is not understood.
absl::StatusOr<std::vector<NamedSharding>> ReadSdyShardings(absl::string_view text,
                                                            const Module& module);
// The names in `#sdy<manual_axes{"x", "y"}>`.
absl::StatusOr<std::vector<std::string>> ReadManualAxes(absl::string_view text);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_SDY_SHARDINGS_H_
