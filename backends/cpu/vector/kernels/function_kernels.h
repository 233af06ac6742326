// Loops over elementary functions whose results are of T (f32 or f64), computed as R.
// Included by sources that are compiled once for each instruction set; see loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_FUNCTION_KERNELS_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_FUNCTION_KERNELS_H_

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

template <typename R, typename T>
void FillFunctions(KernelTable& table) {
  auto unary = [&table](KernelOp op, BlockKernel kernel) { At(table, op, LaneFor<T>()) = kernel; };
  unary(KernelOp::kAcos, Unary<Function<Acos<R>>, T, T>);
  unary(KernelOp::kAcosh, Unary<Function<Acosh<R>>, T, T>);
  unary(KernelOp::kAsin, Unary<Function<Asin<R>>, T, T>);
  unary(KernelOp::kAsinh, Unary<Function<Asinh<R>>, T, T>);
  unary(KernelOp::kAtan2, Binary<Function2<Atan2<R>>, T, T>);
  unary(KernelOp::kAtanh, Unary<Function<Atanh<R>>, T, T>);
  unary(KernelOp::kCbrt, Unary<Function<Cbrt<R>>, T, T>);
  unary(KernelOp::kCos, Trigonometric<R, T, Cos<R>, CosOfAngle<R>>);
  unary(KernelOp::kCosh, Unary<Function<Cosh<R>>, T, T>);
  unary(KernelOp::kErf, Unary<Function<Erf<R>>, T, T>);
  unary(KernelOp::kExp, Unary<Function<Exp<R>>, T, T>);
  unary(KernelOp::kExpm1, Unary<Function<Expm1<R>>, T, T>);
  unary(KernelOp::kLog, Unary<Function<Log<R>>, T, T>);
  unary(KernelOp::kLog1p, Unary<Function<Log1p<R>>, T, T>);
  unary(KernelOp::kLogistic, Unary<Function<Logistic<R>>, T, T>);
  unary(KernelOp::kPower, Binary<Function2<Power<R>>, T, T>);
  unary(KernelOp::kRsqrt, Unary<Function<Rsqrt<R>>, T, T>);
  unary(KernelOp::kSin, Trigonometric<R, T, Sin<R>, SinOfAngle<R>>);
  unary(KernelOp::kSinh, Unary<Function<Sinh<R>>, T, T>);
  unary(KernelOp::kTan, Trigonometric<R, T, Tan<R>, TanOfAngle<R>>);
  unary(KernelOp::kTanh, Unary<Function<Tanh<R>>, T, T>);
}

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_FUNCTION_KERNELS_H_
