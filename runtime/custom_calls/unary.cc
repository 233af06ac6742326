// mhlo.* names of elementwise operations: what the operation of that name is.
// Tests: backends/factory/custom_call_test.cc.
#include "runtime/custom_calls/static_operation.h"
#include "runtime/custom_calls/targets.h"
#include "spec/elementwise_info.h"

namespace assay::runtime::custom_calls {
namespace {

absl::StatusOr<Literal> Unary(const CustomCall& call, Opcode opcode) {
  if (call.operands.size() != 1 || !call.operands[0].is_array() ||
      !Shape::SameDimensions(call.operands[0].shape(), call.instruction.shape())) {
    return BadCall(call, "operand and result must be arrays of the same sizes");
  }
  return StaticOperation(call, opcode).Run({call.operands[0]});
}

}  // namespace

Targets UnaryTargets() {
  Targets targets;
  for (const ElementwiseInfo& row : ElementwiseCatalogue()) {
    if (!row.mhlo_call) continue;
    targets.push_back(
        {MhloTarget(row.opcode),
         [opcode = row.opcode](const CustomCall& call) { return Unary(call, opcode); },
         row.opcode});
  }
  return targets;
}

}  // namespace assay::runtime::custom_calls
