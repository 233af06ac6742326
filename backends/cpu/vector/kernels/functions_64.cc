// Elementary functions of f64.
#include "backends/cpu/vector/kernels/doubles.h"
#include "backends/cpu/vector/kernels/function_kernels.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

constexpr BlockKernel kCos64 = Trigonometric<Pair, double, Cos64, Cos64OfAngle>;
constexpr BlockKernel kPower64 = Binary<Function2<Power<Pair, ExpOf64>>, double, double>;
constexpr BlockKernel kSin64 = Trigonometric<Pair, double, Sin64, Sin64OfAngle>;
constexpr BlockKernel kTan64 = Trigonometric<Pair, double, Tan64, Tan64OfAngle>;

}  // namespace

void FillFunctions64(KernelTable& table) {
#define FUNCTION(op, f32, f64, complex) \
  At(table, KernelOp::op, Lane::kF64) = RealKernel<double, f64>();
#include "backends/cpu/vector/kernels/functions.def"
#undef FUNCTION
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
