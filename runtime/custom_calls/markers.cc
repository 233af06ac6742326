// Targets that say something to a compiler and give their operands as they are: shardings, places,
// layouts. The pairs between global and local shapes are the identity only where both shapes are
// the same. Tests: backends/factory/custom_call_test.cc.
#include "runtime/custom_calls/targets.h"

namespace assay::runtime::custom_calls {
namespace {

absl::StatusOr<Literal> Same(const CustomCall& call) {
  const Shape& shape = call.instruction.shape();
  std::vector<Shape> given;
  for (const Literal& operand : call.operands) given.push_back(operand.shape());
  if (given.size() == 1 && Shape::Compatible(given[0], shape)) return call.operands[0];
  if (shape.is_tuple() && Shape::Compatible(Shape::Tuple(std::move(given)), shape)) {
    return Literal::Tuple({call.operands.begin(), call.operands.end()});
  }
  return BadCall(call, "operands and result must have the same shapes");
}

absl::StatusOr<Literal> Nothing(const CustomCall& call) {
  if (call.instruction.shape().leaf_count() == 0) return Literal::Tuple({});
  return BadCall(call, "the result must be ()");
}

}  // namespace

Targets MarkerTargets() {
  Targets targets;
  for (const char* name :
       {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.FuncResultSharding",
        "xla.sdy.PropagationBarrier", "xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape",
        "ShardBarrierFrom", "ShardBarrierTo", "annotate_device_placement", "MoveToHost",
        "MoveToDevice", "LayoutConstraint", "Pin", "Unpin"}) {
    targets.push_back({name, Same, Opcode::kCopy});
  }
  targets.push_back({"dce_sink", Nothing});  // JAX's: its operand is not removed as dead code
  targets.push_back({"xla.sdy.ShardingGroup", Nothing});
  return targets;
}

}  // namespace assay::runtime::custom_calls
