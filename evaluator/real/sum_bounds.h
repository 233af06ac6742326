// How far the sums of sum_loops.h can be from the exact ones, with the proofs. rounded_sum_test.cc
// is built a second time with bounds that are too small, and has to notice
// (testing/small_bounds/evaluator/real/sum_bounds.h).
//
// u = 2^-53; N is the number of additions on the longest path of a sum, at most 2^49, so that
// g = N u / (1 - N u) is below 1/7; all sums are of doubles, rounded to nearest.
//
// The quick phase, for terms that are doubles, keeps
//     s    the double sum of the terms,
//     m    the double sum of their magnitudes.
// An addition errs by at most u times its result, so s is off by at most g times the exact sum of
// magnitudes, and so is m; hence s is off by at most g / (1 - g) m < 2 N u m = N 2^-52 m. That
// decides all but about one of 2^28 / N sums that do not cancel, in f32.
//
// Where the factors of products have at most 24 bits of significand, products and squares are
// exact. The exact sum of the magnitudes of a dot's terms is then at most the product of the
// lengths of its two vectors (Cauchy and Schwarz), and takes the place of m above: the double sum
// of a vector's squares is at least 1 - g of the exact one, the product of two square roots of such
// sums at least (1 - g) (1 - u)^3 of the exact product, and s is off by less than 2 N u times what
// is computed. Squares do not underflow: the least factor is 2^-149.
//
// The second phase splits every addition into its result t and its error err (TwoSum:
// t + err = s + x exactly, no error of underflow is possible) and keeps
//     s    the double sum of the terms,
//     e    the double sum of the errors,
//     m    the double sum of their magnitudes.
// So the exact sum of the terms is s + (exact sum of the errors), and e differs from that by less
// than N 2^-52 m, as above. In particular m = 0 means that s is exact.
//
// A product of two doubles is p + q with p = fl(a b) and q its error, exact unless q underflows;
// then each is off by less than 8 * 2^-1074 (5 for the splitting form, 1/2 with a fused
// multiply-add). The error of s + p and q are added to each other before they join e: one more
// addition on the path.
//
// An overflow anywhere makes s, e or m infinite or NaN, and no test of acceptance is passed.
#ifndef ASSAY_EVALUATOR_REAL_SUM_BOUNDS_H_
#define ASSAY_EVALUATOR_REAL_SUM_BOUNDS_H_

#include <cstdint>

namespace assay::evaluator::sum_bounds {

// s - reach and s + reach, rounded, enclose the exact sum. Rounding s - reach and s + reach to
// doubles costs 2^-53 (|s| + reach) < 2^-52 m, the product that makes the reach less than 2^-54 m:
// 4 more units enclose them.
inline double QuickReach(double m, int64_t path) {
  return m * (static_cast<double>(path + 4) * 0x1p-52);
}

// The same for a sum of which `errors` is the double sum of the magnitudes of the errors of its
// additions, at most 2^40 of them: it is off by less than 2^-12 of itself. Rounding s - reach and
// s + reach costs less than 2^-52 |s| where they are of one sign.
inline double RunningReach(double s, double errors) {
  return errors * (1 + 0x1p-10) + (s < 0 ? -s : s) * 0x1p-52;
}

// |s + e - exact| <= SecondError, before its own roundings.
inline double SecondError(double m, int64_t path) {
  return static_cast<double>(path) * 0x1p-52 * m;
}

// What the errors of products lost to underflow: a path stands for 8 terms at most.
inline double Underflow(int64_t path) { return static_cast<double>(path) * 64 * 0x1p-1074; }

}  // namespace assay::evaluator::sum_bounds

#endif  // ASSAY_EVALUATOR_REAL_SUM_BOUNDS_H_
