// Two kinds of numbers with which elementary functions are computed: `double`, whose error is
// nothing to a result of at most 24 bits, and Pair, an unevaluated sum of two doubles of about 104
// bits, for results of 53. Functions are written once for either (elementary.h).
//
// The algorithms are the error-free transformations of Dekker and Knuth with a fused multiply-add.
// Included by sources that are compiled once for each instruction set; see loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_REAL_ARITHMETIC_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_REAL_ARITHMETIC_H_

#include "backends/cpu/vector/kernels/loops.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

// Where the set has no such instruction, the C library's function is called for each element.
ASSAY_INLINE double Fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

struct Pair {
  double hi;
  double lo;  // at most half a unit in the last place of hi
};

// The exact sum; of operands in any order, and of |a| >= |b| or a = 0.
ASSAY_INLINE Pair TwoSum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
ASSAY_INLINE Pair FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
ASSAY_INLINE Pair TwoProduct(double a, double b) {
  const double product = a * b;
  return {product, Fma(a, b, -product)};
}

ASSAY_INLINE Pair operator-(Pair a) { return {-a.hi, -a.lo}; }
ASSAY_INLINE Pair operator+(Pair a, Pair b) {
  const Pair high = TwoSum(a.hi, b.hi);
  const Pair low = TwoSum(a.lo, b.lo);
  const Pair sum = FastTwoSum(high.hi, high.lo + low.hi);
  return FastTwoSum(sum.hi, sum.lo + low.lo);
}
ASSAY_INLINE Pair operator+(Pair a, double b) {
  const Pair high = TwoSum(a.hi, b);
  return FastTwoSum(high.hi, high.lo + a.lo);
}
ASSAY_INLINE Pair operator+(double a, Pair b) { return b + a; }
ASSAY_INLINE Pair operator-(Pair a, Pair b) { return a + -b; }
ASSAY_INLINE Pair operator-(Pair a, double b) { return a + -b; }
ASSAY_INLINE Pair operator-(double a, Pair b) { return -b + a; }
ASSAY_INLINE Pair operator*(Pair a, Pair b) {
  const Pair product = TwoProduct(a.hi, b.hi);
  return FastTwoSum(product.hi, product.lo + Fma(a.hi, b.lo, a.lo * b.hi));
}
ASSAY_INLINE Pair operator*(Pair a, double b) {
  const Pair product = TwoProduct(a.hi, b);
  return FastTwoSum(product.hi, Fma(a.lo, b, product.lo));
}
ASSAY_INLINE Pair operator*(double a, Pair b) { return b * a; }
ASSAY_INLINE Pair operator/(Pair a, Pair b) {
  const double quotient = a.hi / b.hi;
  const double rest = Fma(-quotient, b.hi, a.hi) + Fma(-quotient, b.lo, a.lo);
  return FastTwoSum(quotient, rest / b.hi);
}
ASSAY_INLINE Pair operator/(double a, Pair b) { return Pair{a, 0} / b; }
ASSAY_INLINE Pair operator/(Pair a, double b) { return a / Pair{b, 0}; }

// sqrt(0) is 0.
ASSAY_INLINE Pair SquareRoot(Pair a) {
  const double root = __builtin_sqrt(a.hi);
  const double rest = Fma(-root, root, a.hi) + a.lo;
  return FastTwoSum(root, root > 0 ? rest / (root + root) : 0);
}
ASSAY_INLINE double SquareRoot(double a) { return __builtin_sqrt(a); }

ASSAY_INLINE double High(double a) { return a; }
ASSAY_INLINE double High(Pair a) { return a.hi; }
ASSAY_INLINE double Low(double) { return 0; }
ASSAY_INLINE double Low(Pair a) { return a.lo; }
// Multiplied by a power of two.
ASSAY_INLINE double Scaled(double a, double power) { return a * power; }
ASSAY_INLINE Pair Scaled(Pair a, double power) { return {a.hi * power, a.lo * power}; }
ASSAY_INLINE double Chosen(bool which, double a, double b) { return which ? a : b; }
ASSAY_INLINE Pair Chosen(bool which, Pair a, Pair b) {
  return {which ? a.hi : b.hi, which ? a.lo : b.lo};
}

// Sums, differences and products of doubles as R: exact if R is Pair.
template <typename R>
ASSAY_INLINE R Sum(double a, double b) {
  if constexpr (std::is_same_v<R, Pair>) {
    return TwoSum(a, b);
  } else {
    return a + b;
  }
}
template <typename R>
ASSAY_INLINE R Product(double a, double b) {
  if constexpr (std::is_same_v<R, Pair>) {
    return TwoProduct(a, b);
  } else {
    return a * b;
  }
}
template <typename R>
ASSAY_INLINE R Number(double a) {
  if constexpr (std::is_same_v<R, Pair>) {
    return {a, 0};
  } else {
    return a;
  }
}
// A constant given as the sum of two doubles.
template <typename R>
ASSAY_INLINE R Constant(const double (&parts)[2]) {
  if constexpr (std::is_same_v<R, Pair>) {
    return {parts[0], parts[1]};
  } else {
    return parts[0];
  }
}

// c[0] + c[1] x + ... by Horner's rule.
template <int kCount>
ASSAY_INLINE double Polynomial(const double (&c)[kCount], double x) {
  double sum = c[kCount - 1];
#pragma GCC unroll 32
  for (int i = kCount - 2; i >= 0; --i) sum = Fma(sum, x, c[i]);
  return sum;
}

ASSAY_INLINE double Magnitude(double x) { return FromBits(Bits(x) & ~(uint64_t{1} << 63)); }
ASSAY_INLINE double WithSign(double magnitude, double sign) {
  constexpr uint64_t kSignBit = uint64_t{1} << 63;
  return FromBits((Bits(magnitude) & ~kSignBit) | (Bits(sign) & kSignBit));
}

constexpr double kInfinity64 = __builtin_inf();
constexpr double kNan64 = __builtin_nan("");

// The nearest integer of a number below 2^51, as a double and in the low bits of a pattern.
struct Rounded {
  double value;
  uint64_t bits;
};
ASSAY_INLINE Rounded Nearest(double x) {
  constexpr double kShift = 0x1.8p52;
  const double shifted = x + kShift;
  return {shifted - kShift, Bits(shifted)};
}
// 2^n for whole n from -1022 to 1023.
ASSAY_INLINE double PowerOfTwo(double n) { return FromBits((Bits(n + 0x1.8p52) + 1023) << 52); }

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_REAL_ARITHMETIC_H_
