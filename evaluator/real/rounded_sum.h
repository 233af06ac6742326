// Sums, dot products and products of decoded floats: the exact result rounded once, at the speed
// kernels need. A quick phase adds in double and bounds its error. If that does not decide the
// rounding, a second phase adds the rounding errors too and bounds the rest. If that does not
// decide either, the terms are added again exactly (ExactSum). Results equal those of ExactSum in
// every bit, on every machine. Proofs of the bounds: sum_bounds.h. Tests: rounded_sum_test.cc.
// Measured by sum_bench.cc.
//
// Strides count elements, and may be zero or negative. Callers hold a FloatEnvironmentGuard.
#ifndef ASSAY_EVALUATOR_REAL_ROUNDED_SUM_H_
#define ASSAY_EVALUATOR_REAL_ROUNDED_SUM_H_

#include <cmath>
#include <cstdint>

#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay::evaluator {

// The width of the factors' types. The product of two values of types of up to 32 bits is a double,
// which saves most of the work.
enum class FactorWidth : uint8_t { kUpTo32Bits, k64Bits };
inline FactorWidth FactorWidthOf(ElementType type) {
  return Info(Info(type).component).bits <= 32 ? FactorWidth::kUpTo32Bits : FactorWidth::k64Bits;
}

// init + x[0] + ... + x[n-1].
uint64_t RoundedSum(ElementType result, double init, const double* x, int64_t stride, int64_t n);

// `columns` sums of neighbouring columns: out[j] = init + sum over k of x[k * stride + j].
void RoundedSumBlock(ElementType result, double init, const double* x, int64_t stride, int64_t n,
                     int64_t columns, uint64_t* out);

// a[0] b[0] + ... + a[n-1] b[n-1]; +0 when n is zero. A complex dot is two calls of length 2n: for
// interleaved a = (re, im) the real part needs b as (re, -im), the imaginary part b as (im, re).
uint64_t RoundedDot(ElementType result, FactorWidth width, const double* a, int64_t stride_a,
                    const double* b, int64_t stride_b, int64_t n);

// `columns` dots that share a: out[j] = sum over k of a[k * stride_a] * b[k * stride_b + j]. The
// form for matrix products: columns of b lie side by side, so no gathering is needed.
void RoundedDotBlock(ElementType result, FactorWidth width, const double* a, int64_t stride_a,
                     const double* b, int64_t stride_b, int64_t n, int64_t columns, uint64_t* out);

// A sum whose terms come in parts: what is carried from one to the next. It begins with what is
// neutral, or with a first term as `s`.
struct PartialSum {
  double s = -0.0;   // of the terms, in double
  double e = 0;      // of the errors of its additions
  double m = 0;      // of their magnitudes
  int64_t path = 0;  // additions one after the other
};

// The terms of `other` too.
void AddSum(const PartialSum& other, PartialSum& sum);
// The next terms of a sum.
void AddTerms(const double* x, int64_t stride, int64_t n, PartialSum& sum);
// The next n products of `columns` dots that share a, as in RoundedDotBlock.
void AddProducts(FactorWidth width, const double* a, const double* b, int64_t stride_b, int64_t n,
                 int64_t columns, PartialSum* sums);
// One term for each of n sums, s[i], e[i] and m[i] of a PartialSum each.
void AddEach(const double* x, int64_t n, double* s, double* e, double* m);

// Whether what was carried decides the rounding, then with the result in `out`. If not, the terms
// have to be added once more, exactly (ExactSum). `width` is that of the factors of dots, else
// kUpTo32Bits. There must have been a term.
bool Decide(ElementType result, FactorWidth width, const PartialSum& sum, uint64_t* out);

// As Decide, for a sum in f32 of doubles that were added to `s` one after the other, in any order,
// with the magnitude of the error of each addition (TwoSum) added to `errors`.
bool DecideF32(double s, double errors, uint64_t* out);
// Such an addition.
inline void AddRunning(double x, double& s, double& errors) {
  const double t = s + x, z = t - s;
  const double error = (s - (t - z)) + (x - z);
  s = t;
  errors += std::fabs(error);
}

// init * x[0] * ... * x[n-1].
uint64_t RoundedProduct(ElementType result, double init, const double* x, int64_t stride,
                        int64_t n);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REAL_ROUNDED_SUM_H_
