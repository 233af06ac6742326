#include "spec/analysis/effects.h"

#include "absl/algorithm/container.h"

namespace assay::analysis {

bool IsEffect(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCustomCall:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kPartitionId:
    case Opcode::kRaggedAllToAll:
    case Opcode::kRecv:
    case Opcode::kReduceScatter:
    case Opcode::kReplicaId:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kSend:
      return true;
    default:
      return false;
  }
}

bool UsesRandomState(Opcode opcode) {
  return Info(opcode).family == Family::kRandom && IsEffect(opcode);
}

bool UsesRandomState(const Module& module) {
  return absl::c_any_of(module.computations(), [](const auto& computation) {
    return absl::c_any_of(computation->instructions(),
                          [](const auto& each) { return UsesRandomState(each->opcode()); });
  });
}

bool HasEffect(const Instruction& instruction,
               const absl::flat_hash_set<const Computation*>& effectful) {
  switch (instruction.opcode()) {
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return false;
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAsyncDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kRecvDone:
    case Opcode::kSendDone:
      return true;  // what was started is done, too
    case Opcode::kCustomCall:
      if (instruction.GetBool(Attr::kCustomCallHasSideEffect)) return true;
      break;
    default:
      if (IsEffect(instruction.opcode())) return true;
  }
  for (const Computation* callee : instruction.called_computations()) {
    if (effectful.contains(callee)) return true;
  }
  return false;
}

absl::flat_hash_set<const Computation*> FindEffectful(
    absl::Span<const Computation* const> callees_first) {
  absl::flat_hash_set<const Computation*> effectful;
  for (const Computation* computation : callees_first) {
    for (const auto& instruction : computation->instructions()) {
      if (!HasEffect(*instruction, effectful)) continue;
      effectful.insert(computation);
      break;
    }
  }
  return effectful;
}

const Instruction* WrappedCollective(const Instruction& async_start) {
  const Instruction* root = async_start.GetComputation(Attr::kCalls)->root();
  if (root->info().family != Family::kCollective || !IsEffect(root->opcode())) return nullptr;
  for (const Instruction* operand : root->operands()) {
    if (operand->opcode() != Opcode::kParameter) return nullptr;
  }
  return root;
}

bool LeavesForLater(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduceStart:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kRecv:
      return true;
    case Opcode::kAsyncStart:
      return WrappedCollective(instruction) != nullptr;
    default:
      return false;
  }
}

bool HasDynamicSizes(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kDynamicReshape:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
      return true;
    default:
      break;
  }
  if (instruction.shape().is_dynamic()) return true;
  for (const Instruction* operand : instruction.operands()) {
    if (operand->shape().is_dynamic()) return true;
  }
  return false;
}

}  // namespace assay::analysis
