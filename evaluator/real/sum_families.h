// Test helpers for sums: the exact sum in integers, and families of terms for which a bound that is
// too small gives wrong results. Only sum_proof_test.cc and sum_mutants_test.cc use them.
#ifndef ASSAY_EVALUATOR_REAL_SUM_FAMILIES_H_
#define ASSAY_EVALUATOR_REAL_SUM_FAMILIES_H_

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "evaluator/real/mpfr_oracle.h"
#include "spec/element/element.h"

namespace assay::evaluator::testing {

// Products to add up; b = 1 for plain terms.
struct Products {
  std::string name;
  std::vector<double> a, b;

  void Add(double x, double y = 1) {
    a.push_back(x);
    b.push_back(y);
  }
  int64_t size() const { return static_cast<int64_t>(a.size()); }
};

// The sum as an infinitely wide accumulator holds it: an integer times 2^-2200.
class IntegerSum {
 public:
  void Add(double a, double b) {
    any_ = true;
    const double rough = a * b;  // its class and, of a zero, its sign
    if (!std::isfinite(a) || !std::isfinite(b)) {
      nan_ = nan_ || std::isnan(rough);
      (rough > 0 ? positive_ : negative_) |= !std::isnan(rough);
      return;
    }
    only_negative_zeros_ = only_negative_zeros_ && (a == 0 || b == 0) && std::signbit(rough);
    int exponent_a, exponent_b;
    const auto digits_a = static_cast<int64_t>(std::ldexp(std::frexp(a, &exponent_a), 53));
    const auto digits_b = static_cast<int64_t>(std::ldexp(std::frexp(b, &exponent_b), 53));
    if (digits_a == 0 || digits_b == 0) return;
    boost::multiprecision::cpp_int term(digits_a);
    term *= digits_b;
    // Digits below 2^-2200 are zeros: both are whole multiples of 2^-1074.
    const int shift = exponent_a + exponent_b - 106 + kScale;
    if (shift >= 0) {
      total_ += term << shift;
    } else {
      total_ += term / (boost::multiprecision::cpp_int(1) << -shift);
    }
  }
  uint64_t Round(ElementType type) const {
    if (nan_ || (positive_ && negative_)) return CanonicalNan(type);
    if (positive_ || negative_) return EncodeFloat(type, positive_ ? INFINITY : -INFINITY);
    Mpfr exact(5000);
    if (total_ == 0) {
      mpfr_set_zero(exact, any_ && only_negative_zeros_ ? -1 : 1);
    } else {
      const boost::multiprecision::cpp_int magnitude = abs(total_);
      mpfr_set_str(exact, magnitude.str(0, std::ios_base::hex).c_str(), 16, MPFR_RNDN);
      mpfr_mul_2si(exact, exact, -kScale, MPFR_RNDN);
      if (total_ < 0) mpfr_neg(exact, exact, MPFR_RNDN);
    }
    return RoundByOracle(type, exact);
  }
  static IntegerSum Of(const Products& terms) {
    IntegerSum sum;
    for (int64_t i = 0; i < terms.size(); ++i) sum.Add(terms.a[i], terms.b[i]);
    return sum;
  }

 private:
  static constexpr int kScale = 2200;
  boost::multiprecision::cpp_int total_;
  bool any_ = false, only_negative_zeros_ = true;
  bool nan_ = false, positive_ = false, negative_ = false;
};

// Terms just below half an ulp of what was added before, one after the other: a sum in double
// loses them all. What is lost takes the exact sum past a midpoint of f32 that the sum in double
// stays below. In `lanes` interleaved copies, so that each lane of a vector loses its own.
inline Products LosesHalfUlps(int64_t terms, int lanes) {
  Products products{"half ulps lost in " + std::to_string(lanes) + " lanes", {}, {}};
  const double part = 1.0 / lanes;
  const double below = std::floor(0.45 * static_cast<double>(terms));  // in units of 2^-52
  for (int i = 0; i < lanes; ++i) products.Add(part);
  for (int i = 0; i < lanes; ++i) products.Add(0x1p-12 * part, 0x1p-12);
  for (int i = 0; i < lanes; ++i) products.Add(-below * part, 0x1p-52);
  for (int64_t i = 0; i < terms * lanes; ++i) products.Add((1 - 0x1p-20) * part, 0x1p-53);
  return products;
}

// The same one phase later, for a midpoint of f64: the first error is large, and the errors behind
// it are just below half an ulp of it. Every term is one double.
inline Products LosesErrors(int64_t terms, int lanes) {
  Products products{"errors lost in " + std::to_string(lanes) + " lanes", {}, {}};
  const double part = 1.0 / lanes;
  const double below = std::floor(0.45 * static_cast<double>(terms));
  for (int i = 0; i < lanes; ++i) products.Add(part);
  for (int i = 0; i < lanes; ++i) products.Add((0x1p-53 - below * 0x1p-106) * part);
  for (int64_t i = 0; i < terms * lanes; ++i) products.Add((1 - 0x1p-20) * 0x1p-107 * part);
  return products;
}

// Products whose errors underflow: each is worth 0.4 of the smallest double and is taken for
// nothing; together they are more than an ulp of the first.
inline Products LosesUnderflow() {
  Products products{"products that underflow", {}, {}};
  products.Add(0x1.8p-1019);
  for (int i = 0; i < 30; ++i) products.Add(0.8 * 0x1p-537, 0x1p-538);
  return products;
}

}  // namespace assay::evaluator::testing

#endif  // ASSAY_EVALUATOR_REAL_SUM_FAMILIES_H_
