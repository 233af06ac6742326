#include "backends/cpu/contract/number_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "spec/element/element.h"

namespace assay::cpu {
namespace {

constexpr int64_t kBlock = 256;

template <typename T>
void CopyNumbers(ElementType, const std::byte* from, int64_t count, T* to) {
  std::memcpy(to, from, count * sizeof(T));
}

// The exponent is moved by a multiplication, which makes subnormals normal; infinity and NaN are
// what lies beyond the largest exponent.
void ReadEachHalf(ElementType, const std::byte* from, int64_t count, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, from + 2 * i, 2);
    const uint32_t magnitude = uint32_t{bits & 0x7fffu} << 13;
    const float moved = std::bit_cast<float>(magnitude) * 0x1p112f;
    const uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
    to[i] = std::bit_cast<float>((std::bit_cast<uint32_t>(moved) | special) |
                                 uint32_t{bits & 0x8000u} << 16);
  }
}

// By the byte that holds the element.
using FloatTable = std::array<float, 256>;
const FloatTable& TableOf(ElementType type) {
  static const auto* const tables = [] {
    auto* all = new std::array<FloatTable, 64>();
    for (const ElementType each : kArrayTypes) {
      if (!IsFloat(each) || Info(each).storage_bytes != 1) continue;
      for (int byte = 0; byte < 256; ++byte) {
        const uint64_t bits = byte & ((1u << Info(each).bits) - 1);
        (*all)[static_cast<int>(each)][byte] = static_cast<float>(DecodeFloat(each, bits));
      }
    }
    return all;
  }();
  return (*tables)[static_cast<int>(type)];
}
template <typename T>
void ReadByteFloats(ElementType type, const std::byte* from, int64_t count, T* to) {
  const FloatTable& table = TableOf(type);
  for (int64_t i = 0; i < count; ++i) to[i] = table[static_cast<uint8_t>(from[i])];
}

void ReadDoubles(ElementType type, const std::byte* from, int64_t count, double* to) {
  DecodeFloats(type, from, count, to);
}

// From is the type that the elements have in memory.
template <typename From, typename T>
void ReadIntegers(ElementType, const std::byte* from, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * static_cast<int64_t>(sizeof value), sizeof value);
    to[i] = static_cast<T>(value);
  }
}
template <typename T>
void ReadNarrowSigned(ElementType type, const std::byte* from, int64_t count, T* to) {
  const int shift = 8 - Info(type).bits;
  for (int64_t i = 0; i < count; ++i) {
    const auto raised = static_cast<int8_t>(static_cast<uint8_t>(from[i]) << shift);
    to[i] = static_cast<T>(static_cast<int8_t>(raised >> shift));
  }
}
template <typename T>
void ReadNarrowUnsigned(ElementType type, const std::byte* from, int64_t count, T* to) {
  const int mask = (1 << Info(type).bits) - 1;
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(static_cast<uint8_t>(from[i]) & mask);
}

template <typename T>
using ReadAny = void (*)(ElementType type, const std::byte* from, int64_t count, T* to);

template <typename T>
ReadAny<T> IntegerReader(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  const bool is_signed = IsSigned(type);
  if (info.bits < 8) return is_signed ? ReadNarrowSigned<T> : ReadNarrowUnsigned<T>;
  switch (info.bits) {
    case 8:
      return is_signed ? ReadIntegers<int8_t, T> : ReadIntegers<uint8_t, T>;
    case 16:
      return is_signed ? ReadIntegers<int16_t, T> : ReadIntegers<uint16_t, T>;
    case 32:
      return is_signed ? ReadIntegers<int32_t, T> : ReadIntegers<uint32_t, T>;
    default:
      return ReadIntegers<uint64_t, T>;
  }
}

void WriteFloats(ElementType type, const float* from, int64_t count, std::byte* to) {
  if (type == ElementType::kF32) {
    std::memcpy(to, from, count * sizeof(float));
    return;
  }
  const int64_t bytes = Info(type).storage_bytes;
  double block[kBlock];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = std::min(kBlock, count - i);
    for (int64_t k = 0; k < n; ++k) block[k] = from[i + k];
    EncodeFloats(type, block, n, to + i * bytes, NanSign::kPositive);
  }
}

template <typename T>
void WriteIntegers(ElementType type, const T* from, int64_t count, std::byte* to) {
  const int64_t bytes = Info(type).storage_bytes;
  uint64_t block[kBlock];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = std::min(kBlock, count - i);
    for (int64_t k = 0; k < n; ++k) {
      block[k] = IsPred(type) ? uint64_t{from[i + k] != 0} : uint64_t{from[i + k]};
    }
    EncodeIntegers(type, block, n, to + i * bytes);
  }
}

}  // namespace

template <>
bool IsStoredAs<float>(ElementType type) {
  return type == ElementType::kF32;
}
template <>
bool IsStoredAs<double>(ElementType type) {
  return type == ElementType::kF64;
}
template <>
bool IsStoredAs<uint32_t>(ElementType type) {
  return type == ElementType::kS32 || type == ElementType::kU32;
}
template <>
bool IsStoredAs<uint64_t>(ElementType type) {
  return type == ElementType::kS64 || type == ElementType::kU64;
}

template <>
BlockReader<float>::BlockReader(ElementType type, const TileConversions& convert) : type_(type) {
  read_ = type == ElementType::kF32   ? CopyNumbers<float>
          : type == ElementType::kF16 ? ReadEachHalf
                                      : ReadByteFloats<float>;
  if (type == ElementType::kBF16) read_vectors_ = convert.read_bf16;
  if (type == ElementType::kF16) read_vectors_ = convert.read_f16;
}
template <>
BlockReader<double>::BlockReader(ElementType type, const TileConversions&)
    : type_(type), read_(type == ElementType::kF64 ? CopyNumbers<double> : ReadDoubles) {}
template <>
BlockReader<uint32_t>::BlockReader(ElementType type, const TileConversions&)
    : type_(type), read_(IntegerReader<uint32_t>(type)) {}
template <>
BlockReader<uint64_t>::BlockReader(ElementType type, const TileConversions&)
    : type_(type), read_(IntegerReader<uint64_t>(type)) {}

template <>
void WriteBlock<float>(ElementType type, const TileConversions& convert, const float* from,
                       int64_t count, std::byte* to) {
  if (type == ElementType::kBF16) return convert.write_bf16(from, count, to);
  if (type == ElementType::kF16 && convert.write_f16 != nullptr) {
    return convert.write_f16(from, count, to);
  }
  WriteFloats(type, from, count, to);
}
template <>
void WriteBlock<double>(ElementType type, const TileConversions&, const double* from, int64_t count,
                        std::byte* to) {
  EncodeFloats(type, from, count, to, NanSign::kPositive);
}
template <>
void WriteBlock<uint32_t>(ElementType type, const TileConversions&, const uint32_t* from,
                          int64_t count, std::byte* to) {
  WriteIntegers(type, from, count, to);
}
template <>
void WriteBlock<uint64_t>(ElementType type, const TileConversions&, const uint64_t* from,
                          int64_t count, std::byte* to) {
  WriteIntegers(type, from, count, to);
}

ElementType ArithmeticOf(ElementType lhs, ElementType rhs, ElementType result, int64_t depth) {
  if (IsFloat(result)) {
    const bool wide =
        lhs == ElementType::kF64 || rhs == ElementType::kF64 || result == ElementType::kF64;
    return wide ? ElementType::kF64 : ElementType::kF32;
  }
  // Sums of pred count what is true.
  constexpr int64_t kMostCounted = int64_t{1} << 31;
  const bool wide = Info(result).bits == 64 || (IsPred(result) && depth > kMostCounted);
  return wide ? ElementType::kU64 : ElementType::kU32;
}

bool FitPairs(ElementType lhs, ElementType rhs) {
  for (const ElementType type : {lhs, rhs}) {
    const bool fits =
        IsPred(type) || (IsInteger(type) && Info(type).bits <= (IsSigned(type) ? 16 : 8));
    if (!fits) return false;
  }
  return true;
}

}  // namespace assay::cpu
