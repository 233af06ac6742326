// Operations whose value does not follow from their operands alone: they ask which device runs
// them, meet other devices, talk to the host, or draw random numbers. Prepared once for an
// instruction, started each time it is reached. Source: reference ops_control_and_collectives.md
// 5-11. Tests: interpreter/world_test.cc, collective_forms_test.cc, transfers_test.cc,
// random_test.cc.
#ifndef ASSAY_RUNTIME_EFFECT_H_
#define ASSAY_RUNTIME_EFFECT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/context.h"
#include "runtime/pending.h"
#include "runtime/process.h"
#include "spec/ir/module.h"

namespace assay::runtime {

class Engine;

class Effect {
 public:
  virtual ~Effect() = default;
  // `operands` are the leaves of all operands in order. The path ends with the instruction.
  virtual absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath path,
                                           Process& process, Context& context) const = 0;
};
using EffectOr = absl::StatusOr<std::unique_ptr<Effect>>;

// The instruction must be an effect; the engine outlives what is prepared with it.
EffectOr PrepareEffect(const Instruction& instruction, const Engine& engine);

// An operation on the parts of its operands that their current sizes say are there.
EffectOr PrepareDynamicEffect(const Instruction& instruction, const Engine& engine);

// The families of the runtime itself.
EffectOr PrepareCollectiveEffect(const Instruction& instruction, const Engine& engine);
EffectOr PreparePermuteInPlace(const Instruction& permute, const Engine& engine);
EffectOr PrepareTransferEffect(const Instruction& instruction);  // send, recv, infeed, outfeed
EffectOr PrepareManualBorder(const Instruction& custom_call);    // see module_form.h

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_EFFECT_H_
