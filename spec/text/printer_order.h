// The order in which the printer writes computations and instructions (hlo_text_format.md 9.1).
// Private to the printer. Tests: printer_order_test.cc.
#ifndef ASSAY_SPEC_TEXT_PRINTER_ORDER_H_
#define ASSAY_SPEC_TEXT_PRINTER_ORDER_H_

#include <vector>

#include "spec/ir/module.h"

namespace assay::printing {

// "First" here is the order of creation, that is of the ids.
//
// Callees before callers: depth first over the called computations, the first callee first, from
// every computation that nobody calls. With `stored`, the module's own order where that has callees
// first too.
std::vector<const Computation*> ComputationOrder(const Module& module, bool stored);

// With `scheduled`, the schedule if there is one. Otherwise depth first: for each instruction
// without users its control predecessors (the last one first), its operands in order, then itself.
// With `stored`, the computation's own order where that has operands and control predecessors first
// too.
std::vector<const Instruction*> InstructionOrder(const Computation& computation, bool stored,
                                                 bool scheduled = true);

}  // namespace assay::printing

#endif  // ASSAY_SPEC_TEXT_PRINTER_ORDER_H_
