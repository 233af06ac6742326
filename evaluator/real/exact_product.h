// A product of doubles held exactly up to a stated width, and beyond it to that precision with a
// bound, so that it can be rounded once.
//
// Special factors count as in exact arithmetic with infinities: any NaN, or an infinity together
// with a zero, gives NaN; order never matters (no intermediate overflow or underflow).
// Tests: rounded_sum_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_EXACT_PRODUCT_H_
#define ASSAY_EVALUATOR_REAL_EXACT_PRODUCT_H_

#include <array>
#include <cstdint>

#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay::evaluator {

// Exact while the product of the factors' odd parts has at most 4096 bits. Wider products are cut
// there; no float or midpoint has an odd part that long, so the cut part only has to be known to be
// non-zero, unless the product lies within n * 2^-4030 of a midpoint.
class ExactProduct {
 public:
  void Clear() { *this = ExactProduct(); }
  void Multiply(double factor);
  // Returns the product rounded once to `type`, or 1 if there are no factors.
  uint64_t Round(ElementType type) const;
  // Returns false if the truncated part could have changed the result of Round(type).
  bool Decided(ElementType type) const;

 private:
  static constexpr int kLimbs = 64;

  std::array<uint64_t, kLimbs> limbs_{1};  // significand, least significant limb first
  int used_ = 1;
  int64_t exponent_ = 0;
  int64_t cuts_ = 0;  // each cut loses less than one unit of the significand's last place
  bool negative_ = false;
  bool nan_ = false;
  bool zero_ = false;
  bool infinity_ = false;
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REAL_EXACT_PRODUCT_H_
