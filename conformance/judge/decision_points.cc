#include "conformance/judge/decision_points.h"

#include <algorithm>
#include <cmath>

#include "absl/numeric/bits.h"
#include "conformance/judge/freedoms.h"
#include "conformance/judge/gathered_elements.h"
#include "conformance/judge/rounds.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay::conformance {
namespace {

using Place = DecisionPlace;

uint64_t LowBits(ElementType type, uint64_t bits) {
  const int width = Info(type).bits;
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

double LowEnd(const PartRange& part) { return DecodeFloat(part.type, part.low); }
double HighEnd(const PartRange& part) { return DecodeFloat(part.type, part.high); }

bool IsLeastPossible(const PartRange& part) {
  return LowBits(part.type, part.low) == uint64_t{1} << (Info(part.type).bits - 1);
}

bool IsIntegerDivision(const Instruction& instruction, ElementType, ElementType result) {
  return IsInteger(result) &&
         (instruction.opcode() == Opcode::kDivide || instruction.opcode() == Opcode::kRemainder);
}
bool DividesImpossibly(const Place& at) {
  const PartRange& divisor = at.operands[1].real;
  return divisor.MayBeInteger(0) ||
         (IsSigned(at.type) && divisor.MayBeInteger(-1) && IsLeastPossible(at.operands[0].real));
}
bool GivesAnything(const Place&, Element, Element) { return true; }

bool IsIntegerPower(const Instruction& instruction, ElementType, ElementType result) {
  return IsInteger(result) && instruction.opcode() == Opcode::kPower;
}
bool HasHighExponent(const Place& at) {
  const PartRange& exponent = at.operands[1].real;
  return IsSigned(exponent.type) ? DecodeSigned(exponent.type, exponent.high) > 63
                                 : DecodeUnsigned(exponent.type, exponent.high) > 63;
}
// Returns true for the power by the low 6 bits of a nonnegative exponent.
bool IsPowerOfLowExponent(const Place& at, Element, Element got) {
  const uint64_t base = at.operands[0].real.low, exponent = at.operands[1].real.low;
  uint64_t power = 1;
  for (uint64_t k = 0; k < (exponent & 63); ++k) power *= base;
  return LowBits(at.type, got.bits) == LowBits(at.type, power);
}
bool IsNegativePowerOfMinusOne(const Place& at) {
  const PartRange& exponent = at.operands[1].real;
  return IsSigned(at.type) && DecodeSigned(exponent.type, exponent.low) < 0 &&
         at.operands[0].real.MayBeInteger(-1);
}
bool GivesZero(const Place&, Element, Element got) { return got.bits == 0; }

bool IsUnsignedPower(const Instruction& instruction, ElementType, ElementType result) {
  return IsInteger(result) && !IsSigned(result) && instruction.opcode() == Opcode::kPower;
}
// Returns true if the exponent has the top bit set, so that a target may take it for a negative
// number.
bool HasTopBit(const Place& at) {
  const PartRange& exponent = at.operands[1].real;
  return DecodeUnsigned(exponent.type, exponent.high) >> (Info(exponent.type).bits - 1) != 0;
}
bool GivesZeroOrUnit(const Place& at, Element, Element got) {
  const uint64_t bits = LowBits(at.type, got.bits);
  return bits <= 1 || bits == LowBits(at.type, ~uint64_t{0});
}

bool CountsNarrowBits(const Instruction& instruction, ElementType, ElementType result) {
  return instruction.opcode() == Opcode::kPopcnt && IsSigned(result) && Info(result).bits < 8;
}
bool MayBeNegative(const Place& at) { return DecodeSigned(at.type, at.operands[0].real.low) < 0; }
// Returns true for the count of the bits of the number sign-extended to 8 bits.
bool CountsWidened(const Place& at, Element, Element got) {
  const int own = absl::popcount(LowBits(at.type, at.operands[0].real.low));
  const auto count = static_cast<uint64_t>(own + 8 - Info(at.type).bits);
  return LowBits(at.type, got.bits) == LowBits(at.type, count);
}

bool IsLogistic(const Instruction& instruction, ElementType, ElementType result) {
  return instruction.opcode() == Opcode::kLogistic && IsFloat(result);
}
// 1 / (1 + exp(-x)) where it is computed: f16 for what is narrower, f32 for bf16.
bool ExponentialOverflows(const Place& at) {
  ElementType wide = at.type;
  if (Info(at.type).bits <= 8) wide = ElementType::kF16;
  if (at.type == ElementType::kBF16) wide = ElementType::kF32;
  return IsInfinity(wide, EncodeFloat(wide, std::exp(-LowEnd(at.operands[0].real))));
}
bool GivesPositiveZero(const Place& at, Element, Element got) {
  return IsZero(at.type, got.bits) && !IsNegative(at.type, got.bits);
}

bool IsNarrowPower(const Instruction& instruction, ElementType, ElementType result) {
  return IsFloat(result) && Info(result).bits <= 16 && instruction.opcode() == Opcode::kPower;
}
bool IsPowerOfNan(const Place& at) {
  const PartRange &base = at.operands[0].real, &exponent = at.operands[1].real;
  return (base.MayBeNan() && exponent.MayBe(0)) || (exponent.MayBeNan() && base.MayBe(1));
}
bool GivesNanForOne(const Place& at, Element wanted, Element got) {
  return IsNan(at.type, got.bits) && DecodeFloat(at.type, wanted.bits) == 1;
}

bool ReducesPrecision(const Instruction& instruction, ElementType, ElementType) {
  return instruction.opcode() == Opcode::kReducePrecision;
}
int ExponentBits(const Place& at) {
  return static_cast<int>(at.instruction.GetInt(Attr::kExponentBits));
}
int MantissaBits(const Place& at) {
  return static_cast<int>(at.instruction.GetInt(Attr::kMantissaBits));
}
int LeastExponent(const Place& at) { return 2 - (1 << std::min(ExponentBits(at) - 1, 11)); }

// A NaN without mantissa bits to keep.
bool LosesNan(const Place& at) { return MantissaBits(at) == 0 && at.operands[0].real.MayBeNan(); }
bool GivesNanOrInfinity(const Place& at, Element, Element got) {
  return IsNan(at.type, got.bits) || IsInfinity(at.type, got.bits);
}

bool ReducesDenormal(const Place& at) {
  const double normal = std::ldexp(1.0, LeastExponent(at));
  const double low = LowEnd(at.operands[0].real), high = HighEnd(at.operands[0].real);
  return low < normal && high > -normal && !(low == 0 && high == 0);
}
// Returns a value below the least normal value of the narrow format, rounded to its denormals.
std::vector<uint64_t> ReducedDenormal(const Place& at, uint64_t operand) {
  const double x = DecodeFloat(at.type, operand);
  if (!(std::fabs(x) < std::ldexp(1.0, LeastExponent(at)))) return {};
  const int quantum = LeastExponent(at) - MantissaBits(at);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -quantum)), quantum);
  return {EncodeFloat(at.type, std::copysign(rounded, x))};
}

bool ReducesNarrow(const Instruction& instruction, ElementType, ElementType result) {
  return instruction.opcode() == Opcode::kReducePrecision && Info(result).bits <= 16;
}
// Widened, reduced there, converted back.
std::vector<uint64_t> ReducedOnImage(const Place& at, uint64_t operand) {
  std::vector<uint64_t> values;
  const double x = DecodeFloat(at.type, operand);
  for (const ElementType image : {ElementType::kF16, ElementType::kF32}) {
    const uint64_t widened = EncodeFloat(image, x);
    if (DecodeFloat(image, widened) != x) continue;
    const Element reduced =
        evaluator::ReducePrecision(image, Element{widened}, ExponentBits(at), MantissaBits(at));
    values.push_back(EncodeFloat(at.type, DecodeFloat(image, reduced.bits)));
  }
  return values;
}

bool ConvertsToInteger(const Instruction& instruction, ElementType operand, ElementType result) {
  return instruction.opcode() == Opcode::kConvert && IsInteger(result) && IsFloat(operand);
}
bool LeavesIntegerRange(const Place& at) {
  const PartRange& operand = at.operands[0].real;
  if (operand.MayBeNan()) return true;
  const int bits = Info(at.type).bits;
  const bool negative = IsSigned(at.type);
  const double top = std::ldexp(1.0, negative ? bits - 1 : bits);
  return !(std::trunc(HighEnd(operand)) < top &&
           std::trunc(LowEnd(operand)) >= (negative ? -top : 0));
}

bool ConvertsToNarrow(const Instruction& instruction, ElementType operand, ElementType result) {
  return instruction.opcode() == Opcode::kConvert && IsFloat(result) && Info(result).bits <= 16 &&
         (IsInteger(operand) || operand == ElementType::kF64);
}
// Rounded to f32 or f16 on the way.
std::vector<uint64_t> ConvertedTwice(const Place& at, uint64_t operand) {
  const ElementType from = at.operands[0].type;
  std::vector<uint64_t> values;
  for (const ElementType middle : {ElementType::kF32, ElementType::kF16}) {
    const uint64_t bits =
        from == ElementType::kF64 ? EncodeFloat(middle, DecodeFloat(from, operand))
        : IsSigned(from)          ? EncodeFloatFromSigned(middle, DecodeSigned(from, operand))
                                  : EncodeFloatFromUnsigned(middle, DecodeUnsigned(from, operand));
    values.push_back(EncodeFloat(at.type, DecodeFloat(middle, bits)));
  }
  return values;
}

// Decision C-1: the pattern of -0 is NaN.
bool ComparesWithoutNegativeZero(const Instruction& instruction, ElementType operand, ElementType) {
  return instruction.opcode() == Opcode::kCompare && IsFloat(operand) &&
         Info(operand).format->nan == NanEncoding::kNegativeZero &&
         instruction.FindInt(Attr::kComparisonType) ==
             static_cast<int64_t>(ComparisonType::kTotalOrder);
}
bool ComparesNan(const Place& at) {
  return at.operands[0].real.MayBeNan() || at.operands[1].real.MayBeNan();
}
// NaN above all numbers.
bool IsComparisonOfGreatestNan(const Place& at, Element, Element got) {
  const auto rank = [](const PartRange& part) {
    return part.MayBeNan() ? HUGE_VAL : DecodeFloat(part.type, part.low);
  };
  const double a = rank(at.operands[0].real), b = rank(at.operands[1].real);
  switch (at.instruction.GetEnum<ComparisonDirection>(Attr::kDirection)) {
    case ComparisonDirection::kEq:
      return got.bits == (a == b);
    case ComparisonDirection::kNe:
      return got.bits == (a != b);
    case ComparisonDirection::kLt:
      return got.bits == (a < b);
    case ComparisonDirection::kLe:
      return got.bits == (a <= b);
    case ComparisonDirection::kGt:
      return got.bits == (a > b);
    case ComparisonDirection::kGe:
      return got.bits == (a >= b);
  }
  return false;
}

bool RoundsToInteger(const Instruction& instruction, ElementType, ElementType result) {
  switch (instruction.opcode()) {
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
      return IsFloat(result) && Info(result).bits <= 8;
    default:
      return false;
  }
}
// The integer lies beyond the largest number.
bool RoundsBeyondLargest(const Place& at, double x) {
  const bool away = at.instruction.opcode() == Opcode::kCeil    ? x > 0
                    : at.instruction.opcode() == Opcode::kFloor ? x < 0
                                                                : true;
  return away && std::isfinite(x) &&
         std::ceil(std::fabs(x)) > DecodeFloat(at.type, MaxFinite(at.type));
}
bool MayRoundBeyondLargest(const Place& at) {
  return RoundsBeyondLargest(at, LowEnd(at.operands[0].real)) ||
         RoundsBeyondLargest(at, HighEnd(at.operands[0].real));
}
std::vector<uint64_t> LargestOfSign(const Place& at, uint64_t operand) {
  const double x = DecodeFloat(at.type, operand);
  if (!RoundsBeyondLargest(at, x)) return {};
  return {EncodeFloat(at.type, std::copysign(DecodeFloat(at.type, MaxFinite(at.type)), x))};
}

bool ConvertsToTypeWithoutNan(const Instruction& instruction, ElementType operand,
                              ElementType result) {
  return instruction.opcode() == Opcode::kConvert && IsFloat(operand) && IsFloat(result) &&
         !Info(result).format->has_nan();
}
bool ConvertsNan(const Place& at) { return at.operands[0].real.MayBeNan(); }

// The even one of two codes in the middle between which a number lies. What is a little above the
// least value is rounded up by golden, and to nearest by others.
std::vector<uint64_t> EvenScale(double x) {
  constexpr int kBias = 127;
  if (!(x > 0) || !std::isfinite(x)) return {};
  int exponent = 0;
  const double significand = 2 * std::frexp(x, &exponent);  // 1 <= significand < 2
  const int code = exponent - 1 + kBias;
  if (code == 0 && significand > 1 && significand <= 1.5) return {0};
  if (significand != 1.5 || code < 0 || code > 253) return {};
  return {static_cast<uint64_t>(code + (code & 1))};
}
double NumberOf(ElementType type, uint64_t bits) {
  if (IsFloat(type)) return DecodeFloat(type, bits);
  return IsSigned(type) ? static_cast<double>(DecodeSigned(type, bits))
                        : static_cast<double>(DecodeUnsigned(type, bits));
}
std::vector<uint64_t> ConvertedToEvenScale(const Place& at, uint64_t operand) {
  const ElementType from = at.operands[0].type;
  if (IsInteger(from)) {
    // This is not a tie, although the nearest double is one.
    const uint64_t bits = LowBits(from, operand);
    if (bits != 0 && absl::bit_width(bits) - absl::countr_zero(bits) > 53) return {};
  }
  return EvenScale(NumberOf(at.operands[0].type, operand));
}

bool AddsScales(const Instruction& instruction, ElementType, ElementType result) {
  return result == ElementType::kF8E8M0FNU &&
         (instruction.opcode() == Opcode::kAdd || instruction.opcode() == Opcode::kSubtract);
}
std::vector<uint64_t> EvenScaleOfSum(const Place& at) {
  const double a = LowEnd(at.operands[0].real), b = LowEnd(at.operands[1].real);
  return EvenScale(at.instruction.opcode() == Opcode::kAdd ? a + b : a - b);
}
bool MayAddUpToTie(const Place& at) {
  const bool known = std::all_of(
      at.operands.begin(), at.operands.end(),
      [](const ElementRange& operand) { return operand.real.low == operand.real.high; });
  return !known || !EvenScaleOfSum(at).empty();
}
bool IsEvenScaleOfSum(const Place& at, Element, Element got) {
  return EvenScaleOfSum(at).front() == got.bits;
}

bool ReducesWithoutInfinity(const Instruction& instruction, ElementType, ElementType result) {
  return instruction.opcode() == Opcode::kReducePrecision && IsFloat(result) &&
         !Info(result).format->has_infinity;
}
// Returns true from the midpoint between the largest number of the narrow format and the next
// number on.
bool ReductionOverflows(const Place& at) {
  const double from = std::ldexp(2 - std::ldexp(1.0, -MantissaBits(at) - 1), 1 - LeastExponent(at));
  return HighEnd(at.operands[0].real) >= from || LowEnd(at.operands[0].real) <= -from;
}

bool IsRsqrt(const Instruction& instruction, ElementType, ElementType result) {
  return instruction.opcode() == Opcode::kRsqrt && IsFloat(result);
}
bool MayBeMinusZero(const Place& at) {
  const PartRange& x = at.operands[0].real;
  return x.MayBe(0) && IsNegative(x.type, x.low);
}
// Returns true for an infinity of either sign or, in types without infinities, for the result of an
// overflow.
bool GivesInfinity(const Place& at, Element, Element got) {
  return got.bits == EncodeFloat(at.type, HUGE_VAL) || got.bits == EncodeFloat(at.type, -HUGE_VAL);
}

bool HasNonFinitePart(ElementType complex_type, Element z) {
  return ElementRange::Of(complex_type, z).MayBeNonFinite();
}
bool MultipliesComplex(const Instruction& instruction, ElementType operand, ElementType) {
  return IsComplex(operand) &&
         (instruction.opcode() == Opcode::kMultiply || instruction.opcode() == Opcode::kDivide);
}
// The greatest and the least magnitude of the parts of a complex number.
double Greatest(const ElementRange& z) {
  double greatest = 0;
  for (const PartRange& part : {z.real, z.imag}) {
    greatest = std::max({greatest, std::fabs(LowEnd(part)), std::fabs(HighEnd(part))});
  }
  return greatest;
}
double Least(const ElementRange& z) {
  double least = 0;
  for (const PartRange& part : {z.real, z.imag}) {
    const double low = LowEnd(part), high = HighEnd(part);
    least = std::max(least, low > 0 ? low : high < 0 ? -high : 0);
  }
  return least;
}
bool MayOverflow(const Place& at) {
  const double largest = DecodeFloat(Info(at.type).component, MaxFinite(Info(at.type).component));
  const double a = Greatest(at.operands[0]);
  return at.instruction.opcode() == Opcode::kMultiply
             ? !(2 * a * Greatest(at.operands[1]) <= largest)
             : !(2 * a / Least(at.operands[1]) <= largest);
}
bool IsNonFiniteProduct(const Place& at) {
  return at.operands[0].MayBeNonFinite() || at.operands[1].MayBeNonFinite() ||
         (at.instruction.opcode() == Opcode::kDivide && at.operands[1].MayBeZero()) ||
         MayOverflow(at);
}
// A quotient by zero and an overflow must not become finite.
bool GivesNonFiniteProduct(const Place& at, Element wanted, Element got) {
  if (at.operands[0].MayBeNonFinite() || at.operands[1].MayBeNonFinite()) return true;
  const bool divides_by_zero =
      at.instruction.opcode() == Opcode::kDivide && at.operands[1].MayBeZero();
  return (divides_by_zero || HasNonFinitePart(at.type, wanted)) && HasNonFinitePart(at.type, got);
}

bool IsComplexPower(const Instruction& instruction, ElementType operand, ElementType) {
  return IsComplex(operand) && instruction.opcode() == Opcode::kPower;
}
bool IsComplexPowerOfZero(const Place& at) {
  const ElementRange& exponent = at.operands[1];
  const bool positive = LowEnd(exponent.real) > 0 && !exponent.real.nan &&
                        LowEnd(exponent.imag) == 0 && HighEnd(exponent.imag) == 0;
  return at.operands[0].MayBeZero() && !positive;
}

bool IsComplexFunction(const Instruction& instruction, ElementType operand, ElementType) {
  return IsComplex(operand) && instruction.operand_count() == 1 &&
         instruction.opcode() != Opcode::kSign &&
         instruction.info().accuracy == Accuracy::kFunction;
}
// Returns true for a NaN part and for two infinite parts, for which C99 defines more than
// StableHLO.
bool IsComplexSpecial(const Place& at) {
  const ElementRange& z = at.operands[0];
  return z.real.MayBeNan() || z.imag.MayBeNan() ||
         (z.real.MayBeInfinite() && z.imag.MayBeInfinite());
}
bool GivesNan(const Place& at, Element, Element got) {
  const ElementType part = Info(at.type).component;
  return IsNan(part, got.bits) && (!IsComplex(at.type) || IsNan(part, got.imag));
}

// IEEE 754's hypot is infinite if a part is infinite, whatever the other.
bool IsComplexModulus(const Instruction& instruction, ElementType operand, ElementType) {
  return IsComplex(operand) && instruction.opcode() == Opcode::kAbs;
}
bool HasInfinityAndNan(const Place& at) {
  const ElementRange& z = at.operands[0];
  return (z.real.MayBeInfinite() && z.imag.MayBeNan()) ||
         (z.real.MayBeNan() && z.imag.MayBeInfinite());
}

bool IsComplexSign(const Instruction& instruction, ElementType operand, ElementType) {
  return IsComplex(operand) && instruction.opcode() == Opcode::kSign;
}
bool IsNonFinite(const Place& at) { return at.operands[0].MayBeNonFinite(); }
bool GivesNanPart(const Place& at, Element, Element got) {
  const ElementType part = Info(at.type).component;
  return IsNan(part, got.bits) || IsNan(part, got.imag);
}

// 2^-127 counts as zero in f32, which the type does not have.
constexpr ElementType kScale = ElementType::kF8E8M0FNU;
bool ComputesScales(const Instruction& instruction, ElementType operand, ElementType result) {
  return (operand == kScale || result == kScale) && MayFlush(instruction);
}
bool HasLeastScale(const Place& at) {
  return std::any_of(at.operands.begin(), at.operands.end(), [](const ElementRange& operand) {
    return operand.type == kScale && operand.real.low == 0;
  });
}
bool MayMeetLeastScale(const Place& at) { return at.type == kScale || HasLeastScale(at); }
bool LosesLeastScale(const Place& at, Element wanted, Element got) {
  if (at.type == ElementType::kPred && at.instruction.opcode() == Opcode::kConvert) {
    return HasLeastScale(at) && got.bits == 0;
  }
  return at.type == kScale && IsNan(kScale, got.bits) && (wanted.bits == 0 || HasLeastScale(at));
}

bool ConvertsToScale(const Instruction& instruction, ElementType, ElementType result) {
  return instruction.opcode() == Opcode::kConvert && result == kScale;
}
bool ConvertsZero(const Place& at) {
  const PartRange& operand = at.operands[0].real;
  return IsFloat(operand.type) ? operand.MayBe(0) : operand.MayBeInteger(0);
}
// The type has no zero.
bool GivesNanOrLeast(const Place&, Element, Element got) {
  return IsNan(kScale, got.bits) || got.bits == 0;
}

constexpr DecisionRule kRules[] = {
    {DecisionPoint::kIntegerDivision, IsIntegerDivision, DividesImpossibly, GivesAnything, nullptr},
    {DecisionPoint::kIntegerPower, IsIntegerPower, HasHighExponent, IsPowerOfLowExponent, nullptr},
    {DecisionPoint::kIntegerPowerNegative, IsIntegerPower, IsNegativePowerOfMinusOne, GivesZero,
     nullptr},
    {DecisionPoint::kIntegerPowerTopBit, IsUnsignedPower, HasTopBit, GivesZeroOrUnit, nullptr},
    {DecisionPoint::kPopulationCount, CountsNarrowBits, MayBeNegative, CountsWidened, nullptr},
    {DecisionPoint::kLogistic, IsLogistic, ExponentialOverflows, GivesPositiveZero, nullptr},
    {DecisionPoint::kPowerOfNan, IsNarrowPower, IsPowerOfNan, GivesNanForOne, nullptr},
    {DecisionPoint::kReducePrecisionNan, ReducesPrecision, LosesNan, GivesNanOrInfinity, nullptr},
    {DecisionPoint::kReducePrecisionDenormal, ReducesPrecision, ReducesDenormal, nullptr,
     ReducedDenormal},
    {DecisionPoint::kReducePrecisionImage, ReducesNarrow, nullptr, nullptr, ReducedOnImage},
    {DecisionPoint::kFloatToInteger, ConvertsToInteger, LeavesIntegerRange, GivesAnything, nullptr},
    {DecisionPoint::kZeroScale, ConvertsToScale, ConvertsZero, GivesNanOrLeast, nullptr},
    {DecisionPoint::kConvertTwice, ConvertsToNarrow, nullptr, nullptr, ConvertedTwice},
    {DecisionPoint::kRsqrtOfMinusZero, IsRsqrt, MayBeMinusZero, GivesInfinity, nullptr},
    {DecisionPoint::kComplexNonFinite, MultipliesComplex, IsNonFiniteProduct, GivesNonFiniteProduct,
     nullptr},
    {DecisionPoint::kComplexPowerOfZero, IsComplexPower, IsComplexPowerOfZero, GivesAnything,
     nullptr},
    {DecisionPoint::kComplexSpecial, IsComplexFunction, IsComplexSpecial, GivesNan, nullptr},
    {DecisionPoint::kComplexModulus, IsComplexModulus, HasInfinityAndNan, GivesNan, nullptr},
    {DecisionPoint::kComplexSign, IsComplexSign, IsNonFinite, GivesNanPart, nullptr},
    {DecisionPoint::kTotalOrderOfNan, ComparesWithoutNegativeZero, ComparesNan,
     IsComparisonOfGreatestNan, nullptr},
    {DecisionPoint::kRoundToLargest, RoundsToInteger, MayRoundBeyondLargest, nullptr,
     LargestOfSign},
    {DecisionPoint::kNanWithoutEncoding, ConvertsToTypeWithoutNan, ConvertsNan, GivesAnything,
     nullptr},
    {DecisionPoint::kScaleTies, ConvertsToScale, nullptr, nullptr, ConvertedToEvenScale},
    {DecisionPoint::kScaleTies, AddsScales, MayAddUpToTie, IsEvenScaleOfSum, nullptr},
    {DecisionPoint::kReducePrecisionOverflow, ReducesWithoutInfinity, ReductionOverflows,
     GivesAnything, nullptr},
    {DecisionPoint::kLeastScale, ComputesScales, MayMeetLeastScale, LosesLeastScale, nullptr},
};

bool Gives(const DecisionRule& rule, const Place& at, Element wanted, Element got) {
  if (rule.open != nullptr && !rule.open(at)) return false;
  if (rule.readings == nullptr) return rule.gives(at, wanted, got);
  const std::vector<uint64_t> readings = rule.readings(at, at.operands[0].real.low);
  return std::find(readings.begin(), readings.end(), got.bits) != readings.end();
}

}  // namespace

bool PartRange::MayBeNan() const { return nan || (IsFloat(type) && IsNan(type, low)); }

bool PartRange::MayBeInfinite() const {
  return IsFloat(type) && (IsInfinity(type, low) || IsInfinity(type, high));
}

bool PartRange::MayBe(double value) const {
  return LowEnd(*this) <= value && value <= HighEnd(*this);
}

bool PartRange::MayBeInteger(int64_t value) const {
  if (IsSigned(type)) return DecodeSigned(type, low) <= value && value <= DecodeSigned(type, high);
  const auto unsigned_value = static_cast<uint64_t>(value);
  return value >= 0 && DecodeUnsigned(type, low) <= unsigned_value &&
         unsigned_value <= DecodeUnsigned(type, high);
}

ElementRange ElementRange::Of(ElementType type, Element low, Element high) {
  const ElementType part = Info(type).component;
  return {type, {part, low.bits, high.bits}, {part, low.imag, high.imag}};
}

bool ElementRange::MayBeNonFinite() const {
  return real.MayBeNonFinite() || (IsComplex(type) && imag.MayBeNonFinite());
}

bool ElementRange::MayBeZero() const {
  return real.MayBe(0) && (!IsComplex(type) || imag.MayBe(0));
}

absl::Span<const DecisionRule> DecisionRules() { return kRules; }

std::optional<DecisionPoint> PointThatGives(const Instruction& instruction,
                                            absl::Span<const Literal> operands, ElementType type,
                                            Element wanted, Element got, int64_t element,
                                            const TargetProfile& profile) {
  if (operands.empty() || !operands[0].is_array()) return std::nullopt;
  std::vector<ElementRange> ranges;
  for (const Literal& operand : operands) {
    ranges.push_back(ElementRange::Of(operand.element_type(), OperandElement(operand, element)));
  }
  const DecisionPlace at{instruction, type, ranges};
  std::optional<DecisionPoint> first, deviation;
  for (const DecisionRule& rule : kRules) {
    if (!rule.concerns(instruction, ranges[0].type, type) || !Gives(rule, at, wanted, got))
      continue;
    const bool known = profile.KnownDeviation(rule.point) != nullptr;
    if (profile.Admits(rule.point) && !known) return rule.point;
    if (known && !deviation) deviation = rule.point;
    if (!first) first = rule.point;
  }
  return deviation ? deviation : first;
}

}  // namespace assay::conformance
