#include "evaluator/real/running_sum.h"

#include <bit>

#include "spec/element/element.h"

namespace assay::evaluator {

void RunningSum::AddExactly(double term) {
  if (exact_ == nullptr) exact_ = std::make_unique<ExactSum>();
  exact_->Add(term);
}

void RunningSum::AddBeyondDoubles(double term) {
  AddExactly(high_);
  AddExactly(low_);
  AddExactly(term);
  only_exact_ = true;
}

uint64_t RunningSum::RoundExactly(ElementType type) const {
  ExactSum sum;
  if (exact_ != nullptr) sum = *exact_;
  sum.Add(high_);
  sum.Add(low_);
  return sum.Round(type);
}

uint64_t RunningSum::Round(ElementType type) const {
  if (only_exact_) return exact_->Round(type);
  if (!any_term_) return EncodeFloat(type, 0.0);
  if (exact_ != nullptr) return RoundExactly(type);
  if (low_ == 0) return EncodeFloat(type, high_);
  const double t = high_ + low_;
  if (!std::isfinite(t)) return RoundExactly(type);
  if (type == ElementType::kF64) return EncodeFloat(type, t);
  const double z = t - high_;
  const double r = (high_ - (t - z)) + (low_ - z);  // t + r is the sum exactly
  auto bits = std::bit_cast<uint64_t>(t);
  // To odd in the last place of a double: narrower types then round the sum itself.
  if (r != 0 && bits % 2 == 0) bits += (r > 0) == (t > 0) ? 1 : -1;
  return EncodeFloat(type, std::bit_cast<double>(bits));
}

}  // namespace assay::evaluator
