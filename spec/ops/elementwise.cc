// Elementwise operations: equal dimensions and element types, a row of element types per operation
// (the catalogue's), few exceptions.
//   unary_c1 operand is an array
//   unary_c2 of a type the operation takes
//   binary_c1 operands are arrays
//   binary_c2 of one type (fp-mix)
//   binary_c3 of equal dimensions
//   binary_c4 of a type the operation takes
//   binary_c5 (strict) shifts and mulhi: of integers; remainder: of real numbers
//   binary_c6 (strict) floats are of one precision
//   extremum_c1 (strict) maximum and minimum: numbers with an order, none that are complex
//   convert_c1 the declared result is an array
//   reduce_precision_c1 exponent_bits is at least 1
//   reduce_precision_c2 mantissa_bits is not negative
//   complex_c1 real and imaginary part have one type
//   complex_c2 which is f32 or f64
//   compare_c1 the comparison type fits the element type
//   compare_c2 (strict) complex numbers are compared with EQ or NE only
//   select_c1 operands are arrays
//   select_c2 the first of pred
//   select_c3 the branches have one shape (fp-mix)
//   select_c4 the first operand is a scalar or has the dimensions of the branches
//   select_c5 (strict) the branches are of one precision
//   clamp_c1 operands are arrays
//   clamp_c2 of one element type (fp-mix)
//   clamp_c3 the lower bound is a scalar or has the dimensions of the operand
//   clamp_c4 so is or has the upper bound
//   clamp_c5 (strict) complex numbers are not clamped
//   clamp_c6 (strict) bounds and operand are of one precision
//   stochastic_convert_c1 operands and the declared result are arrays
//   stochastic_convert_c2 the first operand is of a float type
//   stochastic_convert_c3 the second of the unsigned type that is as wide
//   stochastic_convert_c4 operands have equal dimensions
//
// An instruction without a written shape is inferred as XLA's reader does it: scalars and
// dimensions of size 1 stretch. The verifier refuses such an instruction afterwards, and so does
// the rule once the shape stands there.
// Source: reference ops_elementwise_and_types.md 4, 5, 7. Tests:
// spec/verify/testdata/elementwise.cases.
#include <algorithm>
#include <optional>

#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

void MergeDynamic(const Shape& from, Shape* into) {
  if (!from.is_dynamic() || from.rank() != into->rank()) return;
  for (int64_t d = 0; d < into->rank(); ++d) {
    if (from.is_dynamic_dimension(d)) into->set_dynamic_dimension(d, true);
  }
}

// Whether XLA's inference gives a shape to this type.
bool InferenceTakes(const Instruction& op, ElementType type) {
  switch (op.opcode()) {
    case Opcode::kMulhi:
      return true;
    case Opcode::kRemainder:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return !IsPred(type);
    default:
      return op.info().types.Contains(type);
  }
}

absl::Status RequireType(const Instruction& op, absl::string_view clause, ElementType type) {
  ASSAY_REQUIRE(op, clause, InferenceTakes(op, type), op.info().name, " does not take ",
                Name(type));
  return absl::OkStatus();
}

absl::Status CheckUnary(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArray(op, "unary_c1", 0));
  return RequireType(op, "unary_c2", op.operand(0)->shape().element_type());
}

absl::StatusOr<Shape> Unary(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckUnary(op));
  return op.operand(0)->shape();
}

// abs, real, imag: a complex operand gives its component.
absl::StatusOr<Shape> UnaryToComponent(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckUnary(op));
  const Shape& operand = op.operand(0)->shape();
  return WithElementType(operand, Info(operand.element_type()).component);
}

// is-finite.
absl::StatusOr<Shape> UnaryToPred(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckUnary(op));
  return WithElementType(op.operand(0)->shape(), ElementType::kPred);
}

// Dimensions of two operands of which one may stretch: a scalar, or dimensions of size 1.
absl::StatusOr<Shape> StretchedShape(const Instruction& op, const Shape& lhs, const Shape& rhs) {
  if (lhs.rank() != rhs.rank()) {
    ASSAY_REQUIRE(op, "binary_c3", lhs.rank() == 0 || rhs.rank() == 0,
                  "operands must have equal rank, or one must be a scalar, found ", lhs.ToString(),
                  " and ", rhs.ToString());
    // Not the array's own layout.
    const Shape& array = lhs.rank() == 0 ? rhs : lhs;
    Shape shape(array.element_type(), array.dimensions());
    MergeDynamic(array, &shape);
    return shape;
  }
  if (SameSizes(lhs, rhs)) {
    Shape shape = lhs;
    MergeDynamic(rhs, &shape);
    return shape;
  }
  Shape shape(lhs.element_type(), lhs.dimensions());
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    const int64_t a = lhs.dimension(d);
    const int64_t b = rhs.dimension(d);
    const bool open_a = lhs.is_unbounded_dimension(d);
    const bool open_b = rhs.is_unbounded_dimension(d);
    ASSAY_REQUIRE(op, "binary_c3", a == b || a == 1 || b == 1 || open_a || open_b, "dimension ", d,
                  " of the operands differs: ", lhs.ToString(), " and ", rhs.ToString());
    // An unknown size is taken to be that of the other operand, if that does not stretch.
    const bool take_b = a == 1 || (open_a && b != 1);
    shape.set_dimension(d, take_b ? b : a);
    const bool from_lhs = lhs.is_dynamic_dimension(d) && !take_b;
    const bool from_rhs = rhs.is_dynamic_dimension(d) && (a == b || take_b);
    const bool dynamic = from_lhs || from_rhs || shape.is_unbounded_dimension(d);
    if (dynamic) shape.set_dynamic_dimension(d, true);
  }
  return shape;
}

// The common shape of two operands, with the higher of their types.
absl::StatusOr<Shape> CommonShape(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(op, "binary_c1"));
  const Shape& lhs = op.operand(0)->shape();
  const Shape& rhs = op.operand(1)->shape();
  const ElementType a = lhs.element_type();
  const ElementType b = rhs.element_type();
  ASSAY_REQUIRE(op, "binary_c2", TypesMix(a, b), "operands must have one element type, found ",
                Name(a), " and ", Name(b));
  ASSAY_REQUIRE(op, "binary_c3", ShapeIsOpen(op) || SameSizes(lhs, rhs),
                "operands must have equal dimensions, found ", lhs.ToString(), " and ",
                rhs.ToString());
  ASSAY_RETURN_IF_ERROR(RequireType(op, "binary_c4", a));
  absl::StatusOr<Shape> shape = StretchedShape(op, lhs, rhs);
  if (!shape.ok()) return shape;
  return WithElementType(*std::move(shape), HigherType(a, b));
}

ComparisonType DefaultComparisonType(ElementType type) {
  if (IsSigned(type)) return ComparisonType::kSigned;
  if (IsFloat(type) || IsComplex(type)) return ComparisonType::kFloat;
  return ComparisonType::kUnsigned;
}

// A bound of a clamp is a scalar, or has the dimensions of the operand.
absl::Status CheckBound(const Instruction& clamp, absl::string_view clause, int64_t i) {
  const Shape& bound = clamp.operand(i)->shape();
  const Shape& operand = clamp.operand(1)->shape();
  ASSAY_REQUIRE(clamp, clause, bound.rank() == 0 || SameSizes(bound, operand), "operand ", i,
                " must be a scalar or have the dimensions of ", operand.ToString(), ", found ",
                bound.ToString());
  return absl::OkStatus();
}

}  // namespace

// The rule of an operation by its row; those with an Own one follow.
#define ASSAY_RULE_IS_Own(opcode)
#define ASSAY_RULE_IS(opcode, function)                               \
  template <>                                                         \
  absl::StatusOr<Shape> Rule<Opcode::opcode>(const Instruction& op) { \
    return function(op);                                              \
  }
#define ASSAY_RULE_IS_Unary(opcode) ASSAY_RULE_IS(opcode, Unary)
#define ASSAY_RULE_IS_UnaryToComponent(opcode) ASSAY_RULE_IS(opcode, UnaryToComponent)
#define ASSAY_RULE_IS_UnaryToPred(opcode) ASSAY_RULE_IS(opcode, UnaryToPred)
#define ASSAY_RULE_IS_CommonShape(opcode) ASSAY_RULE_IS(opcode, CommonShape)
#define ELEMENTWISE(opcode, shape, ...) ASSAY_RULE_IS_##shape(opcode)
#include "spec/elementwise.def"
#undef ELEMENTWISE
#undef ASSAY_RULE_IS_Own
#undef ASSAY_RULE_IS_Unary
#undef ASSAY_RULE_IS_UnaryToComponent
#undef ASSAY_RULE_IS_UnaryToPred
#undef ASSAY_RULE_IS_CommonShape
#undef ASSAY_RULE_IS

template <>
absl::StatusOr<Shape> Rule<Opcode::kConvert>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckUnary(op));
  ASSAY_RETURN_IF_ERROR(RequireDeclaredArray(op, "convert_c1"));
  return WithElementType(op.operand(0)->shape(), op.shape().element_type());
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kReducePrecision>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckUnary(op));
  const int64_t exponent_bits = op.GetInt(Attr::kExponentBits);
  const int64_t mantissa_bits = op.GetInt(Attr::kMantissaBits);
  ASSAY_REQUIRE(op, "reduce_precision_c1", exponent_bits >= 1,
                "exponent_bits must be at least 1, found ", exponent_bits);
  ASSAY_REQUIRE(op, "reduce_precision_c2", mantissa_bits >= 0,
                "mantissa_bits must not be negative, found ", mantissa_bits);
  return op.operand(0)->shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kComplex>(const Instruction& op) {
  absl::StatusOr<Shape> shape = CommonShape(op);
  if (!shape.ok()) return shape;
  const ElementType a = op.operand(0)->shape().element_type();
  ASSAY_REQUIRE(op, "complex_c1", a == op.operand(1)->shape().element_type(),
                "real and imaginary part must have one element type, found ", Name(a), " and ",
                Name(op.operand(1)->shape().element_type()));
  ASSAY_REQUIRE(op, "complex_c2", a == ElementType::kF32 || a == ElementType::kF64,
                "there are complex numbers of f32 and f64, none of ", Name(a));
  return WithElementType(*std::move(shape),
                         a == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCompare>(const Instruction& op) {
  absl::StatusOr<Shape> shape = CommonShape(op);
  if (!shape.ok()) return shape;
  const ElementType type = shape->element_type();
  if (!ShapeIsOpen(op)) {
    const ComparisonType usual = DefaultComparisonType(type);
    const ComparisonType found = static_cast<ComparisonType>(
        op.FindInt(Attr::kComparisonType).value_or(static_cast<int64_t>(usual)));
    ASSAY_REQUIRE(op, "compare_c1",
                  found == usual || (IsFloat(type) && found == ComparisonType::kTotalOrder),
                  "the comparison type does not fit ", Name(type));
  }
  return WithElementType(*std::move(shape), ElementType::kPred);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kSelect>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(op, "select_c1"));
  const Shape& pred = op.operand(0)->shape();
  const Shape& on_true = op.operand(1)->shape();
  const Shape& on_false = op.operand(2)->shape();
  ASSAY_REQUIRE(op, "select_c2", IsPred(pred.element_type()), "operand 0 must be of pred, found ",
                pred.ToString());
  ASSAY_REQUIRE(
      op, "select_c3",
      TypesMix(on_true.element_type(), on_false.element_type()) && SameSizes(on_true, on_false),
      "the branches must have one shape, found ", on_true.ToString(), " and ", on_false.ToString());
  ASSAY_REQUIRE(op, "select_c4", pred.rank() == 0 || SameSizes(pred, on_true),
                "operand 0 must be a scalar or have the dimensions of ", on_true.ToString(),
                ", found ", pred.ToString());
  Shape shape =
      WithElementType(on_true, HigherType(on_true.element_type(), on_false.element_type()));
  MergeDynamic(on_false, &shape);
  MergeDynamic(pred, &shape);
  // XLA's inference takes the order of dimensions from an array of pred, and the width of an
  // element in memory from the branch (observed with jaxlib's reader).
  if (pred.rank() > 0) {
    std::optional<Layout> layout = pred.layout();
    if (layout && on_true.has_layout()) {
      layout->element_size_in_bits = on_true.layout()->element_size_in_bits;
    }
    shape.set_layout(std::move(layout));
  }
  return shape;
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kClamp>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(op, "clamp_c1"));
  const Shape& operand = op.operand(1)->shape();
  const ElementType type = operand.element_type();
  for (int64_t i : {0, 2}) {
    const ElementType bound = op.operand(i)->shape().element_type();
    ASSAY_REQUIRE(op, "clamp_c2", TypesMix(bound, type),
                  "bounds and operand must have one element type, found ", Name(bound), " and ",
                  Name(type));
  }
  ASSAY_RETURN_IF_ERROR(CheckBound(op, "clamp_c3", 0));
  ASSAY_RETURN_IF_ERROR(CheckBound(op, "clamp_c4", 2));
  return operand;
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kStochasticConvert>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(op, "stochastic_convert_c1"));
  ASSAY_RETURN_IF_ERROR(RequireDeclaredArray(op, "stochastic_convert_c1"));
  const Shape& operand = op.operand(0)->shape();
  const Shape& random = op.operand(1)->shape();
  ASSAY_REQUIRE(op, "stochastic_convert_c2", IsFloat(operand.element_type()),
                "operand 0 must be of a float type, found ", operand.ToString());
  ASSAY_REQUIRE(op, "stochastic_convert_c3",
                IsUnsigned(random.element_type()) &&
                    Info(random.element_type()).bits == Info(operand.element_type()).bits,
                "operand 1 must be unsigned and as wide as ", Name(operand.element_type()),
                ", found ", random.ToString());
  ASSAY_REQUIRE(op, "stochastic_convert_c4", SameSizes(operand, random),
                "operands must have equal dimensions, found ", operand.ToString(), " and ",
                random.ToString());
  return WithElementType(operand, op.shape().element_type());
}

namespace {

absl::Status CheckBinaryStrictly(const Instruction& op) {
  const ElementType type = op.operand(0)->shape().element_type();
  const ElementType other = op.operand(1)->shape().element_type();
  ASSAY_REQUIRE(op, "binary_c5", op.info().types.Contains(type), op.info().name, " does not take ",
                Name(type));
  ASSAY_REQUIRE(op, "binary_c6", type == other, "operands must be of one precision, found ",
                Name(type), " and ", Name(other));
  if (op.opcode() == Opcode::kMaximum || op.opcode() == Opcode::kMinimum) {
    ASSAY_REQUIRE(op, "extremum_c1", !IsComplex(type), "complex numbers have no order, found ",
                  op.shape().ToString());
  }
  if (op.opcode() == Opcode::kCompare) {
    const auto direction = op.GetEnum<ComparisonDirection>(Attr::kDirection);
    ASSAY_REQUIRE(op, "compare_c2",
                  !IsComplex(type) || direction == ComparisonDirection::kEq ||
                      direction == ComparisonDirection::kNe,
                  "complex numbers have no order: the direction must be EQ or NE");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckElementwiseStrictly(const Instruction& op) {
  if (op.opcode() == Opcode::kSelect) {
    const Shape& on_true = op.operand(1)->shape();
    const Shape& on_false = op.operand(2)->shape();
    ASSAY_REQUIRE(op, "select_c5", on_true.element_type() == on_false.element_type(),
                  "the branches must be of one precision, found ", on_true.ToString(), " and ",
                  on_false.ToString());
    return absl::OkStatus();
  }
  if (op.opcode() == Opcode::kClamp) {
    const Shape& operand = op.operand(1)->shape();
    ASSAY_REQUIRE(op, "clamp_c5", !IsComplex(operand.element_type()),
                  "complex numbers have no order, found ", operand.ToString());
    for (int64_t i : {0, 2}) {
      const Shape& bound = op.operand(i)->shape();
      ASSAY_REQUIRE(op, "clamp_c6", bound.element_type() == operand.element_type(),
                    "bounds and operand must be of one precision, found ", bound.ToString(),
                    " and ", operand.ToString());
    }
    return absl::OkStatus();
  }
  const bool is_binary = op.operand_count() == 2 && op.opcode() != Opcode::kStochasticConvert;
  return is_binary ? CheckBinaryStrictly(op) : absl::OkStatus();
}

}  // namespace assay
