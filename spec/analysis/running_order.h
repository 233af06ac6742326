// The order in which the instructions of a computation run. Tests: running_order_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_RUNNING_ORDER_H_
#define ASSAY_SPEC_ANALYSIS_RUNNING_ORDER_H_

#include <vector>

#include "spec/ir/module.h"

namespace assay::analysis {

// Returns the schedule of the computation if it has one, otherwise the order of its text, in which
// an instruction follows its operands and its control predecessors.
std::vector<const Instruction*> RunningOrder(const Computation& computation);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_RUNNING_ORDER_H_
