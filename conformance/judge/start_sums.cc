#include "conformance/judge/start_sums.h"

#include <algorithm>
#include <cmath>

namespace assay::conformance {

StartAnswer StartSums::Explain(absl::Span<const StartSum> parts) const {
  Uses uses{1, most_};
  bool any_beyond = false;
  const StartSum* telling = nullptr;  // the part that tells the number of uses best
  for (const StartSum& part : parts) {
    if (!std::isfinite(part.start) && !(part.same && !std::isfinite(part.exact))) {
      return StartAnswer::kNo;
    }
    if (IsBeyond(part) || !std::isfinite(part.exact)) {
      any_beyond = true;
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
    double more = std::nearbyint((telling->actual - telling->exact) / telling->start);
    // Roundings may take a part to what other numbers give. IsSum decides whether they do.
    if (any_beyond) more = std::clamp(more, uses.low, uses.high);
    if (more < uses.low || more > uses.high) return StartAnswer::kNo;
    uses = {more, more};
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
    // An infinite term meets an infinity of start values and finite terms.
    const bool meets = std::isnan(part.actual) && std::isinf(part.exact) &&
                       (part.start > 0) != (part.exact > 0) && part.start != 0;
    if (!meets) return Uses();
    const double error = UnitOfPartialSums() * (most_ + 1) * part.magnitudes;
    return UsesOf(std::fabs(part.start), LargestPartialSum(part) - error - part.magnitudes);
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
  return slack * (1 + more / n) + ErrorOfUses(part.start, more, unit) + UnitRoundoff(type_) * grown;
}

double StartSums::UnitOfPartialSums() const {
  const double unit = how_.partials ? std::max(how_.unit, UnitRoundoff(type_)) : how_.unit;
  return unit * how_.factor * (how_.truncating ? 2 : 1);
}

double StartSums::ErrorOfUses(double start, double more, double unit) const {
  return unit * (most_ + 1 + more) * more * std::fabs(start);
}

StartAnswer StartSums::IsSum(const StartSum& part, double more) const {
  const double residue = std::fabs(part.actual - part.exact - more * part.start);
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
