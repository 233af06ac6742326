// Small row-major matrices of f32, f64, c64 and c128 for the factorisations, with the inner loops
// that the algorithms share. Narrower floats are converted to f32. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_MATRIX_H_
#define ASSAY_BACKENDS_CPU_MATRIX_H_

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "backends/defect.h"
#include "spec/element/element_type.h"

namespace assay::cpu {

template <typename T>
struct IsComplexNumber : std::false_type {};
template <typename T>
struct IsComplexNumber<std::complex<T>> : std::true_type {};

// Multiplies by the plain formula, without the recovery of infinities of std::complex.
template <typename T>
T Times(T a, T b) {
  if constexpr (IsComplexNumber<T>::value) {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else {
    return a * b;
  }
}
template <typename T>
T Conjugate(T a) {
  if constexpr (IsComplexNumber<T>::value) {
    return std::conj(a);
  } else {
    return a;
  }
}

// Returns the sum of a[k] * conj(b[k]), in eight partial sums.
template <typename T>
T DotConjugate(const T* a, const T* b, int64_t n) {
  constexpr int kSums = 8;
  T sums[kSums] = {};
  int64_t k = 0;
  for (; k + kSums <= n; k += kSums) {
    for (int j = 0; j < kSums; ++j) sums[j] += Times(a[k + j], Conjugate(b[k + j]));
  }
  for (int j = 0; k < ASSAY_DEFECT(34, n, n - n % kSums); ++k, ++j)
    sums[j] += Times(a[k], Conjugate(b[k]));
  for (int width = kSums / 2; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) sums[j] += sums[j + width];
  }
  return sums[0];
}

// y -= t * x
template <typename T>
void SubtractMultiple(T t, const T* x, int64_t n, T* y) {
  for (int64_t i = 0; i < n; ++i) y[i] -= Times(t, x[i]);
}

// Calls f with a value of the type in which matrices of an element type are computed.
template <typename F>
void WithNumber(ElementType type, F f) {
  switch (type) {
    case ElementType::kF64:
      return f(double{});
    case ElementType::kC64:
      return f(std::complex<float>{});
    case ElementType::kC128:
      return f(std::complex<double>{});
    default:
      return f(float{});
  }
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_MATRIX_H_
