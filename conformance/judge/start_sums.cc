#include "conformance/judge/start_sums.h"

#include <algorithm>
#include <cmath>

namespace assay::conformance {
namespace {

// The unit in which differences of the numbers have no overflow: they may exceed the largest
// double.
double UnitOf(const StartSum& part) {
  return std::max(std::fabs(part.actual), std::fabs(part.exact)) > 0x1p1000 ? 4 : 1;
}

// Returns what was returned less the exact sum with `more` uses, in such units.
double DifferenceOf(const StartSum& part, double more) {
  const double unit = UnitOf(part);
  return part.actual / unit - part.exact / unit - more * (part.start / unit);
}

}  // namespace

StartAnswer StartSums::Explain(absl::Span<const StartSum> parts) const {
  Uses uses{1, most_};
  const StartSum* telling = nullptr;  // the part that tells the number of uses best
  for (const StartSum& part : parts) {
    if (!std::isfinite(part.start) && std::isfinite(part.exact)) return StartAnswer::kNo;
    if (IsBeyond(part) || !std::isfinite(part.exact)) {
      const Uses beyond = UsesBeyond(part);
      uses = {std::max(uses.low, beyond.low), std::min(uses.high, beyond.high)};
    } else if (std::isnan(part.actual)) {
      return StartAnswer::kNo;
    } else if (part.start != 0 &&
               (telling == nullptr ||
                std::fabs(part.start) * telling->slack > std::fabs(telling->start) * part.slack)) {
      telling = &part;
    }
  }
  if (!(uses.low <= uses.high)) return StartAnswer::kNo;
  if (telling != nullptr) {
    // Roundings may take a part to what other numbers give. IsSum decides whether they do.
    const double start = telling->start / UnitOf(*telling);
    const double more = std::nearbyint(DifferenceOf(*telling, 0) / start);
    uses.low = uses.high = std::clamp(more, uses.low, uses.high);
  }
  StartAnswer answer = StartAnswer::kYes;
  for (const StartSum& part : parts) {
    if (IsBeyond(part) || !std::isfinite(part.exact)) continue;
    answer = std::min(answer, IsSum(part, uses.low));
  }
  return answer;
}

// Returns the numbers that one or the other has.
StartSums::Uses StartSums::Either(const Uses& a, const Uses& b) {
  if (!(a.low <= a.high)) return b;
  if (!(b.low <= b.high)) return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

bool StartSums::IsBeyond(const StartSum& part) const {
  switch (Info(type_).format->overflow) {
    case Overflow::kInfinity:
      return !std::isfinite(part.actual);
    case Overflow::kNan:
      return std::isnan(part.actual);
    case Overflow::kSaturate:
      return std::fabs(part.actual) >= part.largest;
  }
  return false;
}

StartSums::Uses StartSums::UsesBeyond(const StartSum& part) const {
  if (!std::isfinite(part.exact)) {
    if (part.same) return {1, most_};
    if (!std::isnan(part.actual) || !std::isinf(part.exact)) return Uses();
    // An infinite term meets an infinity of finite terms, or of these and start values.
    const double error = UnitOfPartialSums() * (most_ + 1) * part.magnitudes;
    const double missing = LargestPartialSum(part) - error - part.magnitudes;
    if (missing <= 0) return {1, most_};
    const bool helps = std::isfinite(part.start) && part.start != 0 &&
                       std::signbit(part.start) != std::signbit(part.exact);
    return helps ? UsesOf(std::fabs(part.start), missing) : Uses();
  }
  if (!std::isnan(part.actual)) return UsesBeyond(part, std::copysign(1, part.actual));
  const Uses above = UsesBeyond(part, 1), below = UsesBeyond(part, -1);
  // Infinities of both signs meet in a NaN; where a NaN stands for an infinity, one is enough.
  if (Info(type_).format->overflow == Overflow::kInfinity) {
    return {std::max(above.low, below.low), std::min(above.high, below.high)};
  }
  return Either(above, below);
}

StartSums::Uses StartSums::UsesBeyond(const StartSum& part, double side) const {
  // The result, and partial sums. Start values of the other sign take the result back into the
  // range, and change no partial sum before them.
  const double terms = (part.magnitudes + side * part.exact) / 2;
  const double missing = part.largest - part.slack - side * part.exact;
  const double on_the_way = LargestPartialSum(part) - part.slack - terms;
  const double towards = side * part.start;
  if (towards > 0) return Either(UsesOf(towards, missing), UsesOf(towards, on_the_way));
  if (on_the_way <= 0 || (towards == 0 && missing <= 0)) return Uses{1, most_};
  return towards == 0 ? Uses() : Uses{1, std::min(most_, std::floor(missing / towards))};
}

double StartSums::LargestPartialSum(const StartSum& part) const {
  if (how_.partials) return part.largest;
  const double accumulated = DecodeFloat(how_.accumulator, MaxFinite(how_.accumulator));
  const double returned = DecodeFloat(type_, MaxFinite(type_));
  return part.largest * std::max(1.0, accumulated / returned);
}

StartSums::Uses StartSums::UsesOf(double start, double missing) const {
  const double more = std::min(most_, std::max(1.0, std::ceil(missing / start)));
  const double error = ErrorOfUses(start, more, UnitOfPartialSums());
  return {std::max(1.0, std::ceil((missing - error) / start)), most_};
}

double StartSums::Error(const StartSum& part, double more, double slack, double unit) const {
  const double n = most_ + 1;
  const double grown = std::max(0.0, std::fabs(part.actual) - std::fabs(part.exact));
  double further = slack * more / n;
  if (!how_.truncating) {
    // A further addition has an operand that is a sum of start values. It errs by no more than
    // that, or is flushed.
    const double most = more * std::fabs(part.start) + SmallestNormal(type_);
    further = std::min(further, more * most);
  }
  return slack + further + ErrorOfUses(part.start, more, unit) + UnitRoundoff(type_) * grown;
}

double StartSums::UnitOfPartialSums() const {
  const double unit = how_.partials ? std::max(how_.unit, UnitRoundoff(type_)) : how_.unit;
  return unit * how_.factor * (how_.truncating ? 2 : 1);
}

double StartSums::ErrorOfUses(double start, double more, double unit) const {
  return unit * (most_ + 1 + more) * more * std::fabs(start);
}

StartAnswer StartSums::IsSum(const StartSum& part, double more) const {
  const double residue = std::fabs(DifferenceOf(part, more)) * UnitOf(part);
  if (residue == 0) return StartAnswer::kYes;
  const double u_result = UnitRoundoff(type_), size = std::fabs(part.exact);
  const double u = std::min(how_.unit, u_result) * how_.factor * (how_.truncating ? 2 : 1);
  const auto answer = [](bool yes) { return yes ? StartAnswer::kYes : StartAnswer::kNo; };
  if (!how_.partials || u >= u_result) return answer(residue <= Error(part, more, part.slack, u));
  // The slack is that of partial sums in the result's type. In the accumulator it is smaller.
  const double least = part.slack * u / u_result + UlpOf(type_, size) / 2 + u_result * size;
  if (residue <= Error(part, more, least, u)) return StartAnswer::kYes;
  const double most = Error(part, more, part.slack, u_result);
  if (residue > most) return StartAnswer::kNo;
  return most < std::fabs(part.start) / 2 ? StartAnswer::kYes : StartAnswer::kVacuous;
}

}  // namespace assay::conformance
