// The effects that the golden engine gives the runtime: random numbers and custom calls. The others
// are the runtime's (runtime/effect.h). Tests: random_test.cc, custom_call_test.cc,
// collective_forms_test.cc.
#ifndef ASSAY_INTERPRETER_GOLDEN_EFFECTS_H_
#define ASSAY_INTERPRETER_GOLDEN_EFFECTS_H_

#include "interpreter/interpreter.h"
#include "runtime/effect.h"
#include "runtime/engine.h"
#include "spec/ir/module.h"

namespace assay {

// rng, rng-get-and-update-state
runtime::EffectOr PrepareRandomEffect(const Instruction& instruction);

// UNIMPLEMENTED for a custom call that nobody has registered.
runtime::EffectOr PrepareCustomCallEffect(const Instruction& instruction,
                                          const PlanOptions& options);

// Whether a custom call is the collective ragged-all-to-all: nobody has registered its target.
bool IsRaggedCall(const Instruction& instruction, const PlanOptions& options);
runtime::EffectOr PrepareRaggedCall(const Instruction& custom_call, const runtime::Engine& engine);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_GOLDEN_EFFECTS_H_
