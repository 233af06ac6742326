// Operations that rest on the order of elements: reference ops_elementwise_and_types.md 6.6, 6.7;
// decisions M-1 to M-7, C-1 to C-3. Tests: order_ops_test.cc.
#include <algorithm>
#include <limits>

#include "evaluator/scalar/comparison.h"
#include "evaluator/scalar/scalar_functions.h"
#include "spec/element/float_formats.h"

namespace assay::evaluator {

int64_t TotalOrderKey(ElementType type, uint64_t bits) {
  const FloatFormat& format = *Info(type).format;
  const auto magnitude = static_cast<int64_t>(bits & float_formats::MagnitudeMask(format));
  if ((bits & float_formats::SignMask(format)) == 0) return magnitude;
  if (format.signed_zero) return ~magnitude;
  return magnitude == 0 ? std::numeric_limits<int64_t>::min() : -magnitude;
}

}  // namespace assay::evaluator

namespace assay::evaluator::scalar {
namespace {

Element Truth(bool value) { return {value ? uint64_t{1} : uint64_t{0}}; }

bool EitherIsNan(const ScalarOp& op, Element a, Element b) {
  return IsNan(op.operand_type, a.bits) || IsNan(op.operand_type, b.bits);
}

// Zeros of both signs are ordered: -0 below +0.
bool Below(const ScalarOp& op, Element a, Element b) {
  return TotalOrderKey(op.operand_type, a.bits) < TotalOrderKey(op.operand_type, b.bits);
}

}  // namespace

Element CompareSigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Truth(Holds(op.direction, Signed(op, a), Signed(op, b)));
}

Element CompareUnsigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Truth(Holds(op.direction, a.bits, b.bits));
}

Element CompareFloat(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  const ElementType type = op.operand_type;
  if (op.comparison_type == ComparisonType::kTotalOrder) {
    return Truth(Holds(op.direction, TotalOrderKey(type, a.bits), TotalOrderKey(type, b.bits)));
  }
  return Truth(Holds(op.direction, DecodeFloat(type, a.bits), DecodeFloat(type, b.bits)));
}

// Equality of both parts or its negation; complex numbers have no order (FindScalarFunction).
Element CompareComplex(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  const ElementType part = Info(op.operand_type).component;
  const bool equal = DecodeFloat(part, a.bits) == DecodeFloat(part, b.bits) &&
                     DecodeFloat(part, a.imag) == DecodeFloat(part, b.imag);
  return Truth(equal == (op.direction == ComparisonDirection::kEq));
}

Element MaximumSigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Signed(op, a) < Signed(op, b) ? b : a;
}

Element MaximumUnsigned(const ScalarOp& /*op*/, Element a, Element b,
                        const RealContext& /*context*/) {
  return {std::max(a.bits, b.bits)};
}

Element MaximumFloat(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  if (EitherIsNan(op, a, b)) return {CanonicalNan(op.operand_type)};
  return Below(op, a, b) ? b : a;
}

Element MinimumSigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Signed(op, b) < Signed(op, a) ? b : a;
}

Element MinimumUnsigned(const ScalarOp& /*op*/, Element a, Element b,
                        const RealContext& /*context*/) {
  return {std::min(a.bits, b.bits)};
}

Element MinimumFloat(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  if (EitherIsNan(op, a, b)) return {CanonicalNan(op.operand_type)};
  return Below(op, b, a) ? b : a;
}

// clamp(min, x, max) = minimum(maximum(min, x), max).
Element ClampPred(const ScalarOp& /*op*/, Element a, Element b, Element c,
                  const RealContext& /*context*/) {
  return {(a.bits | b.bits) & c.bits};
}

Element ClampSigned(const ScalarOp& op, Element a, Element b, Element c,
                    const RealContext& context) {
  return MinimumSigned(op, MaximumSigned(op, a, b, context), c, context);
}

Element ClampUnsigned(const ScalarOp& op, Element a, Element b, Element c,
                      const RealContext& context) {
  return MinimumUnsigned(op, MaximumUnsigned(op, a, b, context), c, context);
}

Element ClampFloat(const ScalarOp& op, Element a, Element b, Element c,
                   const RealContext& context) {
  return MinimumFloat(op, MaximumFloat(op, a, b, context), c, context);
}

}  // namespace assay::evaluator::scalar
