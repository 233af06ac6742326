// Elementary functions of f64.
#include "backends/cpu/vector/kernels/doubles.h"
#include "backends/cpu/vector/kernels/function_kernels.h"

namespace assay::cpu::ASSAY_CPU_ISA {

void FillFunctions64(KernelTable& table) {
  auto set = [&table](KernelOp op, BlockKernel kernel) { At(table, op, Lane::kF64) = kernel; };
  set(KernelOp::kAcos, Unary<Function<Acos64>, double, double>);
  set(KernelOp::kAcosh, Unary<Function<Acosh64>, double, double>);
  set(KernelOp::kAsin, Unary<Function<Asin64>, double, double>);
  set(KernelOp::kAsinh, Unary<Function<Asinh64>, double, double>);
  set(KernelOp::kAtan2, Binary<Function2<Atan2_64>, double, double>);
  set(KernelOp::kAtanh, Unary<Function<Atanh64>, double, double>);
  set(KernelOp::kCbrt, Unary<Function<Cbrt64>, double, double>);
  set(KernelOp::kCos, Trigonometric<Pair, double, Cos64, Cos64OfAngle>);
  set(KernelOp::kCosh, Unary<Function<Cosh64>, double, double>);
  set(KernelOp::kErf, Unary<Function<Erf64>, double, double>);
  set(KernelOp::kExp, Unary<Function<Exp64>, double, double>);
  set(KernelOp::kExpm1, Unary<Function<Expm1_64>, double, double>);
  set(KernelOp::kLog, Unary<Function<Log64>, double, double>);
  set(KernelOp::kLog1p, Unary<Function<Log1p64>, double, double>);
  set(KernelOp::kLogistic, Unary<Function<Logistic64>, double, double>);
  set(KernelOp::kPower, Binary<Function2<Power<Pair, ExpOf64>>, double, double>);
  set(KernelOp::kRsqrt, Unary<Function<Rsqrt<Pair>>, double, double>);
  set(KernelOp::kSin, Trigonometric<Pair, double, Sin64, Sin64OfAngle>);
  set(KernelOp::kSinh, Unary<Function<Sinh64>, double, double>);
  set(KernelOp::kTan, Trigonometric<Pair, double, Tan64, Tan64OfAngle>);
  set(KernelOp::kTanh, Unary<Function<Tanh64>, double, double>);
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
