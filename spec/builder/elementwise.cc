// What these functions demand beyond the rules of the operations that they make (spec/ops). Tests:
// builder_clauses_test.cc.
//   logical_c1 operands are of pred
//   select_c6 a tuple is selected by pred[]
//   select_2017_c1 in 2017 both branches have one shape
#include "spec/builder/elementwise.h"

#include "spec/builder/implicit_broadcast.h"
#include "spec/builder/lowering_2017.h"

namespace assay {

using builder_internal::BroadcastTogether;
using builder_internal::Counting;
using builder_internal::Maker;
using builder_internal::Stretch;

namespace {

Op Unary(absl::string_view function, Opcode opcode, const Op& operand, CallSite site,
         builder_internal::AttributeList attributes = {}, Shape declared = Shape()) {
  Maker maker(function, site, {operand});
  return maker.Make(opcode, {operand}, std::move(attributes), std::move(declared));
}

Op Binary(absl::string_view function, Opcode opcode, Op lhs, Op rhs,
          absl::Span<const int64_t> broadcast_dimensions, CallSite site,
          builder_internal::AttributeList attributes = {}) {
  Maker maker(function, site, {lhs, rhs});
  BroadcastTogether(maker, &lhs, &rhs, broadcast_dimensions);
  return maker.Make(opcode, {lhs, rhs}, std::move(attributes));
}

Op Comparison(absl::string_view function, const Op& lhs, const Op& rhs,
              absl::Span<const int64_t> broadcast_dimensions, ComparisonDirection direction,
              std::optional<ComparisonType> type, CallSite site) {
  builder_internal::AttributeList attributes = {
      {Attr::kDirection, static_cast<int64_t>(direction)}};
  if (type) attributes.emplace_back(Attr::kComparisonType, static_cast<int64_t>(*type));
  return Binary(function, Opcode::kCompare, lhs, rhs, broadcast_dimensions, site,
                std::move(attributes));
}

// The type of a total order of numbers: floats have one of their own.
std::optional<ComparisonType> TotalOrderOf(const Op& op) {
  const absl::StatusOr<Shape> shape = op.shape();
  if (!shape.ok() || !IsFloat(shape->element_type())) return std::nullopt;
  return ComparisonType::kTotalOrder;
}

void RequirePred(Maker& maker, std::initializer_list<Op> operands) {
  for (const Op& operand : operands) {
    if (!maker.ok()) return;
    const Shape& shape = maker.ShapeOf(operand);
    if (shape.element_type() != ElementType::kPred) {
      maker.Fail("logical_c1", absl::StrCat("operands must be of pred, found ", shape.ToString()));
    }
  }
}

Op Logical(absl::string_view function, Opcode opcode, Op lhs, Op rhs,
           absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  Maker maker(function, site, {lhs, rhs});
  RequirePred(maker, {lhs, rhs});
  BroadcastTogether(maker, &lhs, &rhs, broadcast_dimensions);
  return maker.Make(opcode, {lhs, rhs});
}

}  // namespace

#define UNARY(function, opcode) \
  Op function(Op operand, CallSite site) { return Unary(#function, Opcode::opcode, operand, site); }
#define ACCURATE(function, opcode)                                                \
  UNARY(function, opcode)                                                         \
  Op function(Op operand, const ResultAccuracy& result_accuracy, CallSite site) { \
    return Unary(#function, Opcode::opcode, operand, site,                        \
                 {{Attr::kResultAccuracy, result_accuracy}});                     \
  }
#define BINARY(function, opcode)                                                               \
  Op function(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) { \
    return Binary(#function, Opcode::opcode, lhs, rhs, broadcast_dimensions, site);            \
  }
#define COMPARISON(function, direction)                                                          \
  Op function(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {   \
    return Comparison(#function, lhs, rhs, broadcast_dimensions, ComparisonDirection::direction, \
                      std::nullopt, site);                                                       \
  }                                                                                              \
  Op function##TotalOrder(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions,        \
                          CallSite site) {                                                       \
    return Comparison(#function "TotalOrder", lhs, rhs, broadcast_dimensions,                    \
                      ComparisonDirection::direction, TotalOrderOf(lhs), site);                  \
  }
#include "spec/builder/elementwise_functions.def"
#undef UNARY
#undef ACCURATE
#undef BINARY
#undef COMPARISON

Op Compare(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions,
           ComparisonDirection direction, CallSite site) {
  return Comparison("Compare", lhs, rhs, broadcast_dimensions, direction, std::nullopt, site);
}

Op Compare(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions,
           ComparisonDirection direction, ComparisonType type, CallSite site) {
  return Comparison("Compare", lhs, rhs, broadcast_dimensions, direction, type, site);
}

Op LogicalAnd(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  return Logical("LogicalAnd", Opcode::kAnd, lhs, rhs, broadcast_dimensions, site);
}

Op LogicalOr(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions, CallSite site) {
  return Logical("LogicalOr", Opcode::kOr, lhs, rhs, broadcast_dimensions, site);
}

Op LogicalNot(Op operand, CallSite site) {
  Maker maker("LogicalNot", site, {operand});
  RequirePred(maker, {operand});
  return maker.Make(Opcode::kNot, {operand});
}

Op Clamp(Op min, Op operand, Op max, CallSite site) {
  Maker maker("Clamp", site, {min, operand, max});
  return maker.Make(Opcode::kClamp, {min, operand, max});
}

Op Select(Op pred, Op on_true, Op on_false, CallSite site) {
  Maker maker("Select", site, {pred, on_true, on_false});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape condition = maker.ShapeOf(pred);
  if (maker.ShapeOf(on_true).is_tuple()) {
    ASSAY_MAKER_REQUIRE(maker, "select_c6",
                        condition.is_scalar() && IsPred(condition.element_type()),
                        "tuples are selected by pred[], found ", condition.ToString());
    return builder_internal::SelectWhole(maker, pred, on_true, on_false);
  }
  ASSAY_MAKER_REQUIRE(maker, "select_2017_c1",
                      maker.semantics() == Semantics::kToday ||
                          Shape::Compatible(maker.ShapeOf(on_true), maker.ShapeOf(on_false)),
                      "in 2017 both branches of a select have one shape, found ",
                      maker.ShapeOf(on_true).ToString(), " and ",
                      maker.ShapeOf(on_false).ToString());
  // The widest of the three.
  Dimensions sizes(condition.dimensions().begin(), condition.dimensions().end());
  for (const Op& side : {on_true, on_false}) {
    const Shape& shape = maker.ShapeOf(side);
    if (sizes.empty()) sizes.assign(shape.dimensions().begin(), shape.dimensions().end());
  }
  for (Op* side : {&on_true, &on_false}) {
    if (maker.ShapeOf(*side).is_scalar()) *side = Stretch(maker, *side, {}, sizes);
  }
  return maker.Make(Opcode::kSelect, {pred, on_true, on_false});
}

Op ConvertElementType(Op operand, ElementType new_element_type, CallSite site) {
  return Unary("ConvertElementType", Opcode::kConvert, operand, site, {},
               Shape::Scalar(new_element_type));
}

Op BitcastConvertType(Op operand, ElementType new_element_type, CallSite site) {
  return Unary("BitcastConvertType", Opcode::kBitcastConvert, operand, site, {},
               Shape::Scalar(new_element_type));
}

Op ReducePrecision(Op operand, int64_t exponent_bits, int64_t mantissa_bits, CallSite site) {
  return Unary("ReducePrecision", Opcode::kReducePrecision, operand, site,
               {{Attr::kExponentBits, exponent_bits}, {Attr::kMantissaBits, mantissa_bits}});
}

Op StochasticConvertType(Op operand, Op random, ElementType new_element_type, CallSite site) {
  Maker maker("StochasticConvertType", site, {operand, random});
  Shape declared = maker.ShapeOf(operand);
  declared.set_element_type(new_element_type);
  return maker.Make(Opcode::kStochasticConvert, {operand, random}, {}, declared);
}

Op OptimizationBarrier(Op operand, CallSite site) {
  Maker maker("OptimizationBarrier", site, {operand});
  return maker.Make(Opcode::kOptimizationBarrier, {operand}, {}, maker.ShapeOf(operand));
}

}  // namespace assay
