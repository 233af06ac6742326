// Elementary functions of f32, and of 16-bit floats by way of it. The most used ones are computed
// in f32; the others in double, which leaves one rounding to f32 and an error of about half a unit
// in the last place.
#include "backends/cpu/vector/kernels/function_kernels.h"
#include "backends/cpu/vector/kernels/single.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

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

constexpr BlockKernel kCos32 = Trigonometric<double, float, Cos<double>, CosOfAngle<double>>;
constexpr BlockKernel kExp32 = UsuallyQuicker<Exp32, UsualExp32, 0, kLargestUsualPattern, true>;
constexpr BlockKernel kLog32 =
    UsuallyQuicker<Log32, UsualLog32, kLeastNormal, kLargestNormal - kLeastNormal, false>;
constexpr BlockKernel kLogistic32 =
    UsuallyQuicker<Logistic32, UsualLogistic32, 0, kLargestUsualPattern, true>;
constexpr BlockKernel kSin32 = Trigonometric<double, float, Sin<double>, SinOfAngle<double>>;
constexpr BlockKernel kTan32 = Trigonometric<double, float, Tan<double>, TanOfAngle<double>>;

}  // namespace

void FillFunctions32(KernelTable& table) {
#define FUNCTION(op, f32, f64, complex) \
  At(table, KernelOp::op, Lane::kF32) = RealKernel<float, f32>();
#include "backends/cpu/vector/kernels/functions.def"
#undef FUNCTION
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
