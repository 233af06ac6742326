// The function attributes of kernels, and the few primitives that every compiler must round in the
// same way. Functions are compiled for the device and for the host; the host's builds take
// -ffp-contract=off, the device's -fmad=false, so that a sum of products is fused only where Fma is
// written. Tests: kernel_functions_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_DEVICE_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_DEVICE_H_

#include <cstdint>

#include "backends/cuda/dialect/dialect.h"

#if defined(__CUDACC_RTC__)
#define ASSAY_DEVICE __device__ inline
#define ASSAY_DEVICE_METHOD __device__
#define ASSAY_DEVICE_CALL __device__ __noinline__ inline
#elif defined(__CUDACC__)
#define ASSAY_DEVICE __host__ __device__ inline
#define ASSAY_DEVICE_METHOD __host__ __device__
#define ASSAY_DEVICE_CALL __host__ __device__ __noinline__ inline
#else
#define ASSAY_DEVICE inline
#define ASSAY_DEVICE_METHOD
// A function that is too large to be inlined.
#define ASSAY_DEVICE_CALL [[gnu::noinline]] inline
#endif

// A function that selects by the operation or the element type. Generated kernels, where both are
// constants, keep the one case that they need.
#if defined(__CUDACC_RTC__)
#define ASSAY_DEVICE_SELECTION __device__ __forceinline__
#elif defined(ASSAY_TEXT)
#define ASSAY_DEVICE_SELECTION [[gnu::always_inline]] inline
#else
#define ASSAY_DEVICE_SELECTION ASSAY_DEVICE_CALL
#endif

// One case of such a function, as a template.
#if defined(__CUDACC_RTC__) || defined(ASSAY_TEXT)
#define ASSAY_DEVICE_CASE ASSAY_DEVICE_SELECTION
#else
#define ASSAY_DEVICE_CASE ASSAY_DEVICE
#endif

// Kernel mutants: in the build that tests make for them, the mutant whose number is set computes a
// wrong value. Every other build has only the right code (cuda_kernels_test.cc).
#if defined(ASSAY_CUDA_MUTANTS)
namespace assay::cuda::ASSAY_CUDA_BUILD {
extern int active_mutant;
}
#define ASSAY_MUTANT(number, right, wrong) \
  (::assay::cuda::ASSAY_CUDA_BUILD::active_mutant == (number) ? (wrong) : (right))
#else
#define ASSAY_MUTANT(number, right, wrong) (right)
#endif

namespace assay::cuda::ASSAY_CUDA_BUILD {

template <typename To, typename From>
ASSAY_DEVICE To BitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}
ASSAY_DEVICE uint64_t DoubleBits(double x) { return BitsAs<uint64_t>(x); }
ASSAY_DEVICE double BitsDouble(uint64_t x) { return BitsAs<double>(x); }

ASSAY_DEVICE double Fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
ASSAY_DEVICE double SquareRoot(double x) { return __builtin_sqrt(x); }
ASSAY_DEVICE double Magnitude(double x) { return BitsDouble(DoubleBits(x) & ~(1ull << 63)); }
ASSAY_DEVICE bool SignBit(double x) { return (DoubleBits(x) >> 63) != 0; }
ASSAY_DEVICE double WithSign(double magnitude, bool negative) {
  return BitsDouble((DoubleBits(magnitude) & ~(1ull << 63)) |
                    (static_cast<uint64_t>(negative) << 63));
}
ASSAY_DEVICE double NanValue() { return BitsDouble(0x7ff8000000000000ull); }
ASSAY_DEVICE double InfinityValue() { return BitsDouble(0x7ff0000000000000ull); }
ASSAY_DEVICE bool IsNanValue(double x) { return x != x; }
ASSAY_DEVICE bool IsFiniteValue(double x) {
  return (DoubleBits(x) & 0x7ff0000000000000ull) != 0x7ff0000000000000ull;
}

// 2^n for n from -1022 to 1023.
ASSAY_DEVICE double PowerOfTwo(int n) { return BitsDouble(static_cast<uint64_t>(n + 1023) << 52); }
// x * 2^n for x of about 1; results below the normal numbers may be rounded twice.
ASSAY_DEVICE double Scale(double x, int n) {
  if (n > 2200) n = 2200;
  if (n < -2200) n = -2200;
  for (; n > 1023; n -= 1023) x *= PowerOfTwo(1023);
  for (; n < -969; n += 969) x *= PowerOfTwo(-969);
  return x * PowerOfTwo(n);
}

// The integer nearest to x, ties to even, for |x| < 2^51.
ASSAY_DEVICE double NearestInteger(double x) {
  const double shift = 6755399441055744.0;  // 1.5 * 2^52
  return (x + shift) - shift;
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_DEVICE_H_
