// Elementary functions of f32, and of 16-bit floats by way of it. The most used ones are computed
// in f32; the others in double, which leaves one rounding to f32 and an error of about half a unit
// in the last place.
#include "backends/cpu/vector/kernels/function_kernels.h"
#include "backends/cpu/vector/kernels/single.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

template <float (*kFunction)(float)>
struct SingleFunction : Plain {
  using Plain::Plain;
  ASSAY_INLINE float operator()(float x) const { return kFunction(x); }
};

}  // namespace

void FillFunctions32(KernelTable& table) {
  auto set = [&table](KernelOp op, BlockKernel kernel) { At(table, op, Lane::kF32) = kernel; };
  set(KernelOp::kAcos, Unary<Function<Acos<double>>, float, float>);
  set(KernelOp::kAcosh, Unary<Function<Acosh<double>>, float, float>);
  set(KernelOp::kAsin, Unary<Function<Asin<double>>, float, float>);
  set(KernelOp::kAsinh, Unary<Function<Asinh<double>>, float, float>);
  set(KernelOp::kAtan2, Binary<Function2<Atan2<double>>, float, float>);
  set(KernelOp::kAtanh, Unary<Function<Atanh<double>>, float, float>);
  set(KernelOp::kCbrt, Unary<Function<Cbrt<double>>, float, float>);
  set(KernelOp::kCos, Trigonometric<double, float, Cos<double>, CosOfAngle<double>>);
  set(KernelOp::kCosh, Unary<Function<Cosh<double>>, float, float>);
  set(KernelOp::kErf, Unary<SingleFunction<Erf32>, float, float>);
  set(KernelOp::kExp, Unary<SingleFunction<Exp32>, float, float>);
  set(KernelOp::kExpm1, Unary<Function<Expm1<double>>, float, float>);
  set(KernelOp::kLog, Unary<SingleFunction<Log32>, float, float>);
  set(KernelOp::kLog1p, Unary<Function<Log1p<double>>, float, float>);
  set(KernelOp::kLogistic, Unary<SingleFunction<Logistic32>, float, float>);
  set(KernelOp::kPower, Binary<Function2<Power<double>>, float, float>);
  set(KernelOp::kRsqrt, Unary<SingleFunction<Rsqrt32>, float, float>);
  set(KernelOp::kSin, Trigonometric<double, float, Sin<double>, SinOfAngle<double>>);
  set(KernelOp::kSinh, Unary<Function<Sinh<double>>, float, float>);
  set(KernelOp::kTan, Trigonometric<double, float, Tan<double>, TanOfAngle<double>>);
  set(KernelOp::kTanh, Unary<SingleFunction<Tanh32>, float, float>);
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
