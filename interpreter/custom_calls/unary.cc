// mhlo.* names of elementwise operations: what the operation of that name is.
// Tests: custom_call_test.cc.
#include <array>

#include "absl/strings/str_cat.h"
#include "evaluator/scalar/scalar_ops.h"
#include "interpreter/custom_calls/targets.h"

namespace assay::custom_calls {
namespace {

CustomCallHandler Unary(Opcode opcode) {
  return [opcode](const CustomCall& call) -> absl::StatusOr<Literal> {
    if (absl::Status status = WantOperands(call, 1); !status.ok()) return status;
    const Literal& operand = call.operands[0];
    const Shape& shape = call.instruction.shape();
    if (!operand.is_array() || !shape.is_array() ||
        !Shape::SameDimensions(operand.shape(), shape)) {
      return BadCall(call, "operand and result must be arrays of the same sizes");
    }
    const auto function =
        FindScalarFunction({opcode, operand.element_type(), shape.element_type()});
    if (!function) return BadCall(call, absl::StrCat("no ", Name(opcode), " of these types"));
    absl::StatusOr<Literal> result = call.Zeros(shape);
    if (!result.ok()) return result;
    const RealContext context{.stats = &call.context.real_stats};
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

Targets UnaryTargets() {
  constexpr std::array<std::pair<const char*, Opcode>, 13> kNames = {
      {{"acos", Opcode::kAcos},
       {"acosh", Opcode::kAcosh},
       {"asin", Opcode::kAsin},
       {"asinh", Opcode::kAsinh},
       {"atanh", Opcode::kAtanh},
       {"cosh", Opcode::kCosh},
       {"erf", Opcode::kErf},
       {"log_plus_one", Opcode::kLog1p},
       {"exponential_minus_one", Opcode::kExpm1},
       {"popcnt", Opcode::kPopcnt},
       {"sinh", Opcode::kSinh},
       {"tan", Opcode::kTan},
       {"cbrt", Opcode::kCbrt}}};
  Targets targets;
  for (const auto& [name, opcode] : kNames) {
    targets.emplace_back(absl::StrCat("mhlo.", name), Unary(opcode));
  }
  return targets;
}

}  // namespace assay::custom_calls
