// Operations whose value does not follow from their operands alone: they ask who their process is,
// meet other processes, talk to the host, or draw random numbers. Prepared once for an instruction,
// started each time it is reached. Source: reference ops_control_and_collectives.md 5-11.
// Tests: world_test.cc, collective_forms_test.cc, transfers_test.cc, random_test.cc.
#ifndef ASSAY_INTERPRETER_EFFECT_H_
#define ASSAY_INTERPRETER_EFFECT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "interpreter/interpreter.h"
#include "interpreter/process.h"
#include "runtime/pending.h"
#include "spec/ir/module.h"

namespace assay {

class Effect {
 public:
  virtual ~Effect() = default;
  // `operands` are the leaves of all operands in order. The path ends with the instruction.
  virtual absl::StatusOr<runtime::PendingPtr> Start(absl::Span<const Literal> operands,
                                                    CallPath path, Process& process,
                                                    EvaluationContext& context) const = 0;
};
using EffectOr = absl::StatusOr<std::unique_ptr<Effect>>;

// The instruction must be an effect. NOT_FOUND for a custom call that nobody has registered.
EffectOr PrepareEffect(const Instruction& instruction, const PlanOptions& options);

// An operation on the parts of its operands that their current sizes say are there.
EffectOr PrepareDynamicEffect(const Instruction& instruction, const PlanOptions& options);

// The families.
EffectOr PrepareCollectiveEffect(const Instruction& instruction, const PlanOptions& options);
EffectOr PreparePermuteInPlace(const Instruction& permute, const PlanOptions& options);
EffectOr PrepareTransferEffect(const Instruction& instruction);  // send, recv, infeed, outfeed
EffectOr PrepareRandomEffect(const Instruction& instruction);
EffectOr PrepareManualBorder(const Instruction& custom_call);  // see module_form.h
EffectOr PrepareCustomCallEffect(const Instruction& instruction, const PlanOptions& options);
// Whether a custom call is the collective ragged-all-to-all: nobody has registered its target.
bool IsRaggedCall(const Instruction& instruction, const PlanOptions& options);
EffectOr PrepareRaggedCall(const Instruction& custom_call, const PlanOptions& options);

}  // namespace assay

#endif  // ASSAY_INTERPRETER_EFFECT_H_
