// For tests: results of linear algebra in Boost's floats of 200 digits, by the formulas of the
// reference as they stand, and their rounding. Values that agree to 150 digits count as equal,
// which is what finds ties: operands of tests have a few digits.
#ifndef ASSAY_EVALUATOR_KERNELS_WIDE_ORACLE_H_
#define ASSAY_EVALUATOR_KERNELS_WIDE_ORACLE_H_

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <vector>

#include "spec/element/element.h"
#include "spec/ir/literal.h"

namespace assay::evaluator {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<200>,
                                           boost::multiprecision::et_off>;

struct WideComplex {
  Wide re = 0, im = 0;
  friend WideComplex operator+(const WideComplex& a, const WideComplex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend WideComplex operator-(const WideComplex& a, const WideComplex& b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend WideComplex operator*(const WideComplex& a, const WideComplex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend WideComplex operator/(const WideComplex& a, const WideComplex& b) {
    const Wide norm = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
  }
  friend WideComplex Conjugate(const WideComplex& a) { return {a.re, -a.im}; }
};

inline std::vector<WideComplex> WideValues(const Literal& literal) {
  const ElementType part = Info(literal.element_type()).component;
  std::vector<WideComplex> values;
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    const Element element = literal.Get(i);
    values.push_back({DecodeFloat(part, element.bits), 0});
    if (IsComplex(literal.element_type())) values.back().im = DecodeFloat(part, element.imag);
  }
  return values;
}

// L with A = L L^H, by columns, from the lower triangle; empty if A is not positive definite.
inline std::vector<WideComplex> WideCholesky(std::vector<WideComplex> l, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    l[j * n + j].im = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (i < j) l[i * n + j] = {0, 0};
      for (int64_t k = 0; k < j && i >= j; ++k) {
        l[i * n + j] = l[i * n + j] - l[i * n + k] * Conjugate(l[j * n + k]);
      }
      if (i == j && l[i * n + j].re < Wide("1e-150")) return {};
      if (i == j) l[i * n + j] = {sqrt(l[i * n + j].re), 0};
      if (i > j) l[i * n + j] = l[i * n + j] / l[j * n + j];
    }
  }
  return l;
}

// To nearest, ties to even, subnormals kept; `size` is the magnitude of the terms that made the
// value: what is 150 digits below counts as zero.
inline uint64_t RoundWide(ElementType type, const Wide& value, const Wide& size) {
  const Wide magnitude = abs(value);
  if (magnitude <= size * Wide("1e-150")) return EncodeFloat(type, 0.0);
  const FloatFormat& format = *Info(type).format;
  int exponent;
  frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, format.min_exponent()) - format.significand_bits;
  const Wide units = ldexp(magnitude, -exponent);
  Wide whole = floor(units);
  const Wide over = units - whole - 0.5;
  const bool tie = abs(over) <= Wide("1e-140");
  const bool odd = floor(whole / 2) * 2 != whole;
  if (tie ? odd : over > 0) whole += 1;
  const double rounded = ldexp(whole, exponent).convert_to<double>();
  return EncodeFloat(type, value < 0 ? -rounded : rounded);
}

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_KERNELS_WIDE_ORACLE_H_
