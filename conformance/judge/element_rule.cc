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

Measure ElementRule::Test(Element golden, Element actual, const ExactValue& exact) const {
  if (!IsRounded(type_) || strict()) return {};
  if (IsComplex(type_)) return TestComplex(golden, actual, exact);
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

Measure ElementRule::TestComplex(Element golden, Element actual, const ExactValue& exact) const {
  std::complex<double> g, a;
  bool finite = true;
  const auto part = [&](uint64_t wanted, uint64_t got) {
    const double x = DecodeFloat(part_, wanted), y = DecodeFloat(part_, got);
    const bool same = wanted == got || (std::isnan(x) && std::isnan(y));
    if (same && !std::isfinite(x)) return std::make_pair(0.0, 0.0);  // no distance
    finite = finite && std::isfinite(x) && std::isfinite(y);
    return std::make_pair(x, y);
  };
  const auto real = part(golden.bits, actual.bits), imag = part(golden.imag, actual.imag);
  if (!finite) return {};
  const bool known = exact && std::isfinite(exact->real()) && std::isfinite(exact->imag());
  g = known ? *exact : std::complex<double>(real.first, imag.first);
  a = {real.second, imag.second};
  // The modulus of parts that are nearly the largest doubles overflows: its ulp is that of these.
  const double size = std::min(std::abs(g), std::numeric_limits<double>::max());
  const double distance = std::abs(a - g);
  if (known) return Decide(distance, BoundAt(size), size * (2 * kSlack));
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
