#include "spec/analysis/collectives.h"

namespace assay::analysis {

bool SameForAllMembers(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kAllReduceStart ||
         opcode == Opcode::kAllGather || opcode == Opcode::kAllGatherStart;
}

bool IsReduction(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kAllReduceStart ||
         opcode == Opcode::kReduceScatter;
}

bool IsPermutation(Opcode opcode) {
  return opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectivePermuteStart;
}

const Shape& CollectiveResult(const Instruction& collective) {
  const Shape& shape = collective.shape();
  return collective.opcode() == Opcode::kAllGatherStart ? shape.tuple_shape(1) : shape;
}

}  // namespace assay::analysis
