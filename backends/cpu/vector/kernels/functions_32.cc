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
  FillFunctions<double, float>(table);
  At(table, KernelOp::kErf, Lane::kF32) = Unary<SingleFunction<Erf32>, float, float>;
  At(table, KernelOp::kExp, Lane::kF32) = Unary<SingleFunction<Exp32>, float, float>;
  At(table, KernelOp::kLog, Lane::kF32) = Unary<SingleFunction<Log32>, float, float>;
  At(table, KernelOp::kLogistic, Lane::kF32) = Unary<SingleFunction<Logistic32>, float, float>;
  At(table, KernelOp::kRsqrt, Lane::kF32) = Unary<SingleFunction<Rsqrt32>, float, float>;
  At(table, KernelOp::kTanh, Lane::kF32) = Unary<SingleFunction<Tanh32>, float, float>;
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
