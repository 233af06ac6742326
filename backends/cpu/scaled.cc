#include "backends/cpu/scaled.h"

#include <algorithm>

#include "runtime/arrays.h"
#include "runtime/processor.h"

namespace assay::cpu {
namespace {

using runtime::LoadAt;
using runtime::StoreAt;

// a b - c d with an error of 1.5 units (Kahan).
[[gnu::always_inline]] inline double Difference(double a, double b, double c, double d) {
  const double product = c * d;
  if (!std::isfinite(product)) return a * b - product;
  return __builtin_fma(a, b, -product) - __builtin_fma(c, d, -product);
}

// significand * 2^-shift. What lies so far below a sum does not reach its last bit.
[[gnu::always_inline]] inline double ShiftedDown(double significand, int64_t shift) {
  const int64_t field = 1023 - std::min<int64_t>(shift, 900);
  return significand * absl::bit_cast<double>(static_cast<uint64_t>(field) << 52);
}

// a b - c d of finite numbers.
[[gnu::always_inline]] inline ScaledReal Difference(const ScaledReal& a, const ScaledReal& b,
                                                    const ScaledReal& c, const ScaledReal& d) {
  const bool no_left = a.significand == 0 || b.significand == 0;
  const bool no_right = c.significand == 0 || d.significand == 0;
  int64_t left = a.exponent + b.exponent, right = c.exponent + d.exponent;
  if (no_left) left = right;
  if (no_right) right = left;
  const int64_t exponent = std::max(left, right);
  ScaledReal difference(Difference(ShiftedDown(a.significand, exponent - left), b.significand,
                                   ShiftedDown(c.significand, exponent - right), d.significand));
  difference.exponent += exponent;
  return difference;
}

[[gnu::always_inline]] inline bool IsFinite(const ScaledComplex& z) {
  return std::isfinite(z.re.significand) && std::isfinite(z.im.significand);
}

[[gnu::always_inline]] inline ScaledComplex Product(const ScaledComplex& z,
                                                    const ScaledComplex& w) {
  ScaledReal other = z.im;
  other.significand = -other.significand;
  if (IsFinite(z) && IsFinite(w)) {
    return {Difference(z.re, w.re, z.im, w.im), Difference(z.re, w.im, other, w.re)};
  }
  const double a(z.re), b(z.im), c(w.re), d(w.im);
  return {ScaledReal(Difference(a, c, b, d)), ScaledReal(Difference(a, d, -b, c))};
}

void WidenReals(const std::byte* in, int64_t n, std::byte* out) {
  for (int64_t i = 0; i < n; ++i) StoreAt(out, i, ScaledReal(LoadAt<double>(in, i)));
}
void NarrowReals(const std::byte* in, int64_t n, std::byte* out) {
  for (int64_t i = 0; i < n; ++i) {
    StoreAt(out, i, static_cast<double>(LoadAt<ScaledReal>(in, i)));
  }
}
void MultiplyReals(std::byte* acc, const std::byte* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    StoreAt(acc, i, LoadAt<ScaledReal>(acc, i) * LoadAt<ScaledReal>(x, i));
  }
}

void WidenComplex(const std::byte* in, int64_t n, std::byte* out) { WidenReals(in, 2 * n, out); }
void NarrowComplex(const std::byte* in, int64_t n, std::byte* out) { NarrowReals(in, 2 * n, out); }
[[gnu::always_inline]] inline void MultiplyEach(std::byte* acc, const std::byte* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    StoreAt(acc, i, Product(LoadAt<ScaledComplex>(acc, i), LoadAt<ScaledComplex>(x, i)));
  }
}
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void MultiplyEachFma(std::byte* acc, const std::byte* x,
                                                         int64_t n) {
  MultiplyEach(acc, x, n);
}
#endif
void MultiplyComplex(std::byte* acc, const std::byte* x, int64_t n) {
#if defined(__x86_64__)
  if (runtime::Supports(runtime::InstructionSet::kAvx2)) return MultiplyEachFma(acc, x, n);
#endif
  MultiplyEach(acc, x, n);
}

constexpr int64_t kLanes = 16;
constexpr uint64_t kField = uint64_t{0x7FF} << 52, kOne = uint64_t{1023} << 52;

// Multiplies each lane with an element that is neither denormal, zero, infinite nor NaN, and brings
// the lane back to [1, 2).
[[gnu::always_inline]] inline void MultiplyLanes(const std::byte* x, double* significands,
                                                 int64_t* exponents) {
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    const auto bits = LoadAt<uint64_t>(x, lane);
    const double factor = absl::bit_cast<double>((bits & ~kField) | kOne);
    const uint64_t product = absl::bit_cast<uint64_t>(significands[lane] * factor);
    exponents[lane] += static_cast<int64_t>(((bits & kField) + (product & kField)) >> 52) - 2046;
    significands[lane] = absl::bit_cast<double>((product & ~kField) | kOne);
  }
}

[[gnu::always_inline]] inline void FoldLanes(const std::byte* x, int64_t n, std::byte* acc) {
  double significands[kLanes];
  int64_t exponents[kLanes];
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    significands[lane] = 1;
    exponents[lane] = 0;
  }
  ScaledReal rest(1.0);  // the product of all that the lanes do not take
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    bool normal = true;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const uint64_t field = LoadAt<uint64_t>(x, i + lane) & kField;
      normal &= field - (uint64_t{1} << 52) < kField - (uint64_t{1} << 52);
    }
    if (normal) {
      MultiplyLanes(x + i * 8, significands, exponents);
    } else {
      for (int64_t lane = 0; lane < kLanes; ++lane) {
        rest = rest * ScaledReal(LoadAt<double>(x, i + lane));
      }
    }
  }
  for (; i < n; ++i) rest = rest * ScaledReal(LoadAt<double>(x, i));
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    ScaledReal factor(significands[lane]);
    factor.exponent = exponents[lane];
    rest = rest * factor;
  }
  StoreAt(acc, 0, rest);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void FoldLanesAvx2(const std::byte* x, int64_t n, std::byte* acc) {
  FoldLanes(x, n, acc);
}
#endif

}  // namespace

void FoldScaledRow(const std::byte* x, int64_t n, std::byte* acc) {
#if defined(__x86_64__)
  if (runtime::Supports(runtime::InstructionSet::kAvx2)) return FoldLanesAvx2(x, n, acc);
#endif
  FoldLanes(x, n, acc);
}

const ScaledFunctions& ScaledFunctionsOf(ElementType type) {
  static constexpr ScaledFunctions kReal = {sizeof(ScaledReal), WidenReals, NarrowReals,
                                            MultiplyReals};
  static constexpr ScaledFunctions kComplex = {sizeof(ScaledComplex), WidenComplex, NarrowComplex,
                                               MultiplyComplex};
  return IsComplex(type) ? kComplex : kReal;
}

}  // namespace assay::cpu
