// Shardings as Shardy leaves them in frontend attributes: text like
// `#sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>` over meshes that the module names.
// Tests: module_form_test.cc, arguments_test.cc.
#ifndef ASSAY_SPEC_SHARDING_SDY_SHARDINGS_H_
#define ASSAY_SPEC_SHARDING_SDY_SHARDINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/ir/metadata.h"
#include "spec/ir/module.h"

namespace assay {

// The shardings of a list, or a single one, with their meshes; INVALID_ARGUMENT says what is not
// understood.
absl::StatusOr<std::vector<NamedSharding>> ReadSdyShardings(absl::string_view text,
                                                            const Module& module);
// How a value is cut: its `sharding=`, else the frontend attribute xla.sdy.sharding; none where it
// has neither. INVALID_ARGUMENT where the attribute is not understood; names the instruction.
absl::StatusOr<std::optional<Sharding>> WrittenSharding(const Instruction& value);
// The same of a result: Shardy leaves those of a tuple at its operands.
absl::StatusOr<std::optional<Sharding>> WrittenResultSharding(const Instruction& root);
// The names in `#sdy<manual_axes{"x", "y"}>`.
absl::StatusOr<std::vector<std::string>> ReadManualAxes(absl::string_view text);

}  // namespace assay

#endif  // ASSAY_SPEC_SHARDING_SDY_SHARDINGS_H_
