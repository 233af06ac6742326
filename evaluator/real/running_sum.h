// A sum that grows term by term and is rounded after any of them: prefix sums at the price of a few
// additions each. The exact sum is held in two doubles, which nearly every sum fits into, and what
// does not fit goes into an ExactSum; results equal those of ExactSum in every bit, non-finite
// terms and signs of zeros included. Tests: rounded_sum_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_RUNNING_SUM_H_
#define ASSAY_EVALUATOR_REAL_RUNNING_SUM_H_

#include <cmath>
#include <cstdint>
#include <memory>

#include "evaluator/real/exact_sum.h"
#include "spec/element/element_type.h"

namespace assay::evaluator {

// Callers hold a FloatEnvironmentGuard.
class RunningSum {
 public:
  void Add(double term) {
    any_term_ = true;
    if (only_exact_) return exact_->Add(term);
    // TwoSum: high + error = high_ + term exactly, unless something overflows.
    const double high = high_ + term;
    const double z = high - high_;
    const double error = (high_ - (high - z)) + (term - z);
    if (!std::isfinite(error)) return AddBeyondDoubles(term);
    high_ = high;
    if (error == 0) return;
    const double low = low_ + error;
    const double y = low - low_;
    const double rest = (low_ - (low - y)) + (error - y);
    low_ = low;
    if (rest != 0) AddExactly(rest);
  }

  // The pattern of the sum in `type`, a float type, rounded once. No terms: +0.
  uint64_t Round(ElementType type) const;

 private:
  void AddExactly(double term);
  void AddBeyondDoubles(double term);
  uint64_t RoundExactly(ElementType type) const;

  // The sum is high_ + low_ + *exact_. Minus zero changes no sign of a zero.
  double high_ = -0.0;
  double low_ = 0;
  std::unique_ptr<ExactSum> exact_;  // null: nothing in it
  bool only_exact_ = false;          // once a term or the sum is not finite
  bool any_term_ = false;
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REAL_RUNNING_SUM_H_
