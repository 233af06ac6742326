// mhlo.* names of elementwise operations: what the operation of that name is.
// Tests: custom_call_test.cc.
#include "absl/strings/str_cat.h"
#include "evaluator/scalar/scalar_ops.h"
#include "interpreter/custom_calls/targets.h"
#include "spec/elementwise_info.h"

namespace assay::custom_calls {
namespace {

CustomCallHandler Unary(Opcode opcode) {
  return [opcode](const CustomCall& call) -> absl::StatusOr<Literal> {
    const absl::StatusOr<evaluator::ScalarFunction> function =
        ElementwiseFunction(call.instruction, opcode);
    if (!function.ok()) return function.status();
    const Literal& operand = call.operands[0];
    absl::StatusOr<Literal> result = call.Zeros(call.instruction.shape());
    if (!result.ok()) return result;
    const evaluator::RealContext context{.stats = &call.context.real_stats};
    constexpr int64_t kPortion = 1024;
    for (int64_t i = 0; i < operand.element_count(); ++i) {
      if (i % kPortion == 0) {
        absl::Status status =
            call.context.ChargeCostly(std::min(kPortion, operand.element_count() - i));
        if (!status.ok()) return status;
      }
      result->Set(i, (*function)(operand.Get(i), context));
    }
    return result;
  };
}

}  // namespace

absl::StatusOr<evaluator::ScalarFunction> ElementwiseFunction(const Instruction& call,
                                                              Opcode opcode) {
  if (call.operand_count() != 1 || !call.operand(0)->shape().is_array() ||
      !call.shape().is_array() || !Shape::SameDimensions(call.operand(0)->shape(), call.shape())) {
    return BadCall(call, "operand and result must be arrays of the same sizes");
  }
  const auto function = evaluator::FindScalarFunction(
      {opcode, call.operand(0)->shape().element_type(), call.shape().element_type()});
  if (!function) return BadCall(call, absl::StrCat("no ", Name(opcode), " of these types"));
  return *function;
}

Targets UnaryTargets() {
  Targets targets;
  for (const ElementwiseInfo& row : ElementwiseCatalogue()) {
    if (!row.mhlo_call) continue;
    targets.push_back({MhloTarget(row.opcode), Unary(row.opcode), row.opcode});
  }
  return targets;
}

}  // namespace assay::custom_calls
