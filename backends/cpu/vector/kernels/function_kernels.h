// Loops over functions of one and two doubles, for lanes of f32 and f64.
// Included by sources that are compiled once for each instruction set; see loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_FUNCTION_KERNELS_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_FUNCTION_KERNELS_H_

#include <type_traits>

#include "backends/cpu/vector/kernels/argument_reduction.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

template <double (*kFunction)(double)>
struct Function : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x) const {
    return static_cast<T>(kFunction(x));
  }
};
template <double (*kFunction)(double, double)>
struct Function2 : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE T operator()(T x, T y) const {
    return static_cast<T>(kFunction(x, y));
  }
};

template <float (*kFunction)(float)>
struct SingleFunction : Plain {
  using Plain::Plain;
  ASSAY_INLINE float operator()(float x) const { return kFunction(x); }
};

// Functions of angles: vector code for those of ordinary size, then the large ones one by one.
// Chunks are copied first, since the result may be the operand's storage.
template <typename R, typename T, double (*kQuick)(double), double (*kOfAngle)(Angle<R>)>
void Trigonometric(Operands operands, std::byte* result, int64_t n, const KernelParameters&) {
  constexpr int64_t kChunk = 256;
  const auto* a = reinterpret_cast<const Stored<T>*>(operands[0]);
  auto* r = reinterpret_cast<Stored<T>*>(result);
  for (int64_t first = 0; first < n; first += kChunk) {
    const int64_t count = n - first < kChunk ? n - first : kChunk;
    T chunk[kChunk];
    for (int64_t i = 0; i < count; ++i) chunk[i] = a[first + i].value;
    T largest = 0;
    for (int64_t i = 0; i < count; ++i) {
      const T magnitude = chunk[i] < 0 ? -chunk[i] : chunk[i];
      largest = magnitude > largest ? magnitude : largest;
    }
    ASSAY_VECTOR_LOOP
    for (int64_t i = 0; i < count; ++i) {
      r[first + i].value = static_cast<T>(kQuick(static_cast<double>(chunk[i])));
    }
    if (largest <= static_cast<T>(kLargestQuickAngle)) continue;
    for (int64_t i = 0; i < count; ++i) {
      const auto x = static_cast<double>(chunk[i]);
      if (Magnitude(x) <= kLargestQuickAngle) continue;
      r[first + i].value = Magnitude(x) < kInfinity64
                               ? static_cast<T>(kOfAngle(ReducedLargeAngle<R>(x)))
                               : static_cast<T>(kNan64);
    }
  }
}

// The kernel of a function of one or two numbers, or the kernel itself where it is a special one.
template <typename T, auto kFunction>
constexpr BlockKernel RealKernel() {
  using F = decltype(kFunction);
  if constexpr (std::is_same_v<F, double (*)(double)>) {
    return Unary<Function<kFunction>, T, T>;
  } else if constexpr (std::is_same_v<F, double (*)(double, double)>) {
    return Binary<Function2<kFunction>, T, T>;
  } else if constexpr (std::is_same_v<F, float (*)(float)>) {
    return Unary<SingleFunction<kFunction>, T, T>;
  } else {
    return kFunction;
  }
}

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_FUNCTION_KERNELS_H_
