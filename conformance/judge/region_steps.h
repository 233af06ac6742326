// Predicates on the instructions of a region, for the rules that recognise regions. Tests:
// order_freedoms_test.cc, bounds_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_REGION_STEPS_H_
#define ASSAY_CONFORMANCE_JUDGE_REGION_STEPS_H_

#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true if the step of a region has this opcode and no accuracy of its own
// (result_accuracy).
inline bool Is(const Instruction* step, Opcode opcode) {
  return step->opcode() == opcode && !step->HasAttribute(Attr::kResultAccuracy);
}

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_REGION_STEPS_H_
