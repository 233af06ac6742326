#include "evaluator/region/scalar_call.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace assay {
namespace {

// Operands that are not of the common type by their nature: the predicate of select, the random
// bits of stochastic-convert.
bool HasOwnType(const Instruction& instruction, int64_t operand) {
  return (instruction.opcode() == Opcode::kSelect && operand == 0) ||
         (instruction.opcode() == Opcode::kStochasticConvert && operand == 1);
}

bool IsMix(const Instruction& instruction) {
  std::optional<ElementType> common;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    if (HasOwnType(instruction, k)) continue;
    const ElementType type = instruction.operand(k)->shape().element_type();
    if (common && *common != type) return true;
    common = type;
  }
  return false;
}

}  // namespace

absl::StatusOr<ScalarCall> PrepareScalarCall(const Instruction& instruction) {
  ScalarCall call;
  ScalarOp op = ScalarOpOf(instruction);
  if (IsMix(instruction)) {
    op.operand_type =
        IsPred(op.result_type) ? ElementType::kF64 : instruction.shape().element_type();
  }
  std::optional<ScalarFunction> function = FindScalarFunction(op);
  if (!function) {
    return absl::UnimplementedError(absl::StrCat(
        "no scalar definition for ", instruction.Describe(), " on ", Name(op.operand_type)));
  }
  call.function = *function;
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    const ElementType type = instruction.operand(k)->shape().element_type();
    call.conversions.push_back({type, HasOwnType(instruction, k) ? type : op.operand_type});
  }
  return call;
}

}  // namespace assay
