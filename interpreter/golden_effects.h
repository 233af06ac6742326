// The effects that the golden engine gives the runtime: random numbers. Custom calls are those of
// runtime/custom_calls, the others the runtime's (runtime/effect.h). Tests: random_test.cc.
#ifndef ASSAY_INTERPRETER_GOLDEN_EFFECTS_H_
#define ASSAY_INTERPRETER_GOLDEN_EFFECTS_H_

#include "interpreter/interpreter.h"
#include "runtime/effect.h"
#include "runtime/engine.h"
#include "spec/ir/module.h"

namespace assay {

// rng, rng-get-and-update-state
runtime::EffectOr PrepareRandomEffect(const Instruction& instruction);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_GOLDEN_EFFECTS_H_
