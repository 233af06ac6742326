// Floats narrower than f32, one set of loops for each format: storage to f32, f32 rounded to the
// format (still an f32), and f32 to storage. Decoding and encoding are inverse to each other on all
// patterns, NaNs with their payloads among them, so that moves by way of f32 keep every bit.
#include "backends/cpu/vector/kernels/loops.h"
#include "spec/element/float_formats.h"

namespace assay::cpu::ASSAY_CPU_ISA {
namespace {

constexpr uint32_t kSign32 = 0x80000000u;
constexpr uint32_t kInfinity32 = 0x7f800000u;
constexpr uint32_t kNan32 = 0x7fc00000u;

// A power of two as f32, subnormal ones included.
constexpr float PowerOfTwo(int exponent) {
  float result = 1;
  for (int i = 0; i < exponent; ++i) result *= 2;
  for (int i = 0; i > exponent; --i) result /= 2;
  return result;
}

template <FloatFormat F>
struct Codec {
  static constexpr int kShift = 23 - F.significand_bits;
  static constexpr auto kSignMask = static_cast<uint32_t>(float_formats::SignMask(F));
  static constexpr auto kMagnitudeMask = static_cast<uint32_t>(float_formats::MagnitudeMask(F));
  static constexpr auto kInfinity = static_cast<uint32_t>(float_formats::InfinityPattern(F));
  static constexpr auto kMaxFinite = static_cast<uint32_t>(float_formats::MaxFinitePattern(F));
  static constexpr int kMagnitudeBits = float_formats::MagnitudeBits(F);

  // Multiplying by a power of two normalises what is subnormal in the format. bf16 and f8e8m0fnu
  // have f32's own exponents.
  ASSAY_INLINE static float Decode(uint32_t pattern) {
    const uint32_t sign = (pattern & kSignMask) << (31 - kMagnitudeBits);
    const uint32_t magnitude = pattern & kMagnitudeMask;
    uint32_t bits = magnitude << kShift;
    if constexpr (!F.has_sign) {
      bits = magnitude == 0 ? 0x00400000u : magnitude == 0xff ? kNan32 : bits;
      return FromBits(bits);
    }
    if constexpr (F.bias != 127) {
      constexpr float kScale = PowerOfTwo(127 - F.bias);
      const uint32_t scaled = Bits(FromBits(bits) * kScale);
      if constexpr (F.nan == NanEncoding::kIeee) {
        bits = magnitude >= kInfinity ? bits | kInfinity32 : scaled;
      } else {
        bits = scaled;
      }
    }
    if constexpr (F.nan == NanEncoding::kAllOnes) {
      bits = magnitude == kMagnitudeMask ? kNan32 : bits;
    }
    // Negative: it is below everything in the total order (decision C-1).
    if constexpr (F.nan == NanEncoding::kNegativeZero) bits = pattern == kSignMask ? kNan32 : bits;
    return FromBits(bits | sign);
  }

  // Of what Decode or Round gives.
  ASSAY_INLINE static uint32_t Encode(float value) {
    const uint32_t sign = (Bits(value) & kSign32) >> (31 - kMagnitudeBits);
    const uint32_t bits = Bits(value) & ~kSign32;
    if constexpr (!F.has_sign)
      return bits < 0x00800000u ? 0 : bits > kInfinity32 ? 0xff : bits >> 23;
    uint32_t magnitude = bits >> kShift;
    if constexpr (F.bias != 127) {
      constexpr float kScale = PowerOfTwo(F.bias - 127);
      const uint32_t finite = Bits(FromBits(bits) * kScale) >> kShift;
      if constexpr (F.nan == NanEncoding::kIeee) {
        magnitude = bits >= kInfinity32 ? magnitude & kMagnitudeMask : finite;
      } else {
        magnitude = finite;
      }
    }
    if constexpr (F.nan == NanEncoding::kAllOnes) {
      magnitude = bits > kInfinity32 ? kMagnitudeMask : magnitude;
    }
    if constexpr (F.nan == NanEncoding::kNegativeZero) {
      return bits > kInfinity32 ? kSignMask : magnitude | sign;
    }
    return magnitude | sign;
  }

  // To nearest, ties to even: adding a power of two whose last place is the format's quantum in the
  // value's binade, or in that of the smallest normal number, makes the hardware round.
  ASSAY_INLINE static float Round(float value) {
    const uint32_t sign = Bits(value) & kSign32;
    const float magnitude = FromBits(Bits(value) & ~kSign32);
    if constexpr (!F.has_sign) {
      // f8e8m0fnu: ties up, and two steps of its own at the bottom.
      const uint32_t bits = Bits(magnitude);
      uint32_t rounded = (bits + 0x00400000u) & kInfinity32;
      rounded = bits <= 0x00400000u ? 0x00400000u : bits <= 0x00800000u ? 0x00800000u : rounded;
      const bool valid = value > 0 && rounded < kInfinity32;
      return FromBits(valid ? rounded : kNan32);
    } else {
      constexpr uint32_t kMinNormal = static_cast<uint32_t>(F.min_exponent() + 127) << 23;
      constexpr uint32_t kMax = static_cast<uint32_t>(F.max_exponent() + 127) << 23 |
                                (kMaxFinite & ((1u << F.significand_bits) - 1)) << kShift;
      constexpr uint32_t kDropped = 1u << kShift;
      const uint32_t pattern = Bits(magnitude);
      // Normal values: by carry, which cannot overflow as the shifter would near f32's largest.
      const uint32_t carried =
          (pattern + (kDropped >> 1) - 1 + ((pattern >> kShift) & 1)) & ~(kDropped - 1);
      const float shifter = FromBits(kMinNormal + (static_cast<uint32_t>(kShift) << 23));
      const uint32_t shifted = Bits((magnitude + shifter) - shifter);
      uint32_t rounded = pattern < kMinNormal ? shifted : carried;
      constexpr uint32_t kBeyond = F.overflow == Overflow::kInfinity   ? kInfinity32
                                   : F.overflow == Overflow::kSaturate ? kMax
                                                                       : kNan32;
      rounded = rounded > kMax ? kBeyond : rounded;
      uint32_t result = rounded | sign;
      if constexpr (!F.has_nan()) {
        result = pattern > kInfinity32 ? kSign32 : result;  // decision N-5
      } else {
        result = pattern > kInfinity32 ? kNan32 | sign : result;
      }
      if constexpr (!F.signed_zero) result = rounded == 0 ? 0 : result;
      if constexpr (F.nan == NanEncoding::kNegativeZero) {
        result = rounded > kInfinity32 || pattern > kInfinity32 ? kNan32 | kSign32 : result;
      }
      return FromBits(result);
    }
  }
};

template <FloatFormat F>
struct DecodeFormat : Plain {
  using Plain::Plain;
  template <typename T>
  ASSAY_INLINE float operator()(T pattern) const {
    return Codec<F>::Decode(pattern);
  }
};
template <FloatFormat F>
struct RoundFormat : Plain {
  using Plain::Plain;
  ASSAY_INLINE float operator()(float value) const { return Codec<F>::Round(value); }
};
template <FloatFormat F, typename T>
struct EncodeFormat : Plain {
  using Plain::Plain;
  ASSAY_INLINE T operator()(float value) const { return static_cast<T>(Codec<F>::Encode(value)); }
};

template <FloatFormat F>
void FillFormat(KernelTable& table, ElementType type) {
  using T = std::conditional_t<(F.exponent_bits + F.significand_bits > 8), uint16_t, uint8_t>;
  const int number = static_cast<int>(type);
  table.decode[number] = Unary<DecodeFormat<F>, float, T>;
  table.round[number] = Unary<RoundFormat<F>, float, float>;
  table.encode[number] = Unary<EncodeFormat<F, T>, T, float>;
}

}  // namespace

void FillNarrowFloats(KernelTable& table) {
  FillFormat<float_formats::kF4E2M1FN>(table, ElementType::kF4E2M1FN);
  FillFormat<float_formats::kF6E2M3FN>(table, ElementType::kF6E2M3FN);
  FillFormat<float_formats::kF6E3M2FN>(table, ElementType::kF6E3M2FN);
  FillFormat<float_formats::kF8E3M4>(table, ElementType::kF8E3M4);
  FillFormat<float_formats::kF8E4M3>(table, ElementType::kF8E4M3);
  FillFormat<float_formats::kF8E4M3FN>(table, ElementType::kF8E4M3FN);
  FillFormat<float_formats::kF8E4M3FNUZ>(table, ElementType::kF8E4M3FNUZ);
  FillFormat<float_formats::kF8E4M3B11FNUZ>(table, ElementType::kF8E4M3B11FNUZ);
  FillFormat<float_formats::kF8E5M2>(table, ElementType::kF8E5M2);
  FillFormat<float_formats::kF8E5M2FNUZ>(table, ElementType::kF8E5M2FNUZ);
  FillFormat<float_formats::kF8E8M0FNU>(table, ElementType::kF8E8M0FNU);
  FillFormat<float_formats::kF16>(table, ElementType::kF16);
  FillFormat<float_formats::kBF16>(table, ElementType::kBF16);
}

}  // namespace assay::cpu::ASSAY_CPU_ISA
