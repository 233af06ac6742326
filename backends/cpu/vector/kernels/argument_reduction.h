// Angles of any size less the nearest multiple of pi/2, by the method of Payne and Hanek: the
// product with as many bits of 2/pi as matter, in integers. One at a time: large angles are rare.
// Included by sources that are compiled once for each instruction set; see loops.h.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_KERNELS_ARGUMENT_REDUCTION_H_
#define ASSAY_BACKENDS_CPU_VECTOR_KERNELS_ARGUMENT_REDUCTION_H_

#include "backends/cpu/vector/kernels/elementary.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

// 64 bits of 2/pi after the first `offset` (from -64) behind the point.
ASSAY_INLINE uint64_t BitsOfTwoOverPi(int offset) {
  auto word = [](int i) { return i < 0 ? uint64_t{0} : polynomials::kTwoOverPi[i]; };
  const int first = (offset + 64) / 64 - 1;
  const int shift = (offset + 64) % 64;
  return shift == 0 ? word(first) : word(first) << shift | word(first + 1) >> (64 - shift);
}

// `x` is finite and at least 2^20 in magnitude.
template <typename R>
__attribute__((noinline)) Angle<R> ReducedLargeAngle(double x) {
  using Wide = unsigned __int128;
  const uint64_t pattern = Bits(Magnitude(x));
  const uint64_t significand = (pattern & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const int exponent = static_cast<int>(pattern >> 52) - 1023 - 52;
  // x 2/pi modulo 4, in units of 2^-254. Earlier bits of 2/pi give multiples of 4.
  const int offset = exponent - 2;
  Wide sum = static_cast<Wide>(significand) * BitsOfTwoOverPi(offset + 192);
  sum = static_cast<Wide>(significand) * BitsOfTwoOverPi(offset + 128) + (sum >> 64);
  const auto low = static_cast<uint64_t>(sum);
  sum = static_cast<Wide>(significand) * BitsOfTwoOverPi(offset + 64) + (sum >> 64);
  const auto middle = static_cast<uint64_t>(sum);
  const uint64_t high = significand * BitsOfTwoOverPi(offset) + static_cast<uint64_t>(sum >> 64);
  uint64_t quadrant = high >> 62;
  uint64_t fraction[3] = {high << 2 | middle >> 62, middle << 2 | low >> 62, low << 2};
  bool negative = Bits(x) >> 63 != 0;
  const bool above_half = fraction[0] >> 63 != 0;
  if (above_half) {  // 1 - fraction, less a unit of the last place
    for (uint64_t& word : fraction) word = ~word;
    ++quadrant;
  }
  if (negative) quadrant = -quadrant;
  negative = negative != above_half;
  // At most 62 zeros: no double comes nearer to a multiple of pi/2.
  const int zeros = fraction[0] == 0 ? 63 : __builtin_clzll(fraction[0]);
  if (zeros > 0) {
    fraction[0] = fraction[0] << zeros | fraction[1] >> (64 - zeros);
    fraction[1] = fraction[1] << zeros | fraction[2] >> (64 - zeros);
  }
  const double unit = (negative ? -0x1p-64 : 0x1p-64) * PowerOfTwo(-zeros);
  const Pair quarters = FastTwoSum(
      static_cast<double>(fraction[0] & ~uint64_t{0x7ff}) * unit,
      (static_cast<double>(fraction[0] & 0x7ff) + static_cast<double>(fraction[1]) * 0x1p-64) *
          unit);
  const Pair rest = quarters * Constant<Pair>(polynomials::kHalfPi);
  if constexpr (kIsPair<R>) {
    return {rest, quadrant};
  } else {
    return {rest.hi, quadrant};
  }
}

}  // namespace
}  // namespace assay::cpu::ASSAY_CPU_ISA

#endif  // ASSAY_BACKENDS_CPU_VECTOR_KERNELS_ARGUMENT_REDUCTION_H_
