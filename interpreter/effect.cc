#include "interpreter/effect.h"

#include "interpreter/module_form.h"

namespace assay {

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

EffectOr PrepareEffect(const Instruction& instruction, const PlanOptions& options) {
  switch (instruction.opcode()) {
    case Opcode::kCustomCall:
      if (IsManualBorder(instruction)) return PrepareManualBorder(instruction);
      if (IsRaggedCall(instruction, options)) return PrepareRaggedCall(instruction, options);
      return PrepareCustomCallEffect(instruction, options);
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kRecv:
    case Opcode::kSend:
      return PrepareTransferEffect(instruction);
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
      return PrepareRandomEffect(instruction);
    default:
      return PrepareCollectiveEffect(instruction, options);
  }
}

}  // namespace assay
