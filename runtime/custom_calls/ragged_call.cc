// The custom call `ragged_all_to_all`, as JAX writes it: the collective of that name, whose groups
// and channel stand in the dictionary of the call. Source: reference ops_control_and_collectives.md
// 7.5, 11.2. Tests: interpreter/collective_forms_test.cc.
#include <memory>
#include <utility>

#include "runtime/custom_calls/attributes.h"
#include "runtime/custom_calls/targets.h"
#include "runtime/effect.h"
#include "spec/ops/shape_inference.h"

namespace assay::runtime::custom_calls {
namespace {

class RaggedCall : public Effect {
 public:
  RaggedCall(std::unique_ptr<Instruction> collective, std::unique_ptr<Effect> effect)
      : collective_(std::move(collective)), effect_(std::move(effect)) {}
  absl::StatusOr<PendingPtr> Start(absl::Span<const Literal> operands, CallPath path,
                                   Process& process, Context& context) const override {
    return effect_->Start(operands, path, process, context);
  }

 private:
  std::unique_ptr<Instruction> collective_;  // of the effect
  std::unique_ptr<Effect> effect_;
};

}  // namespace

EffectOr PrepareRaggedCall(const Instruction& custom_call, const Engine& engine) {
  const auto attributes = CallAttributes::Of(custom_call);
  auto collective =
      std::make_unique<Instruction>(Opcode::kRaggedAllToAll, custom_call.shared_shape());
  collective->set_name(custom_call.name());
  collective->set_position(custom_call.position());
  collective->set_operands(custom_call.operands());
  ReplicaGroups groups;
  groups.groups = attributes.IntLists("replica_groups");
  collective->SetAttribute(Attr::kReplicaGroups, std::move(groups));
  const int64_t channel = attributes.Int("channel_id", 0);
  if (channel > 0) collective->SetAttribute(Attr::kChannelId, channel);
  if (absl::Status status = CheckInstruction(*collective); !status.ok()) {
    return BadCall(custom_call, status.message());
  }
  EffectOr effect = PrepareCollectiveEffect(*collective, engine);
  if (!effect.ok()) return effect;
  return std::make_unique<RaggedCall>(std::move(collective), *std::move(effect));
}

}  // namespace assay::runtime::custom_calls
