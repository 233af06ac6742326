// Arithmetic on floats: reference ops_elementwise_and_types.md 6.1, 6.8, 6.9, remainder of 6.11.
//
// All types decode exactly to double. A sum, product or quotient of values of at most 24 bits that
// is rounded to double's 53 bits first rounds to the same value of at most 24 bits as the exact one
// (53 >= 2 * 24 + 2; for f8e8m0fnu, whose ties go up, results are a power of two or lie far from
// every tie); f64 is the hardware's own operation. Floor, fmod and their like are exact in double.
// Tests: float_ops_test.cc.
#include <cmath>

#include "evaluator/scalar/scalar_functions.h"
#include "spec/element/float_formats.h"

namespace assay::evaluator::scalar {
namespace {

double Decode(const ScalarOp& op, Element x) { return DecodeFloat(op.operand_type, x.bits); }

Element Encode(const ScalarOp& op, double value) { return FloatResult(op.operand_type, value); }

const FloatFormat& Format(const ScalarOp& op) { return *Info(op.operand_type).format; }

}  // namespace

// abs and negate work on the sign bit, of NaN too.
Element AbsFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  const FloatFormat& format = Format(op);
  if (format.nan == NanEncoding::kNegativeZero && IsNan(op.operand_type, x.bits)) return x;
  return {x.bits & ~float_formats::SignMask(format)};
}

Element NegateFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  const FloatFormat& format = Format(op);
  if (!format.has_sign) return {CanonicalNan(op.operand_type)};
  if (!format.signed_zero && (x.bits & float_formats::MagnitudeMask(format)) == 0) return x;
  return {x.bits ^ float_formats::SignMask(format)};
}

Element SignFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  const double value = Decode(op, x);
  if (value == 0) return x;
  return Encode(op, value > 0 ? 1 : value < 0 ? -1 : value);
}

Element FloorFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return Encode(op, std::floor(Decode(op, x)));
}

Element CeilFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return Encode(op, std::ceil(Decode(op, x)));
}

Element RoundAwayFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return Encode(op, std::round(Decode(op, x)));
}

Element RoundEvenFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return Encode(op, std::nearbyint(Decode(op, x)));
}

Element IsFiniteFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return {std::isfinite(Decode(op, x)) ? uint64_t{1} : uint64_t{0}};
}

Element ImagFloat(const ScalarOp& op, Element /*x*/, const RealContext& /*context*/) {
  return Encode(op, 0.0);
}

Element AddFloat(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Encode(op, Decode(op, a) + Decode(op, b));
}

Element SubtractFloat(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Encode(op, Decode(op, a) - Decode(op, b));
}

Element MultiplyFloat(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Encode(op, Decode(op, a) * Decode(op, b));
}

Element DivideFloat(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Encode(op, Decode(op, a) / Decode(op, b));
}

Element RemainderFloat(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Encode(op, std::fmod(Decode(op, a), Decode(op, b)));
}

}  // namespace assay::evaluator::scalar
