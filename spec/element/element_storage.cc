// Elements in dense storage: one at a time and in blocks. The block loops are written so that the
// compiler vectorises them; small integers and floats of at most 8 bits lie one to the byte.
// Tests: element_storage_test.cc, float_exhaustive_test.cc.
#include <bit>
#include <cassert>
#include <cstring>
#include <type_traits>

#include "spec/element/element.h"
#include "spec/element/float_codec.h"
#include "spec/element/float_formats.h"
#include "spec/element/float_tables.h"

namespace assay {

static_assert(std::endian::native == std::endian::little, "literal storage is little endian");

namespace {

template <typename T>
T LoadAs(const std::byte* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void StoreAs(T value, std::byte* data, int64_t index) {
  std::memcpy(data + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

// memcpy, but for nothing at all the pointers may be null.
void CopyBytes(void* to, const void* from, int64_t bytes) {
  if (bytes > 0) std::memcpy(to, from, static_cast<size_t>(bytes));
}

uint64_t LoadBits(int storage_bytes, const std::byte* data, int64_t index) {
  switch (storage_bytes) {
    case 1:
      return LoadAs<uint8_t>(data, index);
    case 2:
      return LoadAs<uint16_t>(data, index);
    case 4:
      return LoadAs<uint32_t>(data, index);
    default:
      return LoadAs<uint64_t>(data, index);
  }
}

void StoreBits(int storage_bytes, uint64_t bits, std::byte* data, int64_t index) {
  switch (storage_bytes) {
    case 1:
      return StoreAs(static_cast<uint8_t>(bits), data, index);
    case 2:
      return StoreAs(static_cast<uint16_t>(bits), data, index);
    case 4:
      return StoreAs(static_cast<uint32_t>(bits), data, index);
    default:
      return StoreAs(bits, data, index);
  }
}

// All sub-byte integers are kept as bytes whose surplus bits mean nothing.
template <typename Stored, typename Value>
void WidenIntegers(const std::byte* data, int64_t count, int surplus, Value* out) {
  for (int64_t i = 0; i < count; ++i) {
    const auto raw = static_cast<uint64_t>(LoadAs<Stored>(data, i)) << surplus;
    out[i] = static_cast<Value>(raw) >> surplus;
  }
}

template <typename Value>
void DecodeIntegers(ElementType type, const std::byte* data, int64_t count, Value* out) {
  const ElementTypeInfo& info = Info(type);
  const int surplus = 64 - info.bits;
  using Signedness = std::is_signed<Value>;
  switch (info.storage_bytes) {
    case 1:
      if (info.bits < 8) return WidenIntegers<uint8_t>(data, count, surplus, out);
      return WidenIntegers<std::conditional_t<Signedness::value, int8_t, uint8_t>>(data, count, 0,
                                                                                   out);
    case 2:
      return WidenIntegers<std::conditional_t<Signedness::value, int16_t, uint16_t>>(data, count, 0,
                                                                                     out);
    case 4:
      return WidenIntegers<std::conditional_t<Signedness::value, int32_t, uint32_t>>(data, count, 0,
                                                                                     out);
    default:
      CopyBytes(out, data, count * static_cast<int64_t>(sizeof(Value)));
  }
}

template <typename Stored>
void NarrowIntegers(const uint64_t* values, int64_t count, Stored mask, std::byte* out) {
  for (int64_t i = 0; i < count; ++i) {
    StoreAs(static_cast<Stored>(static_cast<Stored>(values[i]) & mask), out, i);
  }
}

void DecodeF16s(const std::byte* data, int64_t count, double* out) {
  // Subnormals are converted as integers; all others are double's bits with another bias.
  constexpr uint64_t kRebias = uint64_t{1023 - 15} << 52;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = LoadAs<uint16_t>(data, i);
    const uint32_t magnitude = bits & 0x7fffu;
    const double subnormal = static_cast<int32_t>(magnitude) * 0x1p-24;
    const uint64_t wide = (static_cast<uint64_t>(magnitude) << 42) + kRebias;
    const uint64_t special =
        float_codec::kDoubleInfinity | (static_cast<uint64_t>(magnitude & 0x3ffu) << 42);
    uint64_t result = magnitude < 0x400u ? std::bit_cast<uint64_t>(subnormal) : wide;
    result = magnitude >= 0x7c00u ? special : result;
    out[i] = std::bit_cast<double>(result | static_cast<uint64_t>(bits & 0x8000u) << 48);
  }
}

template <FloatFormat F>
void EncodeNarrows(const double* values, int64_t count, bool keep_nan_sign, std::byte* out) {
  using Stored = std::conditional_t<(float_formats::MagnitudeBits(F) > 8), uint16_t, uint8_t>;
  for (int64_t i = 0; i < count; ++i) {
    StoreAs(static_cast<Stored>(float_codec::EncodeNarrow<F>(values[i], keep_nan_sign)), out, i);
  }
}

}  // namespace

Element LoadElement(ElementType type, const std::byte* data, int64_t index) {
  const ElementTypeInfo& info = Info(type);
  if (type == ElementType::kC64) {
    return {LoadAs<uint32_t>(data, 2 * index), LoadAs<uint32_t>(data, 2 * index + 1)};
  }
  if (type == ElementType::kC128) {
    return {LoadAs<uint64_t>(data, 2 * index), LoadAs<uint64_t>(data, 2 * index + 1)};
  }
  const uint64_t bits = LoadBits(info.storage_bytes, data, index);
  return {info.bits < 8 ? bits & ((uint64_t{1} << info.bits) - 1) : bits, 0};
}

void StoreElement(ElementType type, Element value, std::byte* data, int64_t index) {
  const ElementTypeInfo& info = Info(type);
  if (info.element_class == ElementClass::kComplex) {
    const int part_bytes = info.storage_bytes / 2;
    StoreBits(part_bytes, value.bits, data, 2 * index);
    StoreBits(part_bytes, value.imag, data, 2 * index + 1);
    return;
  }
  const uint64_t bits = info.bits < 8 ? value.bits & ((uint64_t{1} << info.bits) - 1) : value.bits;
  StoreBits(info.storage_bytes, bits, data, index);
}

void DecodeFloats(ElementType type, const std::byte* data, int64_t count, double* out) {
  switch (type) {
    case ElementType::kC128:
      count *= 2;
      [[fallthrough]];
    case ElementType::kF64:
      CopyBytes(out, data, count * static_cast<int64_t>(sizeof(double)));
      return;
    case ElementType::kC64:
      count *= 2;
      [[fallthrough]];
    case ElementType::kF32:
      for (int64_t i = 0; i < count; ++i) out[i] = LoadAs<float>(data, i);
      return;
    case ElementType::kBF16:
      for (int64_t i = 0; i < count; ++i) {
        out[i] = std::bit_cast<float>(static_cast<uint32_t>(LoadAs<uint16_t>(data, i)) << 16);
      }
      return;
    case ElementType::kF16:
      return DecodeF16s(data, count, out);
    default:
      break;
  }
  const float_tables::ByteTable& table = float_tables::ByteDecoder(type);
  for (int64_t i = 0; i < count; ++i) out[i] = table[LoadAs<uint8_t>(data, i)];
}

void EncodeFloats(ElementType type, const double* values, int64_t count, std::byte* out,
                  NanSign nan_sign) {
  const bool keep = nan_sign == NanSign::kKeep;
  switch (type) {
    case ElementType::kC128:
      count *= 2;
      [[fallthrough]];
    case ElementType::kF64:
      for (int64_t i = 0; i < count; ++i) {
        StoreAs(float_codec::EncodeF64(values[i], keep), out, i);
      }
      return;
    case ElementType::kC64:
      count *= 2;
      [[fallthrough]];
    case ElementType::kF32:
      for (int64_t i = 0; i < count; ++i) {
        StoreAs(static_cast<uint32_t>(float_codec::EncodeF32(values[i], keep)), out, i);
      }
      return;
    case ElementType::kF8E8M0FNU:
      for (int64_t i = 0; i < count; ++i) {
        StoreAs(static_cast<uint8_t>(float_codec::EncodeScale(values[i])), out, i);
      }
      return;
#define NARROW_FLOAT(name)   \
  case ElementType::k##name: \
    return EncodeNarrows<float_formats::k##name>(values, count, keep, out);
#include "spec/element/narrow_floats.def"
#undef NARROW_FLOAT
    default:
      break;
  }
  assert(false && "not a float or complex type");
}

void DecodeSigneds(ElementType type, const std::byte* data, int64_t count, int64_t* out) {
  DecodeIntegers(type, data, count, out);
}

void DecodeUnsigneds(ElementType type, const std::byte* data, int64_t count, uint64_t* out) {
  DecodeIntegers(type, data, count, out);
}

void EncodeIntegers(ElementType type, const uint64_t* values, int64_t count, std::byte* out) {
  const ElementTypeInfo& info = Info(type);
  const auto byte_mask = static_cast<uint8_t>(info.bits < 8 ? (1u << info.bits) - 1 : 0xffu);
  switch (info.storage_bytes) {
    case 1:
      return NarrowIntegers<uint8_t>(values, count, byte_mask, out);
    case 2:
      return NarrowIntegers<uint16_t>(values, count, 0xffffu, out);
    case 4:
      return NarrowIntegers<uint32_t>(values, count, 0xffffffffu, out);
    default:
      CopyBytes(out, values, count * static_cast<int64_t>(sizeof(uint64_t)));
  }
}

}  // namespace assay
