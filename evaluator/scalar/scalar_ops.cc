// The table of scalar definitions and the ways into it. Tests: scalar_ops_test.cc.
#include "evaluator/scalar/scalar_ops.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/scalar/rounded_functions.h"
#include "evaluator/scalar/scalar_functions.h"
#include "spec/element/bitcast_width.h"

namespace assay::evaluator {
namespace {

using namespace scalar;  // NOLINT

constexpr int kClasses = 5;  // pred, signed, unsigned, float, complex

struct Row {
  Opcode opcode;
  int arity = 0;
  std::array<UnaryFunction, kClasses> unary = {};
  std::array<BinaryFunction, kClasses> binary = {};
  std::array<TernaryFunction, kClasses> ternary = {};
};

constexpr Row Unary(Opcode opcode, std::array<UnaryFunction, kClasses> functions) {
  return {opcode, 1, functions, {}, {}};
}
constexpr Row Binary(Opcode opcode, std::array<BinaryFunction, kClasses> functions) {
  return {opcode, 2, {}, functions, {}};
}
constexpr Row Ternary(Opcode opcode, std::array<TernaryFunction, kClasses> functions) {
  return {opcode, 3, {}, {}, functions};
}

constexpr std::nullptr_t kNone = nullptr;

constexpr Row kRows[] = {
#define REAL(f) RealUnary<RealFunction::f>
#define COMPLEX(f) ComplexUnary<RealFunction::f>
#define REAL2(f) RealBinary<RealFunction2::f>
#define COMPLEX2(f) ComplexBinary<RealFunction2::f>
#define SCALAR_OP(opcode, arity, ...) arity(Opcode::opcode, {__VA_ARGS__}),
#include "evaluator/scalar/scalar_ops.def"
#undef SCALAR_OP
#undef REAL
#undef COMPLEX
#undef REAL2
#undef COMPLEX2
};

// The correctly rounded functions of the same rows.
template <typename Function>
constexpr RoundedFunction Rounded([[maybe_unused]] Function function) {
  if constexpr (std::is_same_v<Function, RealFunction>) return {.unary = function};
  if constexpr (std::is_same_v<Function, RealFunction2>) return {.binary = function};
  return {};
}
template <typename... Functions>
constexpr std::array<RoundedFunction, kClasses> RoundedRow(Functions... functions) {
  return {Rounded(functions)...};
}
constexpr std::array<RoundedFunction, kClasses> kRoundedRows[] = {
#define REAL(f) RealFunction::f
#define COMPLEX(f) RealFunction::f
#define REAL2(f) RealFunction2::f
#define COMPLEX2(f) RealFunction2::f
#define SCALAR_OP(opcode, arity, ...) RoundedRow(__VA_ARGS__),
#include "evaluator/scalar/scalar_ops.def"
#undef SCALAR_OP
#undef REAL
#undef COMPLEX
#undef REAL2
#undef COMPLEX2
};

// The row of each opcode, or -1.
constexpr std::array<int, kOpcodeCount> kRowOf = [] {
  std::array<int, kOpcodeCount> rows = {};
  rows.fill(-1);
  for (int i = 0; i < static_cast<int>(std::size(kRows)); ++i) {
    rows[static_cast<size_t>(kRows[i].opcode)] = i;
  }
  return rows;
}();

const Row* FindRow(Opcode opcode) {
  const int row = kRowOf[static_cast<size_t>(opcode)];
  return row < 0 ? nullptr : &kRows[row];
}

int ClassIndex(ElementType type) {
  return static_cast<int>(Info(type).element_class) - static_cast<int>(ElementClass::kPred);
}

bool AdmitsResultType(const ScalarOp& op) {
  const ElementType from = op.operand_type;
  const ElementType to = op.result_type;
  if (!IsArray(to)) return false;
  switch (op.opcode) {
    case Opcode::kConvert:
      return true;
    case Opcode::kBitcastConvert:
      return BitcastWidth(from) == BitcastWidth(to) && IsComplex(from) == IsComplex(to);
    case Opcode::kStochasticConvert:
      return IsSigned(to);
    case Opcode::kComplex:
      return to == ScalarResultType(op.opcode, from) && IsComplex(to);
    case Opcode::kCompare: {
      const bool ordered =
          op.direction != ComparisonDirection::kEq && op.direction != ComparisonDirection::kNe;
      return IsPred(to) && !(IsComplex(from) && ordered);
    }
    default:
      return to == ScalarResultType(op.opcode, from);
  }
}

ScalarFunction MustFind(const ScalarOp& op, int arity) {
  const std::optional<ScalarFunction> function = FindScalarFunction(op);
  if (!function.has_value() || function->arity != arity) {
    const absl::string_view name = Name(op.opcode);
    std::fprintf(stderr, "no scalar definition of %.*s with %d operands for its element types\n",
                 static_cast<int>(name.size()), name.data(), arity);
    std::abort();
  }
  return *function;
}

}  // namespace

std::optional<ScalarFunction> FindScalarFunction(const ScalarOp& op) {
  const Row* row = FindRow(op.opcode);
  if (row == nullptr || !IsArray(op.operand_type) || !AdmitsResultType(op)) return std::nullopt;
  const int i = ClassIndex(op.operand_type);
  const ScalarFunction function = {op, row->arity, row->unary[i], row->binary[i], row->ternary[i]};
  const bool defined =
      function.unary != nullptr || function.binary != nullptr || function.ternary != nullptr;
  return defined ? std::optional(function) : std::nullopt;
}

RoundedFunction FindRoundedFunction(Opcode opcode, ElementType operand_type) {
  const int row = kRowOf[static_cast<size_t>(opcode)];
  if (row < 0 || !IsArray(operand_type)) return {};
  return kRoundedRows[row][ClassIndex(operand_type)];
}

ElementType ScalarResultType(Opcode opcode, ElementType operand_type) {
  switch (opcode) {
    case Opcode::kCompare:
    case Opcode::kIsFinite:
      return ElementType::kPred;
    case Opcode::kAbs:
    case Opcode::kReal:
    case Opcode::kImag:
      return Info(operand_type).component;
    case Opcode::kComplex:
      if (operand_type == ElementType::kF32) return ElementType::kC64;
      if (operand_type == ElementType::kF64) return ElementType::kC128;
      return operand_type;
    default:
      return operand_type;
  }
}

ScalarOp ScalarOpOf(const Instruction& instruction) {
  const int64_t data_operand = instruction.opcode() == Opcode::kSelect ? 1 : 0;
  ScalarOp op = {instruction.opcode(), instruction.operand(data_operand)->shape().element_type(),
                 instruction.shape().element_type()};
  if (op.opcode == Opcode::kReducePrecision) {
    op.exponent_bits = static_cast<int>(instruction.GetInt(Attr::kExponentBits));
    op.mantissa_bits = static_cast<int>(instruction.GetInt(Attr::kMantissaBits));
  }
  if (op.opcode == Opcode::kCompare) {
    op.direction = instruction.GetEnum<ComparisonDirection>(Attr::kDirection);
    const std::optional<int64_t> type = instruction.FindInt(Attr::kComparisonType);
    if (type.has_value()) op.comparison_type = static_cast<ComparisonType>(*type);
  }
  return op;
}

absl::StatusOr<ScalarFunction> PrepareScalarFunction(const Instruction& instruction) {
  const ScalarOp op = ScalarOpOf(instruction);
  const std::optional<ScalarFunction> function = FindScalarFunction(op);
  if (function.has_value()) return *function;
  return absl::UnimplementedError(
      absl::StrCat(Name(op.opcode), " ", instruction.name(), ": no scalar definition from ",
                   Name(op.operand_type), " to ", Name(op.result_type)));
}

Element EvaluateUnary(Opcode opcode, ElementType operand_type, Element x, ElementType result_type,
                      const RealContext& context) {
  return MustFind({opcode, operand_type, result_type}, 1)(x, context);
}

Element EvaluateBinary(Opcode opcode, ElementType operand_type, Element a, Element b,
                       ElementType result_type, const RealContext& context) {
  return MustFind({opcode, operand_type, result_type}, 2)(a, b, context);
}

Element EvaluateTernary(Opcode opcode, ElementType type, Element a, Element b, Element c) {
  return MustFind({opcode, type, type}, 3)(a, b, c);
}

bool Compare(ElementType type, ComparisonDirection direction, ComparisonType comparison_type,
             Element a, Element b) {
  ScalarOp op = {Opcode::kCompare, type, ElementType::kPred};
  op.direction = direction;
  op.comparison_type = comparison_type;
  return MustFind(op, 2)(a, b).bits != 0;
}

Element Convert(ElementType from, Element x, ElementType to) {
  return EvaluateUnary(Opcode::kConvert, from, x, to);
}

Element ReducePrecision(ElementType type, Element x, int exponent_bits, int mantissa_bits) {
  ScalarOp op = {Opcode::kReducePrecision, type, type};
  op.exponent_bits = exponent_bits;
  op.mantissa_bits = mantissa_bits;
  return MustFind(op, 1)(x);
}

}  // namespace assay::evaluator
