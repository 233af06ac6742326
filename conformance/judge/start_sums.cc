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
  if (telling != nullptr) {
    const double more = std::nearbyint((telling->actual - telling->exact) / telling->start);
    // A small part does not tell.
    if (more != 0 || !any_beyond) uses = {std::max(uses.low, more), std::min(uses.high, more)};
  }
  if (!(uses.low <= uses.high)) return StartAnswer::kNo;
  StartAnswer answer = StartAnswer::kYes;
  for (const StartSum& part : parts) {
    if (IsBeyond(part) || !std::isfinite(part.exact)) continue;
    answer = std::min(answer, IsSum(part, uses.low));
  }
  return answer;
}

bool StartSums::IsBeyond(const StartSum& part) const {
  switch (Info(type_).format->overflow) {
    case Overflow::kInfinity:
      return std::isinf(part.actual);
    case Overflow::kNan:
      return std::isnan(part.actual);
    case Overflow::kSaturate:
      return std::fabs(part.actual) >= part.largest;
  }
  return false;
}

StartSums::Uses StartSums::UsesBeyond(const StartSum& part) const {
  constexpr Uses kNever{1, 0};
  const double size = std::fabs(part.start);
  if (!std::isfinite(part.exact)) {
    if (part.same) return {1, most_};
    // An infinite term meets an infinity of start values.
    const bool meets = std::isnan(part.actual) && std::isinf(part.exact) &&
                       (part.start > 0) != (part.exact > 0) && part.start != 0;
    return meets ? Uses{std::floor(part.largest / size), most_} : kNever;
  }
  // A NaN is beyond the range on the side to which the start value leads, or on that of the sum.
  const auto beyond = [&](double side) {
    const double missing = part.largest - part.slack - side * part.exact;
    if (part.start == 0) return missing <= 0 ? Uses{1, most_} : kNever;
    if (side * part.start > 0) return Uses{std::max(1.0, std::ceil(missing / size)), most_};
    return Uses{1, std::min(most_, std::floor(-missing / size))};
  };
  if (!std::isnan(part.actual)) return beyond(std::copysign(1, part.actual));
  const Uses to_start = beyond(std::copysign(1, part.start));
  return to_start.low <= to_start.high ? to_start : beyond(-std::copysign(1, part.start));
}

double StartSums::Error(const StartSum& part, double more, double slack, double unit) const {
  const double n = most_ + 1;
  const double grown = std::max(0.0, std::fabs(part.actual) - std::fabs(part.exact));
  return slack * (1 + more / n) + unit * (n + more) * more * std::fabs(part.start) +
         UnitRoundoff(type_) * grown;
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
