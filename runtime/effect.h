// Operations whose value does not depend on their operands alone: they query the device,
// synchronise with other devices, exchange values with the host, or draw random numbers. An effect
// is prepared once for an instruction and started at every execution. Source: reference
// ops_control_and_collectives.md 5-11. Tests: interpreter/world_test.cc, collective_forms_test.cc,
// transfers_test.cc, random_test.cc.
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
  // Returns true if every start does the same work on the same devices, and reads no value on the
  // host.
  virtual bool repeats() const { return false; }
};
using EffectOr = absl::StatusOr<std::unique_ptr<Effect>>;

// Prepares an effect. The instruction must be an effect. The engine must outlive the result.
EffectOr PrepareEffect(const Instruction& instruction, const Engine& engine);

// Prepares an operation on the valid boxes of operands with dynamic sizes.
EffectOr PrepareDynamicEffect(const Instruction& instruction, const Engine& engine);

// The families that the runtime implements.
EffectOr PrepareCollectiveEffect(const Instruction& instruction, const Engine& engine);
EffectOr PreparePermuteInPlace(const Instruction& permute, const Engine& engine);
EffectOr PrepareTransferEffect(const Instruction& instruction);  // send, recv, infeed, outfeed
EffectOr PrepareManualBorder(const Instruction& custom_call);    // see module_form.h

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_EFFECT_H_
