#include "conformance/judge/element_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/judge/rounds.h"
#include "spec/elementwise_info.h"

namespace assay::conformance {
namespace {

using Answer = Measure::Answer;

// The exact value is known to 53 bits.
constexpr double kSlack = 0x1p-52;
constexpr double kMost = std::numeric_limits<double>::max();

// HIGHEST asks for level B, or better where the profile is.
UlpBudget Tighter(UlpBudget a, const UlpBudget& b) {
  a.ulps = std::min(a.ulps, b.ulps);
  a.absolute = std::min(a.absolute, b.absolute);
  return a;
}

const TargetProfile& LevelB() {
  static const TargetProfile* const profile =
      new TargetProfile(*TargetProfile::Find("level-b"));  // built in: it is there
  return *profile;
}

Measure Decide(double distance, double bound, double slack) {
  return {distance <= bound + slack ? Answer::kInside : Answer::kOutside, bound, distance};
}

}  // namespace

ElementRule::ElementRule(const Instruction& instruction, ElementType result,
                         const TargetProfile& profile)
    : opcode_(instruction.opcode()),
      type_(result),
      part_(IsComplex(result) ? Info(result).component : result),
      narrow_(IsFloat(result) && Info(result).bits <= 8),
      of_complex_(instruction.operand_count() > 0 && instruction.operand(0)->shape().is_array() &&
                  IsComplex(instruction.operand(0)->shape().element_type())),
      rounds_(Rounds(instruction, result)) {
  if (!IsRounded(result)) return;
  // abs of complex has a real result but a complex function's budget.
  const ElementType type = of_complex_ ? instruction.operand(0)->shape().element_type() : result;
  budget_ = profile.FindBudget(opcode_, type);
  // Each part of a complex product adds two real products, and either may count as zero.
  if (opcode_ == Opcode::kMultiply && IsComplex(result) && profile.MayFlushResults(part_)) {
    budget_.absolute = std::max(budget_.absolute, 2 * SmallestNormal(part_));
  }
  const auto* accuracy = instruction.attributes().Get<ResultAccuracy>(Attr::kResultAccuracy);
  if (accuracy == nullptr) return;
  if (accuracy->mode == ResultAccuracy::Mode::kTolerance) tolerance_ = *accuracy;
  if (accuracy->mode == ResultAccuracy::Mode::kHighest) {
    budget_ = Tighter(budget_, LevelB().FindBudget(opcode_, type));
  }
}

std::string ElementRule::text() const {
  if (tolerance_) return "result_accuracy";
  if (strict()) return rounds_ ? "correctly rounded" : "exact";
  return absl::StrCat(budget_.ulps, " ulp", narrow_ ? " of f16, rounded" : "",
                      budget_.absolute > 0 ? absl::StrCat(" + ", budget_.absolute) : "");
}

double ElementRule::BoundAt(double magnitude) const {
  if (tolerance_) {
    const double epsilon = 2 * UnitRoundoff(part_);
    const double relative =
        std::max(tolerance_->rtol, static_cast<double>(tolerance_->ulps) * epsilon);
    return std::max(magnitude * relative, tolerance_->atol);
  }
  return budget_.ulps * UlpOf(part_, magnitude) + budget_.absolute;
}

Measure ElementRule::Test(Element golden, Element actual, const ExactValue& exact,
                          bool overflows) const {
  if (!IsRounded(type_) || strict()) return {};
  if (IsComplex(type_)) return TestComplex(golden, actual, exact, overflows);
  const std::optional<double> real = exact ? std::optional<double>(exact->real()) : std::nullopt;
  return narrow_ ? TestNarrow(actual.bits, real) : TestReal(golden.bits, actual.bits, real);
}

Measure ElementRule::TestReal(uint64_t golden, uint64_t actual,
                              const std::optional<double>& exact) const {
  if (IsNan(part_, golden) || IsNan(part_, actual)) return {};
  const double g = DecodeFloat(part_, golden), a = DecodeFloat(part_, actual);
  // An infinity stands for the first power of two that is none of the type's values.
  const double beyond = std::ldexp(1.0, std::min(1023, Info(part_).format->max_exponent() + 1));
  const auto placed = [beyond](double value) {
    return std::isinf(value) ? std::copysign(beyond, value) : value;
  };
  if (exact) {
    const double f = std::fabs(*exact);
    if (!std::isfinite(f) || (std::isinf(a) && f < beyond / 2)) return {};
    return Decide(std::fabs(placed(a) - *exact), *exact == 0 && !tolerance_ ? 0 : BoundAt(f),
                  f * kSlack);
  }
  const double half = UlpOf(part_, g) / 2;
  const double low = BoundAt(std::max(0.0, std::fabs(g) - half)),
               high = BoundAt(std::fabs(g) + half);
  if (std::isinf(g) || std::isinf(a)) {
    // It is unknown how far the exact value exceeds the largest one.
    const double top = DecodeFloat(part_, MaxFinite(part_));
    const bool near = std::isinf(g) != std::isinf(a) && std::signbit(g) == std::signbit(a) &&
                      top - std::fabs(std::isinf(g) ? a : g) <= BoundAt(top) + half;
    return {near ? Answer::kUnknown : Answer::kOutside, high, kInfinity};
  }
  const double distance = std::fabs(a - g);
  if (distance + half <= low) return {Answer::kInside, low, distance + half};
  if (distance - half > high) return {Answer::kOutside, high, distance - half};
  return {Answer::kUnknown, high + half, distance};
}

// accuracy_requirements.md 3, "8-bit and smaller types": computed in f16, then rounded.
Measure ElementRule::TestNarrow(uint64_t actual, const std::optional<double>& exact) const {
  if (!exact) return {Answer::kUnknown, 0, 0};
  const double f = *exact;
  if (!std::isfinite(f)) return {};
  const ElementType wide = std::fabs(f) <= 65504 ? ElementType::kF16 : ElementType::kBF16;
  const double reach =
      tolerance_ ? BoundAt(std::fabs(f)) : budget_.ulps * UlpOf(wide, f) + budget_.absolute;
  const uint64_t low = EncodeFloat(type_, f - reach), high = EncodeFloat(type_, f + reach);
  const double distance = std::fabs(DecodeFloat(type_, actual) - f);
  bool inside;
  if (IsNan(type_, actual)) {
    inside = IsNan(type_, low) || IsNan(type_, high);  // the overflow code of some types
  } else {
    inside = (IsNan(type_, low) || FloatOrdinal(type_, low) <= FloatOrdinal(type_, actual)) &&
             (IsNan(type_, high) || FloatOrdinal(type_, actual) <= FloatOrdinal(type_, high));
  }
  return {inside ? Answer::kInside : Answer::kOutside, reach, distance};
}

Measure ElementRule::TestComplex(Element golden, Element actual, const ExactValue& exact,
                                 bool overflows) const {
  const bool known = exact && std::isfinite(exact->real()) && std::isfinite(exact->imag());
  const double top = DecodeFloat(part_, MaxFinite(part_));
  const int next = Info(part_).format->max_exponent() + 1;  // of the first power beyond the range
  double wanted[2], distances[2];
  bool beyond = false, near_top = false;
  for (const int p : {0, 1}) {
    const uint64_t bits = p == 0 ? golden.bits : golden.imag;
    const uint64_t got = p == 0 ? actual.bits : actual.imag;
    const double x = DecodeFloat(part_, bits), y = DecodeFloat(part_, got);
    const double value = known ? (p == 0 ? exact->real() : exact->imag()) : x;
    wanted[p] = value;
    distances[p] = y - value;
    if (std::isfinite(x) && std::isfinite(y)) continue;
    if (bits != got && !(std::isnan(x) && std::isnan(y))) {
      // An infinity may stand for a number that is just beyond the range.
      const bool one_side = !std::isnan(x) && !std::isnan(y) && std::signbit(x) == std::signbit(y);
      const double inside = std::isinf(x) ? std::fabs(y) : std::fabs(x);
      if (!overflows || !one_side || inside < top - BoundAt(top) - UlpOf(part_, top)) return {};
      near_top = true;
    }
    beyond = beyond || std::isinf(x) || std::isinf(y);
    if (known && std::isinf(y)) {
      distances[p] = bits == got ? 0 : std::copysign(std::ldexp(1.0, next), y) - value;
    } else if (!known) {
      wanted[p] = distances[p] = 0;
    }
  }
  // A modulus beyond the range has the ulp of the largest numbers.
  const double size = overflows && beyond ? top : std::min(std::hypot(wanted[0], wanted[1]), kMost);
  const double distance = std::hypot(distances[0], distances[1]);
  if (near_top && !known) {
    const bool near = distance <= BoundAt(size);
    return {near ? Answer::kUnknown : Answer::kOutside, BoundAt(size), kInfinity};
  }
  if (known) {
    // The modulus is rounded: it may be a power of two.
    const double most = std::min(size * (1 + 2 * kSlack), kMost);
    return Decide(distance, BoundAt(most), size * (2 * kSlack));
  }
  // Each part of the golden value is within half an ulp of it.
  const double half = UlpOf(part_, size) * 0.71;
  const double low = BoundAt(std::max(0.0, size - half)), high = BoundAt(size + half);
  if (distance + half <= low) return {Answer::kInside, low, distance + half};
  if (distance - half > high) return {Answer::kOutside, high, distance - half};
  return {Answer::kUnknown, high + half, distance};
}

bool ElementRule::OutOfRange(Element actual) const {
  if (of_complex_ || !IsFloat(type_) || IsNan(type_, actual.bits)) return false;
  const double a = DecodeFloat(type_, actual.bits);
  const FunctionRange range = RangeOf(opcode_, type_);
  return a < range.low || a > range.high;
}

FunctionRange RangeOf(Opcode opcode, ElementType type) {
  const ElementwiseInfo* row = FindElementwise(opcode);
  if (row == nullptr) return {};
  FunctionRange range{row->range.low, row->range.high};
  // An irrational bound may be rounded away from the range.
  if (range.low != std::floor(range.low)) range.low -= UlpOf(type, range.low);
  if (range.high != std::floor(range.high)) range.high += UlpOf(type, range.high);
  return range;
}

bool IsInfiniteByOverflow(Opcode opcode, ElementType type, absl::Span<const Element> operands) {
  const ElementType part = Info(type).component;
  const auto finite = [part](uint64_t bits) {
    return !IsNan(part, bits) && !IsInfinity(part, bits);
  };
  const auto zero = [part](const Element& each) {
    return IsZero(part, each.bits) && IsZero(part, each.imag);
  };
  for (const Element& each : operands) {
    if (!finite(each.bits) || !finite(each.imag)) return false;
  }
  switch (opcode) {
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kRsqrt:
      return false;
    case Opcode::kDivide:
      return !zero(operands[1]);
    case Opcode::kPower:
      return !zero(operands[0]);
    default:
      return true;
  }
}

bool IsSpecialPoint(Opcode opcode, double x) {
  const ElementwiseInfo* row = FindElementwise(opcode);
  if (row == nullptr) return false;
  switch (row->special_points) {
    case SpecialPoints::kNowhere:
      return false;
    case SpecialPoints::kAtZero:
      return x == 0;
    case SpecialPoints::kAtOne:
      return x == 1;
    case SpecialPoints::kAtZeroAndOne:
      return x == 0 || x == 1;
  }
  return false;
}

}  // namespace assay::conformance
