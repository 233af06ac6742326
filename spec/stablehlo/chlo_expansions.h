// Functions of CHLO as formulas of HLO's operations, those that XLA's converter uses.
// Test: lowering_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_CHLO_EXPANSIONS_H_
#define ASSAY_SPEC_STABLEHLO_CHLO_EXPANSIONS_H_

#include "absl/strings/string_view.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {

// Whether there is a formula for "chlo.lgamma" of an element type.
bool HasExpansion(absl::string_view function, ElementType type);

// The formula over operands of one shape; null and an error in `op` where there is none.
Instruction* Expand(OpContext& op, absl::string_view function, Operands operands);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_CHLO_EXPANSIONS_H_
