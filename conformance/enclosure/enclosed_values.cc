#include "conformance/enclosure/enclosed_values.h"

namespace assay::conformance {

StepKind StepKindOf(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kParameter:
      return StepKind::kParameter;
    case Opcode::kGetTupleElement:
      return StepKind::kGetTupleElement;
    case Opcode::kTuple:
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
    case Opcode::kCopy:
    case Opcode::kCopyStart:
    case Opcode::kCopyDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kReplicaId:
    case Opcode::kPartitionId:
      return StepKind::kTree;
    case Opcode::kAsyncStart:
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kWhile:
    case Opcode::kConditional:
      return StepKind::kTogether;
    default: {
      const Family family = instruction.info().family;
      if (family == Family::kCollective) return StepKind::kTogether;
      return family == Family::kHost ? StepKind::kTree : StepKind::kArrays;
    }
  }
}

}  // namespace assay::conformance
