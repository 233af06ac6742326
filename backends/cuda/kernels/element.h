// Elements as kernels read and write them: loads and stores by the number of bytes, decoding of
// every float type to double (exact) and of integers to 64 bits, and encoding, which rounds once.
// The row of the type is read at run time. Tests: kernel_elements_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_KERNELS_ELEMENT_H_
#define ASSAY_BACKENDS_CUDA_KERNELS_ELEMENT_H_

#include "backends/cuda/kernels/device.h"
#include "backends/cuda/kernels/element_row.h"

namespace assay::cuda::ASSAY_CUDA_BUILD {

ASSAY_DEVICE uint64_t LowBits(int bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }

ASSAY_DEVICE Value Load(const ElementRow& row, const void* data, int64_t index) {
  switch (row.bytes) {
    case 1:
      return {static_cast<const uint8_t*>(data)[index] & LowBits(row.bits), 0};
    case 2:
      return {static_cast<const uint16_t*>(data)[index], 0};
    case 4:
      return {static_cast<const uint32_t*>(data)[index], 0};
    case 8: {
      const uint64_t bits = static_cast<const uint64_t*>(data)[index];
      if (row.kind != kKindComplex) return {bits, 0};
      return {bits & 0xffffffffull, bits >> 32};
    }
    default: {
      const uint64_t* parts = static_cast<const uint64_t*>(data) + 2 * index;
      return {parts[0], parts[1]};
    }
  }
}
ASSAY_DEVICE void Store(const ElementRow& row, void* data, int64_t index, Value value) {
  switch (row.bytes) {
    case 1:
      static_cast<uint8_t*>(data)[index] = static_cast<uint8_t>(value.bits);
      return;
    case 2:
      static_cast<uint16_t*>(data)[index] = static_cast<uint16_t>(value.bits);
      return;
    case 4:
      static_cast<uint32_t*>(data)[index] = static_cast<uint32_t>(value.bits);
      return;
    case 8:
      static_cast<uint64_t*>(data)[index] =
          row.kind == kKindComplex ? value.bits | value.imag << 32 : value.bits;
      return;
    default:
      static_cast<uint64_t*>(data)[2 * index] = value.bits;
      static_cast<uint64_t*>(data)[2 * index + 1] = value.imag;
  }
}

// Integers. Values are sign- or zero-extended to 64 bits.
ASSAY_DEVICE int64_t DecodeSigned(const ElementRow& row, uint64_t bits) {
  const int unused = 64 - row.bits;
  return static_cast<int64_t>(bits << unused) >> unused;
}
ASSAY_DEVICE uint64_t DecodeInteger(const ElementRow& row, uint64_t bits) {
  return row.kind == kKindSigned ? static_cast<uint64_t>(DecodeSigned(row, bits)) : bits;
}
ASSAY_DEVICE uint64_t EncodeInteger(const ElementRow& row, uint64_t value) {
  return value & LowBits(row.bits);
}

ASSAY_DEVICE bool IsScale(const ElementRow& row) { return !row.has_sign; }  // f8e8m0fnu
ASSAY_DEVICE uint64_t SignMask(const ElementRow& row) { return 1ull << (row.bits - 1); }

ASSAY_DEVICE uint64_t CanonicalNan(const ElementRow& row, bool negative = false) {
  const uint64_t sign = negative ? SignMask(row) : 0;
  const uint64_t exponent = LowBits(row.exponent_bits) << row.significand_bits;
  switch (row.nan) {
    case kNanIeee:
      return sign | exponent | 1ull << (row.significand_bits - 1);
    case kNanAllOnes:
      return IsScale(row) ? 0xff : sign | exponent | LowBits(row.significand_bits);
    default:
      return SignMask(row);  // of fnuz the NaN; of types without one the negative zero
  }
}
ASSAY_DEVICE uint64_t LargestFinite(const ElementRow& row) {
  const uint64_t all = LowBits(row.exponent_bits + row.significand_bits);
  if (row.nan == kNanIeee) return (LowBits(row.exponent_bits) << row.significand_bits) - 1;
  return row.nan == kNanAllOnes ? all - 1 : all;
}
ASSAY_DEVICE bool IsNanBits(const ElementRow& row, uint64_t bits) {
  const uint64_t magnitude = bits & ~SignMask(row);
  switch (row.nan) {
    case kNanIeee:
      return magnitude > LowBits(row.exponent_bits) << row.significand_bits;
    case kNanAllOnes:
      return IsScale(row) ? bits == 0xff : magnitude == LowBits(row.bits - 1);
    case kNanNegativeZero:
      return bits == SignMask(row);
    default:
      return false;
  }
}

// The exact value of a float pattern.
ASSAY_DEVICE_SELECTION double DecodeFloat(const ElementRow& row, uint64_t bits) {
  if (row.bits == 32) return BitsAs<float>(static_cast<uint32_t>(bits));
  if (row.bits == 64) return BitsDouble(bits);
  if (IsNanBits(row, bits)) return WithSign(NanValue(), row.has_sign && (bits & SignMask(row)));
  if (IsScale(row)) return PowerOfTwo(static_cast<int>(bits) - row.bias);
  const bool negative = (bits & SignMask(row)) != 0;
  const uint64_t magnitude = bits & ~SignMask(row);
  const int field = static_cast<int>(magnitude >> row.significand_bits);
  const uint64_t fraction = magnitude & LowBits(row.significand_bits);
  if (row.has_infinity && field == static_cast<int>(LowBits(row.exponent_bits))) {
    return WithSign(InfinityValue(), negative);
  }
  const double whole =
      static_cast<double>(field == 0 ? fraction : fraction | 1ull << row.significand_bits);
  const int exponent = (field == 0 ? 1 : field) - row.bias - row.significand_bits;
  return WithSign(whole * PowerOfTwo(exponent), negative);
}

ASSAY_DEVICE uint64_t OverflowBits(const ElementRow& row, bool negative) {
  const uint64_t sign = negative ? SignMask(row) : 0;
  if (row.overflow == kOverflowInfinity) {
    return sign | LowBits(row.exponent_bits) << row.significand_bits;
  }
  return row.overflow == kOverflowNan ? CanonicalNan(row, negative) : sign | LargestFinite(row);
}
// f8e8m0fnu: the nearest power of two, ties up; NaN for what is not positive.
ASSAY_DEVICE uint64_t EncodeScale(double x) {
  if (!(x > 0) || !IsFiniteValue(x)) return 0xff;
  const uint64_t bits = DoubleBits(x);
  const int exponent = static_cast<int>(bits >> 52) - 1023;  // subnormals are below 2^-127
  const uint64_t fraction = bits & 0xfffffffffffffull;
  if (exponent < -127 || (exponent == -127 && fraction == 0)) return 0;
  if (exponent == -127) return 1;
  const int rounded = fraction >> 51 ? exponent + 1 : exponent;
  return rounded > 127 ? 0xff : static_cast<uint64_t>(rounded + 127);
}
// The pattern nearest to x, ties to even. `keep_sign`: a NaN keeps its sign (conversions).
ASSAY_DEVICE_SELECTION uint64_t EncodeFloat(const ElementRow& row, double x,
                                            bool keep_sign = false) {
  if (IsNanValue(x)) return CanonicalNan(row, keep_sign && SignBit(x));
  if (row.bits == 64) return DoubleBits(x);
  if (row.bits == 32) return BitsAs<uint32_t>(static_cast<float>(x));
  if (IsScale(row)) return EncodeScale(x);
  const bool negative = SignBit(x);
  const uint64_t sign = negative ? SignMask(row) : 0;
  if (!IsFiniteValue(x)) return OverflowBits(row, negative);
  const uint64_t bits = DoubleBits(Magnitude(x));
  const int exponent = static_cast<int>(bits >> 52) - 1023;
  const int least = 1 - row.bias;
  const int shift = 52 - row.significand_bits + (exponent < least ? least - exponent : 0);
  uint64_t kept = 0;
  if (shift <= 54 && bits >> 52 != 0) {
    const uint64_t significand = (bits & 0xfffffffffffffull) | 1ull << 52;
    kept = significand >> shift;
    const uint64_t rest = significand & LowBits(shift), half = 1ull << (shift - 1);
    if (rest > half || (rest == half && ASSAY_MUTANT(9, (kept & 1) != 0, true))) ++kept;
  }
  if (exponent >= least) kept += static_cast<uint64_t>(exponent - least) << row.significand_bits;
  if (kept > LargestFinite(row)) return OverflowBits(row, negative);
  return kept == 0 && !row.signed_zero ? 0 : sign | kept;
}
// One rounding from integers: to double by way of rounding to odd where a second rounding follows.
ASSAY_DEVICE uint64_t EncodeFloatFromInteger(const ElementRow& row, bool negative,
                                             uint64_t magnitude) {
  if (row.bits == 64 || magnitude < (1ull << 53)) {
    const double x = static_cast<double>(magnitude);
    return EncodeFloat(row, negative ? -x : x);
  }
  int shift = 0;
  while (magnitude >> shift >= (1ull << 53)) ++shift;
  uint64_t odd = magnitude >> shift;
  if ((magnitude & LowBits(shift)) != 0) odd |= ASSAY_MUTANT(10, 1, 0);
  const double x = static_cast<double>(odd) * PowerOfTwo(shift);
  return EncodeFloat(row, negative ? -x : x);
}
// Truncates toward zero and saturates; NaN gives 0.
ASSAY_DEVICE uint64_t EncodeIntegerFromFloat(const ElementRow& row, double x) {
  if (IsNanValue(x)) return 0;
  if (row.kind == kKindUnsigned) {
    if (x <= 0) return 0;
    if (x >= 2 * PowerOfTwo(row.bits - 1)) return LowBits(row.bits);
    return static_cast<uint64_t>(x);
  }
  const double limit = PowerOfTwo(row.bits - 1);
  if (x >= limit) return LowBits(row.bits - 1);
  if (x <= -limit) return 1ull << (row.bits - 1);
  return EncodeInteger(row, static_cast<uint64_t>(static_cast<int64_t>(x)));
}

// The order of TOTALORDER as integers.
ASSAY_DEVICE int64_t TotalOrderKey(const ElementRow& row, uint64_t bits) {
  if (row.kind == kKindSigned) return DecodeSigned(row, bits);
  if (row.kind != kKindFloat || IsScale(row)) return static_cast<int64_t>(bits);
  const int64_t magnitude = static_cast<int64_t>(bits & ~SignMask(row));
  if ((bits & SignMask(row)) == 0) return magnitude;
  if (row.nan == kNanNegativeZero) {
    return magnitude == 0 ? -static_cast<int64_t>(SignMask(row)) : -magnitude;
  }
  return -magnitude - 1;
}

ASSAY_DEVICE_SELECTION Value Convert(const ElementRow& from, const ElementRow& to, Value x) {
  if (from.kind == to.kind && from.bits == to.bits && from.bias == to.bias && from.nan == to.nan &&
      from.significand_bits == to.significand_bits) {
    return x;
  }
  const bool to_complex = to.kind == kKindComplex;
  if (from.kind == kKindComplex && !to_complex) x.imag = 0;
  if (from.kind == kKindFloat || from.kind == kKindComplex) {
    const double real = DecodeFloat(from, x.bits);
    if (to_complex) {
      const double imag = from.kind == kKindComplex ? DecodeFloat(from, x.imag) : 0;
      return {EncodeFloat(to, real, true), EncodeFloat(to, imag, true)};
    }
    if (to.kind == kKindFloat) return {EncodeFloat(to, real, true), 0};
    if (to.kind == kKindPred) return {real != 0, 0};
    return {EncodeIntegerFromFloat(to, real), 0};
  }
  const uint64_t integer = DecodeInteger(from, x.bits);
  if (to.kind == kKindPred) return {integer != 0, 0};
  if (to.kind == kKindSigned || to.kind == kKindUnsigned) return {EncodeInteger(to, integer), 0};
  const bool negative = from.kind == kKindSigned && (integer >> 63) != 0;
  return {EncodeFloatFromInteger(to, negative, negative ? 0 - integer : integer), 0};
}

}  // namespace assay::cuda::ASSAY_CUDA_BUILD

#endif  // ASSAY_BACKENDS_CUDA_KERNELS_ELEMENT_H_
