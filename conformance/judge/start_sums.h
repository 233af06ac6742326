// Sums with any number of uses of a start value that is no identity (decision W-12). Tests:
// start_sums_test.cc, start_values_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_START_SUMS_H_
#define ASSAY_CONFORMANCE_JUDGE_START_SUMS_H_

#include "absl/types/span.h"
#include "conformance/judge/start_products.h"

namespace assay::conformance {

// A sum or one part of a complex sum.
struct StartSum {
  // The exact sum with one use of the start value, the start value, and the largest finite value of
  // the type, all times 2^-exponent. Terms beyond the largest double need an exponent.
  double exact = 0, start = 0, largest = 0;
  // What was returned: a number, times 2^-exponent too, an infinity or a NaN.
  double actual = 0;
  // The golden value, which may have overflowed, is the same.
  bool same = false;
  // The largest distance from the exact sum that it may have anyway, and the sum of the magnitudes
  // of the terms with one use of the start value, times 2^-exponent. Beside an infinite term the
  // magnitudes are those of the finite terms of the other sign.
  double slack = 0, magnitudes = 0;
};

class StartSums {
 public:
  // `type` is that of a part of the result, `how` its accumulation, `most` the number of elements
  // that are folded.
  StartSums(ElementType type, const Accumulation& how, double most)
      : type_(type), how_(how), most_(most) {}

  // Returns whether 2 to most + 1 uses of the start value explain all parts, of which there are one
  // or two. Such a sum of n + m leaves has an error of (n + m) u sum|leaves| (ops_structural.md
  // 14.3) and is rounded to the type of the result. The slack is that of n leaves and of the size
  // of golden.
  StartAnswer Explain(absl::Span<const StartSum> parts) const;

 private:
  // Numbers of further uses, none by default.
  struct Uses {
    double low = 1, high = 0;
  };
  static Uses Either(const Uses& a, const Uses& b);

  // Returns true if the part is beyond the range of the type, or met a value that is.
  bool IsBeyond(const StartSum& part) const;
  // Returns how many further uses take a partial sum beyond the range on the side of `actual`, on
  // both sides where they meet in a NaN.
  Uses UsesBeyond(const StartSum& part) const;
  // Returns how many take the sum, or a partial sum, beyond the range on a side, 1 or -1. Partial
  // sums get there by the terms of that sign alone (ops_structural.md 14.2, "Overflow").
  Uses UsesBeyond(const StartSum& part, double side) const;
  // Returns the largest value that partial sums may have. They are in the type of the result or in
  // one with a larger range.
  double LargestPartialSum(const StartSum& part) const;
  // Returns how many uses of a start value, counted upwards on the side, make up for `missing`.
  Uses UsesOf(double start, double missing) const;
  StartAnswer IsSum(const StartSum& part, double more) const;
  // Returns the error of a sum with `more` uses, given the slack and a unit roundoff.
  double Error(const StartSum& part, double more, double slack, double unit) const;
  // Returns the unit roundoff of partial sums, times the factor of the accumulation.
  double UnitOfPartialSums() const;
  // Returns the share of the further uses in the error.
  double ErrorOfUses(double start, double more, double unit) const;

  const ElementType type_;
  const Accumulation how_;
  const double most_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_START_SUMS_H_
