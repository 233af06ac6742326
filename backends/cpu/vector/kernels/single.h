// The functions of f32 that programs use most, in f32 arithmetic with fused multiply-adds: twice
// the lanes of elementary.h, with errors of up to about one and a half units in the last place
// (docs/cpu_accuracy.md). Included by sources that are compiled once for each instruction set; see
// loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_SINGLE_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_SINGLE_H_

#include "backends/cpu/vector/kernels/loops.h"
#include "backends/cpu/vector/kernels/polynomials.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

#if defined(__FMA__)
ASSAY_INLINE float Fma32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
// The product is exact in double. The sum is rounded to odd, so that rounding it again is rounding
// once.
ASSAY_INLINE float Fma32(float a, float b, float c) {
  const double product = static_cast<double>(a) * b;
  const double addend = c;
  const double sum = product + addend;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);
  const uint64_t pattern = Bits(sum);
  // Away from an even pattern, to the side of the error.
  const bool odd = (pattern & 1) != 0;
  const uint64_t towards = (error > 0) == (sum > 0) ? pattern + 1 : pattern - 1;
  const bool exact = !(error < 0 || error > 0);
  return static_cast<float>(FromBits(exact || odd ? pattern : towards));
}
#endif

template <int kCount>
ASSAY_INLINE float Polynomial32(const float (&c)[kCount], float x) {
  float sum = c[kCount - 1];
#pragma GCC unroll 16
  for (int i = kCount - 2; i >= 0; --i) sum = Fma32(sum, x, c[i]);
  return sum;
}

ASSAY_INLINE float Magnitude32(float x) { return FromBits(Bits(x) & 0x7fffffffu); }
ASSAY_INLINE float WithSign32(float magnitude, float sign) {
  return FromBits((Bits(magnitude) & 0x7fffffffu) | (Bits(sign) & 0x80000000u));
}
constexpr float kInfinity32 = __builtin_inff();
constexpr float kNan32 = __builtin_nanf("");

// e^x = 2^n (1 + m).
struct Exponential32 {
  float m;
  uint32_t n;  // plus kExponentShift32
};
constexpr float kShift32 = 0x1.8p23f;
constexpr uint32_t kExponentShift32 = __builtin_bit_cast(uint32_t, kShift32);
// e^x = 2^n e^r.
struct Reduced32 {
  float r;
  uint32_t n;  // plus kExponentShift32
};
ASSAY_INLINE Reduced32 ReduceExponent32(float x) {
  const float shifted = Fma32(x, 0x1.715476p0f, kShift32);
  const float n = shifted - kShift32;
  const float r = Fma32(-n, polynomials::kLn2Of32[0], x);
  return {Fma32(-n, polynomials::kLn2Of32[1], r), Bits(shifted)};
}
ASSAY_INLINE Exponential32 Exponentiate32(float x) {
  const auto [r, n] = ReduceExponent32(x);
  return {Fma32(r * r, Polynomial32(polynomials::kExp32, r), r), n};
}
// 2^n, for n from -126 to 127; the shift drops kExponentShift32.
ASSAY_INLINE float PowerOfTwo32(uint32_t n) { return FromBits((n + 127) << 23); }
// x 2^n in two steps, the second of which rounds; n from -250 to 250.
ASSAY_INLINE float Scaled32(float x, uint32_t n) {
  const uint32_t biased = n - (kExponentShift32 - 254);
  const uint32_t half = biased >> 1;
  return x * FromBits(half << 23) * FromBits((biased - half) << 23);
}

// The same where both numbers are normal: n is added to the exponent.
ASSAY_INLINE float UsuallyScaled32(float x, uint32_t n) { return FromBits(Bits(x) + (n << 23)); }

// The largest magnitude of an argument whose exponential is a normal number.
constexpr float kLargestUsual32 = 87;
// For arguments up to kLargestUsual32.
ASSAY_INLINE float UsualExp32(float x) {
  const Exponential32 e = Exponentiate32(x);
  return UsuallyScaled32(1 + e.m, e.n);
}
ASSAY_INLINE float Exp32(float x) {
  float clamped = x < -110 ? -110 : x;
  clamped = clamped > 100 ? 100 : clamped;
  const Exponential32 e = Exponentiate32(clamped);
  return Scaled32(1 + e.m, e.n);
}

// log(2^n y), where the pattern is that of y.
ASSAY_INLINE float LogOfPattern32(uint32_t pattern, int32_t n) {
  constexpr uint32_t kRootOfHalf = 0x3f3504f3u;
  const uint32_t exponent = (pattern - kRootOfHalf + (127u << 23)) >> 23;
  const float f = FromBits(pattern - ((exponent - 127) << 23)) - 1;
  const auto power = static_cast<float>(static_cast<int32_t>(exponent) - 127 + n);
  const float square = f * f;
  const float tail = f * square * Polynomial32(polynomials::kLog32, f);
  float low = Fma32(power, polynomials::kLn2Of32[1], tail);
  low = Fma32(square, -0.5f, low);
  return Fma32(power, polynomials::kLn2Of32[0], f + low);
}
// For positive numbers that are neither subnormal nor infinite.
ASSAY_INLINE float UsualLog32(float x) { return LogOfPattern32(Bits(x), 0); }
ASSAY_INLINE float Log32(float x) {
  const bool tiny = x < 0x1p-126f;
  const float value = LogOfPattern32(Bits(tiny ? x * 0x1p24f : x), tiny ? -24 : 0);
  const float special = x == 0 ? -kInfinity32 : x > 0 ? x : kNan32;
  const bool usual = (x > 0) & (x < kInfinity32);
  return usual ? value : special;
}

// Near zero by a polynomial, which returns NaN for NaN too, elsewhere 1 - 2 / (e^2x + 1). There the
// exponential counts for little, so that log(2) in one part is enough. The coefficients are those
// of kExp32, scaled so that r = |x| - n log(2)/2 takes the place of 2r, and h is half of m. The
// polynomial is split in two, since it is the longest chain.
ASSAY_INLINE float Tanh32(float x) {
  const float magnitude = Magnitude32(x);
  const float square = x * x;
  const float near = Fma32(x * square, Polynomial32(polynomials::kTanh32, square), x);
  const float clamped = magnitude < 10 ? magnitude : 10;
  // The pattern of the shifted number ends in n + 127.
  constexpr float kShift = kShift32 + 127;
  const float shifted = Fma32(clamped, 0x1.715476p1f, kShift);
  const float r = Fma32(kShift - shifted, 0x1.62e430p-2f, clamped);
  constexpr const float(&c)[5] = polynomials::kExp32;
  const float r2 = r * r;
  const float low = Fma32(4 * c[1], r, 2 * c[0]);
  const float high = Fma32(r2, 32 * c[4], Fma32(16 * c[3], r, 8 * c[2]));
  const float h = Fma32(r2, Fma32(r2, high, low), r);
  const float power = FromBits(Bits(shifted) << 23);
  const float far = 1 - 1 / Fma32(h + 0.5f, power, 0.5f);
  // The polynomial returns 0 for -0.
  const uint32_t sign = Bits(x) ^ Bits(magnitude);
  return FromBits(Bits(magnitude >= 0.6875f ? far : near) | sign);
}

// 1 / (1 + t) or t / (1 + t) with t = e^-|x|. `kScale` multiplies by 2^n.
template <float (*kScale)(float, uint32_t)>
ASSAY_INLINE float LogisticOf32(float magnitude, bool negative) {
  const Exponential32 e = Exponentiate32(-magnitude);
  // 2^n (1 + m) with what that sum loses.
  const float high = 1 + e.m;
  const float low = e.m - (high - 1);
  const float t = kScale(high, e.n);
  const float sum = 1 + t;
  // What the sum and the quotient have lost comes back by one step of Newton's method.
  const float lost = t - (sum - 1);
  const float inverse = 1 / sum;
  const float rest = Fma32(-lost, inverse, Fma32(-inverse, sum, 1));
  const float better = Fma32(rest, inverse, inverse);
  const float left = kScale(Fma32(high, better, low * better), e.n);
  return negative ? left : better;
}
ASSAY_INLINE float UsualLogistic32(float x) {
  return LogisticOf32<UsuallyScaled32>(Magnitude32(x), x < 0);
}
ASSAY_INLINE float Logistic32(float x) {
  const float magnitude = Magnitude32(x);
  const float value = LogisticOf32<Scaled32>(magnitude < 110 ? magnitude : 110, x < 0);
  return x == x ? value : x;
}

// 1 - e^(log(erfc |x|)). The smallest values keep their precision, since that logarithm is computed
// as
// -(x + x p(x)) and the exponential less one without cancellation.
ASSAY_INLINE float Erf32(float x) {
  const float magnitude = Magnitude32(x);
  const float clamped = 3.9375f < magnitude ? 3.9375f : magnitude;
  const float p = Polynomial32(polynomials::kErfcLog32, clamped);
  const float log = Fma32(-clamped, p, -clamped);
  // What the logarithm has lost by rounding, exactly where it counts.
  const float lost = Fma32(-clamped, p, -(log + clamped));
  const auto [r, n] = ReduceExponent32(log);
  const float m = r + Fma32(r * r, Polynomial32(polynomials::kExp32, r), lost);
  const float power = PowerOfTwo32(n);
  return WithSign32(Fma32(m, power, power - 1), x);
}

ASSAY_INLINE float Rsqrt32(float x) {
  const float y = 1 / __builtin_sqrtf(x);
  // One step of Newton's method with an exact residual.
  const float square = y * y;
  const float rest = Fma32(-square, x, 1) - Fma32(y, y, -square) * x;
  const float better = Fma32(0.5f * y, rest, y);
  return ((x >= 0x1p-126f) & (x < kInfinity32)) ? better : y;
}

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_SINGLE_H_
