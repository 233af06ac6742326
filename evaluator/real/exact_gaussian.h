// Test oracle: sums and products of complex numbers in integers of any length, rounded without any
// code of the library. Only complex_product_test.cc and complex_folds_test.cc use it.
#ifndef ASSAY_EVALUATOR_REAL_EXACT_GAUSSIAN_H_
#define ASSAY_EVALUATOR_REAL_EXACT_GAUSSIAN_H_

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay::evaluator::exact_gaussian {

using Integer = boost::multiprecision::cpp_int;
struct Number {
  double re, im;
};

// (re + i im) 2^exponent.
struct Gaussian {
  Integer re = 1, im = 0;
  int64_t exponent = 0;
};

// A finite double in units of 2^-1074.
inline Integer Whole(double x) {
  int exponent;
  const double fraction = std::frexp(x, &exponent);
  Integer integer = static_cast<int64_t>(std::ldexp(fraction, 53));
  const int shift = x == 0 ? 0 : exponent - 53 + 1074;
  return shift >= 0 ? Integer(integer << shift)
                    : Integer(integer / (Integer(1) << -shift));  // divides
}

inline Gaussian Product(const std::vector<Number>& factors) {
  Gaussian z;
  for (const Number& factor : factors) {
    Integer a = Whole(factor.re), b = Whole(factor.im);
    const Integer both = abs(a) | abs(b);
    const int64_t zeros = both == 0 ? 0 : static_cast<int64_t>(lsb(both));
    a /= Integer(1) << zeros;
    b /= Integer(1) << zeros;
    const Integer re = z.re * a - z.im * b;
    z.im = z.re * b + z.im * a;
    z.re = re;
    z.exponent += zeros - 1074;
  }
  return z;
}

// integer * 2^exponent to the nearest number of `precision` bits, ties to even, from the format's
// own numbers: no code of the library.
inline uint64_t Nearest(ElementType part, const Integer& integer, int64_t exponent) {
  const bool negative = integer < 0;
  Integer size = abs(integer);
  const int precision = part == ElementType::kF32 ? 24 : 53;
  const int64_t lowest =
      part == ElementType::kF32 ? -149 : -1074;  // of the last place of subnormal numbers
  double value = 0;
  if (size != 0) {
    const auto bits = static_cast<int64_t>(msb(size)) + 1;
    const int64_t unit = std::max(exponent + bits - precision, lowest), cut = unit - exponent;
    if (cut > 0) {
      const Integer half = Integer(1) << (cut - 1), rest = size & ((half << 1) - 1);
      size >>= cut;
      if (rest > half || (rest == half && (size & 1) == 1)) ++size;
    } else {
      size <<= -cut;
    }
    const int64_t largest = part == ElementType::kF32 ? 128 : 1024;
    const int64_t top = size == 0 ? 0 : unit + static_cast<int64_t>(msb(size)) + 1;
    value = top > largest ? INFINITY
                          : std::ldexp(static_cast<double>(size.convert_to<uint64_t>()),
                                       static_cast<int>(unit));
  }
  // An exact zero is +0; what is rounded to zero keeps its sign.
  return EncodeFloat(part, negative ? -value : value);
}

inline Element RoundedProduct(ElementType part, const std::vector<Number>& factors) {
  const Gaussian z = Product(factors);
  return {Nearest(part, z.re, z.exponent), Nearest(part, z.im, z.exponent)};
}

// Of at least one term; a sum of nothing but -0 is -0.
inline Element RoundedSum(ElementType part, const std::vector<Number>& terms) {
  Integer re = 0, im = 0;
  bool re_negative = true, im_negative = true;
  for (const Number& term : terms) {
    re += Whole(term.re);
    im += Whole(term.im);
    re_negative = re_negative && term.re == 0 && std::signbit(term.re);
    im_negative = im_negative && term.im == 0 && std::signbit(term.im);
  }
  return {re_negative ? EncodeFloat(part, -0.0) : Nearest(part, re, -1074),
          im_negative ? EncodeFloat(part, -0.0) : Nearest(part, im, -1074)};
}

}  // namespace assay::evaluator::exact_gaussian

#endif  // ASSAY_EVALUATOR_REAL_EXACT_GAUSSIAN_H_
