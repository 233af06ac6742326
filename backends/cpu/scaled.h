// Numbers with an exponent of their own, as accumulators of products: no product of finite factors
// leaves their range on its way, so that the order of the factors matters to the last bits alone.
// Tests: scaled_test.cc.
#ifndef ASSAY_BACKENDS_CPU_SCALED_H_
#define ASSAY_BACKENDS_CPU_SCALED_H_

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/base/casts.h"
#include "spec/element/element_type.h"

namespace assay::cpu {

// significand * 2^exponent with 1 <= |significand| < 2. Zeros, infinities and NaNs are their own
// significands, and their exponents mean nothing.
struct ScaledReal {
  double significand = 0;
  int64_t exponent = 0;

  ScaledReal() = default;
  // Exact for every x.
  explicit ScaledReal(double x) : significand(x) {
    uint64_t bits = absl::bit_cast<uint64_t>(x);
    uint64_t field = bits >> 52 & 0x7FF;
    if (field == 0) {  // a denormal number or zero
      bits = absl::bit_cast<uint64_t>(x * 0x1p64);
      field = bits >> 52 & 0x7FF;
      exponent = -64;
    }
    if (field == 0 || field == 0x7FF) return;
    exponent += static_cast<int64_t>(field) - 1023;
    significand = absl::bit_cast<double>((bits & ~(uint64_t{0x7FF} << 52)) | uint64_t{1023} << 52);
  }
  // Rounds to f64, once.
  explicit operator double() const {
    const uint64_t bits = absl::bit_cast<uint64_t>(significand);
    const uint64_t field = bits >> 52 & 0x7FF;
    if (field != 1023) return significand;  // zero, infinite or NaN
    if (exponent >= -1022 && exponent <= 1023) {
      return absl::bit_cast<double>(bits + (static_cast<uint64_t>(exponent) << 52));
    }
    const int64_t bounded = exponent < -4096 ? -4096 : exponent > 4096 ? 4096 : exponent;
    return std::ldexp(significand, static_cast<int>(bounded));
  }
  // Rounded to 53 bits.
  friend ScaledReal operator*(const ScaledReal& a, const ScaledReal& b) {
    ScaledReal product;
    product.significand = a.significand * b.significand;
    const bool carries = std::fabs(product.significand) >= 2;
    product.significand *= carries ? 0.5 : 1.0;
    product.exponent = a.exponent + b.exponent + (carries ? 1 : 0);
    return product;
  }
};

struct ScaledComplex {
  ScaledReal re, im;
};

// Loops over dense arrays of numbers of a type, f64 or c128, and of their scaled forms.
struct ScaledFunctions {
  int64_t bytes;  // of a scaled number
  void (*widen)(const std::byte* in, int64_t n, std::byte* out);
  void (*narrow)(const std::byte* in, int64_t n, std::byte* out);
  // acc[i] = acc[i] * x[i]. Where a factor is not finite, a complex product is that of the rounded
  // numbers.
  void (*multiply)(std::byte* acc, const std::byte* x, int64_t n);
};
const ScaledFunctions& ScaledFunctionsOf(ElementType type);

// Sets *acc to the scaled product of n > 0 elements of f64, in lanes whose number does not depend
// on the machine.
void FoldScaledRow(const std::byte* x, int64_t n, std::byte* acc);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_SCALED_H_
