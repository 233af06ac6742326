// Changes a module in one point, which may make it illegal: an attribute, a shape, an operand, a
// name, a parameter's number, a called computation, a root, a literal or the module's header.
// Tests: illegal_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_CHANGES_H_
#define ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_CHANGES_H_

#include <cstdint>

#include "spec/ir/module.h"

namespace assay::fuzz {

// Changes the module and returns the instruction that was changed, or that the change of the header
// was chosen for. Returns null if the chosen instruction has nothing to change. `state` is that of
// NextRandom (choices.h).
const Instruction* ChangeModule(Module* module, uint64_t* state);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_ILLEGAL_CHANGES_H_
