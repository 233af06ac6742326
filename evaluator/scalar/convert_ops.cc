// Conversions between element types: reference ops_elementwise_and_types.md 6.13, 6.14, 6.17;
// decisions V-1 to V-9, R-1 to R-5, O-2. Tests: convert_ops_test.cc.
#include <cmath>

#include "evaluator/scalar/scalar_functions.h"
#include "spec/element/float_formats.h"

namespace assay::evaluator::scalar {
namespace {

// Toward zero, then to the nearest end of the type's range; NaN gives 0. The ends are compared as
// doubles: that of a 64-bit type is rounded up to a power of two, which no smaller double reaches.
uint64_t TruncateToSigned(ElementType type, double value) {
  const int64_t lowest = MinSigned(type);
  const int64_t highest = MaxSigned(type);
  int64_t result = 0;
  if (value >= static_cast<double>(highest)) {
    result = highest;
  } else if (value <= static_cast<double>(lowest)) {
    result = lowest;
  } else if (value == value) {
    result = static_cast<int64_t>(value);
  }
  return EncodeInteger(type, static_cast<uint64_t>(result));
}

uint64_t TruncateToUnsigned(ElementType type, double value) {
  const uint64_t highest = MaxUnsigned(type);
  if (value >= static_cast<double>(highest)) return highest;
  return value > 0 ? static_cast<uint64_t>(value) : 0;
}

uint64_t ComplexPart(ElementType from, uint64_t bits, ElementType to) {
  return Convert(Info(from).component, {bits}, Info(to).component).bits;
}

// A real element of another type as a complex one.
Element WithZeroImaginary(ElementType from, Element x, ElementType to) {
  return {Convert(from, x, Info(to).component).bits, 0};
}

}  // namespace

Element ConvertSigned(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  const int64_t value = DecodeSigned(op.operand_type, x.bits);
  switch (Info(op.result_type).element_class) {
    case ElementClass::kPred:
      return {value != 0 ? uint64_t{1} : uint64_t{0}};
    case ElementClass::kFloat:
      return {EncodeFloatFromSigned(op.result_type, value)};
    case ElementClass::kComplex:
      return WithZeroImaginary(op.operand_type, x, op.result_type);
    default:
      return {EncodeInteger(op.result_type, static_cast<uint64_t>(value))};
  }
}

Element ConvertUnsigned(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  switch (Info(op.result_type).element_class) {
    case ElementClass::kPred:
      return {x.bits != 0 ? uint64_t{1} : uint64_t{0}};
    case ElementClass::kFloat:
      return {EncodeFloatFromUnsigned(op.result_type, x.bits)};
    case ElementClass::kComplex:
      return WithZeroImaginary(op.operand_type, x, op.result_type);
    default:
      return {EncodeInteger(op.result_type, x.bits)};
  }
}

Element ConvertFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  if (op.operand_type == op.result_type) return x;
  const double value = DecodeFloat(op.operand_type, x.bits);
  switch (Info(op.result_type).element_class) {
    case ElementClass::kPred:
      return {value != 0 ? uint64_t{1} : uint64_t{0}};  // true for NaN
    case ElementClass::kSigned:
      return {TruncateToSigned(op.result_type, value)};
    case ElementClass::kUnsigned:
      return {TruncateToUnsigned(op.result_type, value)};
    case ElementClass::kComplex:
      return WithZeroImaginary(op.operand_type, x, op.result_type);
    default:
      return {EncodeFloat(op.result_type, value)};
  }
}

// Only the real part survives in a type that is not complex.
Element ConvertComplex(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  if (!IsComplex(op.result_type)) {
    return Convert(Info(op.operand_type).component, {x.bits}, op.result_type);
  }
  return {ComplexPart(op.operand_type, x.bits, op.result_type),
          ComplexPart(op.operand_type, x.imag, op.result_type)};
}

// Works on the pattern: the significand is rounded to mantissa_bits at its fixed place, ties to
// even, a carry moving into the exponent; then the exponent field is held to the narrower range,
// whose subnormals become zero.
Element ReducePrecisionFloat(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  const ElementType type = op.operand_type;
  const FloatFormat& format = *Info(type).format;
  const bool negative = IsNegative(type, x.bits);
  if (IsNan(type, x.bits)) {
    if (op.mantissa_bits > 0) return x;
    return {format.has_infinity ? Infinity(type) : CanonicalNan(type)};
  }
  if (IsInfinity(type, x.bits)) return x;

  uint64_t magnitude = x.bits & float_formats::MagnitudeMask(format);
  if (op.mantissa_bits < format.significand_bits) {
    const int dropped = format.significand_bits - op.mantissa_bits;
    const uint64_t unit = uint64_t{1} << dropped;
    const uint64_t odd = (magnitude >> dropped) & 1;
    magnitude = (magnitude + (unit / 2 - 1) + odd) & ~(unit - 1);
    if (magnitude == 0) return {float_formats::ZeroPattern(format, negative)};
  }
  if (magnitude > MaxFinite(type)) return {Infinity(type, negative)};
  if (op.exponent_bits < format.exponent_bits) {
    const int field = static_cast<int>(magnitude >> format.significand_bits);
    const int range = (1 << (op.exponent_bits - 1)) - 1;
    if (field > format.bias + range) return {Infinity(type, negative)};
    if (field <= format.bias - range) return {float_formats::ZeroPattern(format, negative)};
  }
  return {magnitude | (negative ? float_formats::SignMask(format) : 0)};
}

// Rounds away from zero when the random number lies below the fraction, as fixed-point numbers.
Element StochasticConvertFloat(const ScalarOp& op, Element a, Element b,
                               const RealContext& /*context*/) {
  const double value = DecodeFloat(op.operand_type, a.bits);
  const bool in_range = value < static_cast<double>(MaxSigned(op.result_type)) &&
                        value > static_cast<double>(MinSigned(op.result_type));
  if (!in_range) return {TruncateToSigned(op.result_type, value)};  // NaN and both ends
  const double whole = std::floor(std::fabs(value));
  const double fraction = std::fabs(value) - whole;
  const auto threshold = static_cast<uint64_t>(std::ldexp(fraction, Info(op.operand_type).bits));
  const uint64_t magnitude = static_cast<uint64_t>(whole) + (b.bits < threshold ? 1 : 0);
  return {EncodeInteger(op.result_type, value < 0 ? 0 - magnitude : magnitude)};
}

}  // namespace assay::evaluator::scalar
