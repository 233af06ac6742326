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

// kUsual is kFunction where the distance of the argument's bit pattern from kFirst, without the
// sign if kBothSigns, is at most kDistance. Chunks of such arguments take the quicker of the two.
template <float (*kFunction)(float), float (*kUsual)(float), uint32_t kFirst, uint32_t kDistance,
          bool kBothSigns>
void UsuallyQuicker(Operands operands, std::byte* result, int64_t n,
                    const KernelParameters& parameters) {
  constexpr int64_t kChunk = 256;
  for (int64_t first = 0; first < n; first += kChunk) {
    const int64_t count = n - first < kChunk ? n - first : kChunk;
    const std::byte* from = operands[0] + first * sizeof(float);
    const auto* patterns = reinterpret_cast<const Stored<uint32_t>*>(from);
    uint32_t largest = 0;
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t pattern = patterns[i].value & (kBothSigns ? 0x7fffffffu : 0xffffffffu);
      largest = pattern - kFirst > largest ? pattern - kFirst : largest;
    }
    (largest <= kDistance
         ? Unary<SingleFunction<kUsual>, float, float>
         : Unary<SingleFunction<kFunction>, float, float>)(&from, result + first * sizeof(float),
                                                           count, parameters);
  }
}
constexpr uint32_t kLargestUsualPattern = __builtin_bit_cast(uint32_t, kLargestUsual32);
constexpr uint32_t kLeastNormal = 0x00800000u, kLargestNormal = 0x7f7fffffu;

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
  set(KernelOp::kExp, UsuallyQuicker<Exp32, UsualExp32, 0, kLargestUsualPattern, true>);
  set(KernelOp::kExpm1, Unary<Function<Expm1<double>>, float, float>);
  set(KernelOp::kLog,
      UsuallyQuicker<Log32, UsualLog32, kLeastNormal, kLargestNormal - kLeastNormal, false>);
  set(KernelOp::kLog1p, Unary<Function<Log1p<double>>, float, float>);
  set(KernelOp::kLogistic,
      UsuallyQuicker<Logistic32, UsualLogistic32, 0, kLargestUsualPattern, true>);
  set(KernelOp::kPower, Binary<Function2<Power<double>>, float, float>);
  set(KernelOp::kRsqrt, Unary<SingleFunction<Rsqrt32>, float, float>);
  set(KernelOp::kSin, Trigonometric<double, float, Sin<double>, SinOfAngle<double>>);
  set(KernelOp::kSinh, Unary<Function<Sinh<double>>, float, float>);
  set(KernelOp::kTan, Trigonometric<double, float, Tan<double>, TanOfAngle<double>>);
  set(KernelOp::kTanh, Unary<SingleFunction<Tanh32>, float, float>);
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
