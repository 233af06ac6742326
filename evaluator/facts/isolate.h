// One instruction as a module of its own: its operands are the parameters, the computations that it
// calls are copied. Tests: interpreter/isolate_test.cc.
#ifndef ASSAY_EVALUATOR_FACTS_ISOLATE_H_
#define ASSAY_EVALUATOR_FACTS_ISOLATE_H_

#include <memory>

#include "spec/ir/module.h"

namespace assay {

std::unique_ptr<Module> IsolateInstruction(const Instruction& instruction);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_FACTS_ISOLATE_H_
