// What the decision points of decision_points.def admit, operation by operation.
#include <algorithm>
#include <cmath>

#include "conformance/judge/freedoms.h"
#include "conformance/judge/gathered_elements.h"
#include "conformance/judge/rounds.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay {
namespace {

// One element of an elementwise instruction.
struct Place {
  const Instruction& instruction;
  absl::Span<const Literal> operands;
  int64_t element;
  ElementType type;  // of the result
  Element wanted, got;

  ElementType operand_type(size_t k) const { return operands[k].element_type(); }
  Element operand(size_t k) const { return OperandElement(operands[k], element); }
  double value(size_t k) const { return DecodeFloat(operand_type(k), operand(k).bits); }
};

bool SignBit(ElementType type, uint64_t bits) { return bits >> (Info(type).bits - 1) & 1; }
uint64_t LowBits(ElementType type, uint64_t bits) {
  const int width = Info(type).bits;
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

bool DividesImpossibly(const Place& at) {
  const ElementType type = at.type;
  const uint64_t divisor = LowBits(type, at.operand(1).bits);
  if (divisor == 0) return true;
  const uint64_t least = uint64_t{1} << (Info(type).bits - 1);
  return IsSigned(type) && divisor == LowBits(type, ~uint64_t{0}) &&
         LowBits(type, at.operand(0).bits) == least;
}

// Integer powers by the low 6 bits of an exponent that is not negative.
bool IsPowerOfLowExponent(const Place& at) {
  const uint64_t base = at.operand(0).bits, exponent = at.operand(1).bits;
  if (IsSigned(at.type) && SignBit(at.type, exponent)) return false;
  uint64_t power = 1;
  for (uint64_t k = 0; k < (exponent & 63); ++k) power *= base;
  return LowBits(at.type, at.got.bits) == LowBits(at.type, power);
}

bool IsNegativePowerOfMinusOne(const Place& at) {
  return IsSigned(at.type) && SignBit(at.type, at.operand(1).bits) &&
         LowBits(at.type, at.operand(0).bits) == LowBits(at.type, ~uint64_t{0}) && at.got.bits == 0;
}

bool IsPowerOfNan(const Place& at) {
  return IsFloat(at.type) && Info(at.type).bits <= 16 && IsNan(at.type, at.got.bits) &&
         (IsNan(at.type, at.operand(0).bits) || IsNan(at.type, at.operand(1).bits)) &&
         DecodeFloat(at.type, at.wanted.bits) == 1;
}

// What lies below the least normal value of the narrow format, rounded to its denormals.
bool IsReducedDenormal(const Place& at) {
  const int exponent_bits = static_cast<int>(at.instruction.GetInt(Attr::kExponentBits));
  const int mantissa_bits = static_cast<int>(at.instruction.GetInt(Attr::kMantissaBits));
  const double x = at.value(0);
  const int least = 2 - (1 << std::min(exponent_bits - 1, 11));
  if (!std::isfinite(x) || std::fabs(x) >= std::ldexp(1.0, least)) return false;
  const int quantum = least - mantissa_bits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -quantum)), quantum);
  return at.got.bits == EncodeFloat(at.type, std::copysign(rounded, x));
}

// A NaN without mantissa bits to keep.
bool IsReducedNan(const Place& at) {
  return at.instruction.GetInt(Attr::kMantissaBits) == 0 && std::isnan(at.value(0)) &&
         (IsNan(at.type, at.got.bits) || IsInfinity(at.type, at.got.bits));
}

// widened, reduced there, converted back.
bool IsReducedOnImage(const Place& at) {
  const int exponent_bits = static_cast<int>(at.instruction.GetInt(Attr::kExponentBits));
  const int mantissa_bits = static_cast<int>(at.instruction.GetInt(Attr::kMantissaBits));
  const double x = at.value(0);
  for (const ElementType image : {ElementType::kF16, ElementType::kF32}) {
    const uint64_t widened = EncodeFloat(image, x);
    if (Info(at.type).bits > 16 || DecodeFloat(image, widened) != x) continue;
    const Element reduced = ReducePrecision(image, Element{widened}, exponent_bits, mantissa_bits);
    if (at.got.bits == EncodeFloat(at.type, DecodeFloat(image, reduced.bits))) return true;
  }
  return false;
}

bool IsOutOfIntegerRange(const Place& at) {
  const double x = std::trunc(at.value(0));
  const int bits = Info(at.type).bits;
  const bool negative = IsSigned(at.type);
  const double top = std::ldexp(1.0, negative ? bits - 1 : bits);
  return !(x < top && x >= (negative ? -top : 0));
}

// An integer or f64 to a narrow float: rounded to f32 or f16 on the way.
bool IsConvertedTwice(const Place& at) {
  const ElementType from = at.operand_type(0);
  if (Info(at.type).bits > 16 || !(IsInteger(from) || from == ElementType::kF64)) return false;
  for (const ElementType middle : {ElementType::kF32, ElementType::kF16}) {
    uint64_t bits;
    if (from == ElementType::kF64) {
      bits = EncodeFloat(middle, at.value(0));
    } else if (IsSigned(from)) {
      bits = EncodeFloatFromSigned(middle, DecodeSigned(from, at.operand(0).bits));
    } else {
      bits = EncodeFloatFromUnsigned(middle, DecodeUnsigned(from, at.operand(0).bits));
    }
    if (at.got.bits == EncodeFloat(at.type, DecodeFloat(middle, bits))) return true;
  }
  return false;
}

bool HasNonFinitePart(ElementType complex_type, Element z) {
  const ElementType part = Info(complex_type).component;
  return !std::isfinite(DecodeFloat(part, z.bits)) || !std::isfinite(DecodeFloat(part, z.imag));
}

bool IsComplexZero(ElementType complex_type, Element z) {
  const ElementType part = Info(complex_type).component;
  return IsZero(part, z.bits) && IsZero(part, z.imag);
}

bool IsNonFiniteProduct(const Place& at) {
  if (HasNonFinitePart(at.type, at.operand(0)) || HasNonFinitePart(at.type, at.operand(1))) {
    return true;
  }
  return at.instruction.opcode() == Opcode::kDivide && IsComplexZero(at.type, at.operand(1)) &&
         HasNonFinitePart(at.type, at.got);
}

bool IsComplexPowerOfZero(const Place& at) {
  if (!IsComplexZero(at.type, at.operand(0))) return false;
  const ElementType part = Info(at.type).component;
  const Element w = at.operand(1);
  return !(DecodeFloat(part, w.bits) > 0 && IsZero(part, w.imag));
}

// Functions of a NaN part or of two infinite parts may be NaN where C99 knows more.
bool IsComplexSpecial(const Place& at) {
  const ElementType part = Info(at.operand_type(0)).component;
  const Element z = at.operand(0);
  const bool nan = IsNan(part, z.bits) || IsNan(part, z.imag);
  const bool both = IsInfinity(part, z.bits) && IsInfinity(part, z.imag);
  return (nan || both) && IsNan(part, at.got.bits) &&
         (at.instruction.opcode() == Opcode::kAbs || IsNan(part, at.got.imag));
}

// The sign of what has a part that is not finite may be anything with a NaN part.
bool IsComplexSign(const Place& at) {
  const ElementType part = Info(at.type).component;
  return HasNonFinitePart(at.type, at.operand(0)) &&
         (IsNan(part, at.got.bits) || IsNan(part, at.got.imag));
}

// 2^-127 counts as zero in f32, which the type does not have.
bool IsLeastScaleLost(const Place& at) {
  if (at.type != ElementType::kF8E8M0FNU || !MayFlush(at.instruction) ||
      !IsNan(ElementType::kF8E8M0FNU, at.got.bits)) {
    return false;
  }
  if (at.wanted.bits == 0) return true;
  for (size_t k = 0; k < at.operands.size(); ++k) {
    if (at.operand_type(k) == at.type && at.operand(k).bits == 0) return true;
  }
  return false;
}

std::optional<DecisionPoint> If(bool admitted, DecisionPoint point) {
  return admitted ? std::optional<DecisionPoint>(point) : std::nullopt;
}

std::optional<DecisionPoint> OfComplex(const Place& at) {
  switch (at.instruction.opcode()) {
    case Opcode::kSign:
      return If(IsComplexSign(at), DecisionPoint::kComplexSign);
    case Opcode::kMultiply:
    case Opcode::kDivide:
      return If(IsNonFiniteProduct(at), DecisionPoint::kComplexNonFinite);
    case Opcode::kPower:
      return If(IsComplexPowerOfZero(at), DecisionPoint::kComplexPowerOfZero);
    default:
      break;
  }
  const bool function = at.instruction.opcode() == Opcode::kAbs ||
                        at.instruction.info().accuracy == Accuracy::kFunction;
  return If(function && at.operands.size() == 1 && IsComplexSpecial(at),
            DecisionPoint::kComplexSpecial);
}

std::optional<DecisionPoint> OfConversion(const Place& at) {
  if (IsInteger(at.type) && IsFloat(at.operand_type(0))) {
    return If(IsOutOfIntegerRange(at), DecisionPoint::kFloatToInteger);
  }
  return If(IsFloat(at.type) && IsConvertedTwice(at), DecisionPoint::kConvertTwice);
}

}  // namespace

std::optional<DecisionPoint> PointThatAdmits(const Instruction& instruction,
                                             absl::Span<const Literal> operands, ElementType type,
                                             Element wanted, Element got, int64_t element) {
  if (operands.empty() || !operands[0].is_array()) return std::nullopt;
  const Place at{instruction, operands, element, type, wanted, got};
  if (IsComplex(at.operand_type(0))) return OfComplex(at);
  std::optional<DecisionPoint> point;
  switch (instruction.opcode()) {
    case Opcode::kDivide:
    case Opcode::kRemainder:
      point = If(IsInteger(type) && DividesImpossibly(at), DecisionPoint::kIntegerDivision);
      break;
    case Opcode::kPower:
      if (IsInteger(type)) {
        point = If(IsPowerOfLowExponent(at), DecisionPoint::kIntegerPower);
        if (!point) point = If(IsNegativePowerOfMinusOne(at), DecisionPoint::kIntegerPowerNegative);
      } else {
        point = If(IsPowerOfNan(at), DecisionPoint::kPowerOfNan);
      }
      break;
    case Opcode::kReducePrecision:
      point = If(IsReducedNan(at), DecisionPoint::kReducePrecisionNan);
      if (!point) point = If(IsReducedDenormal(at), DecisionPoint::kReducePrecisionDenormal);
      if (!point) point = If(IsReducedOnImage(at), DecisionPoint::kReducePrecisionImage);
      break;
    case Opcode::kConvert:
      point = OfConversion(at);
      break;
    case Opcode::kRsqrt:
      point = If(IsZero(type, at.operand(0).bits) && IsNegative(type, at.operand(0).bits) &&
                     IsInfinity(type, got.bits),
                 DecisionPoint::kRsqrtOfMinusZero);
      break;
    default:
      break;
  }
  return point ? point : If(IsLeastScaleLost(at), DecisionPoint::kLeastScale);
}

}  // namespace assay
