#include "spec/stablehlo/dense_bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "spec/element/element_type.h"
#include "spec/stablehlo/dense_reader.h"

namespace assay::stablehlo {
namespace {

// Smaller constants are copied: a reference would keep the file alive for nothing.
constexpr size_t kSmallestShared = 4096;

void AllocateDense(int64_t size, Attribute& dense) {
  dense.bytes = std::shared_ptr<std::byte[]>(new std::byte[std::max<int64_t>(size, 1)]);
  dense.byte_count = size;
}

void CopyDense(absl::string_view blob, Attribute& dense) {
  AllocateDense(static_cast<int64_t>(blob.size()), dense);
  if (!blob.empty()) std::memcpy(dense.bytes.get(), blob.data(), blob.size());
}

bool MayShare(absl::string_view blob, int64_t element_bytes, const void* owner) {
  const auto address = reinterpret_cast<uintptr_t>(blob.data());
  return owner != nullptr && blob.size() >= kSmallestShared &&
         address % static_cast<uintptr_t>(std::min<int64_t>(element_bytes, 8)) == 0;
}

// Truth values, as bits (the lowest first) or as bytes. One byte 0xFF is the splat of true, and all
// of up to eight bits.
const char* FillTruthValues(int64_t count, absl::string_view blob, Attribute& dense) {
  const int64_t size = static_cast<int64_t>(blob.size());
  const int64_t packed = count / 8 + (count % 8 != 0 ? 1 : 0);
  if (count != 1 && size == 1 && (blob[0] == 0 || static_cast<uint8_t>(blob[0]) == 0xFF)) {
    AllocateDense(1, dense);
    dense.bytes[0] = std::byte{blob[0] != 0};
    dense.is_splat = true;
    return nullptr;
  }
  if (size != packed && size != count) return "a constant has the wrong number of bytes";
  AllocateDense(count, dense);
  for (int64_t i = 0; i < count; ++i) {
    const bool value = size == packed ? (blob[i / 8] >> (i % 8) & 1) != 0 : blob[i] != 0;
    dense.bytes[i] = std::byte{value};
  }
  NormalizeSplat(1, dense);
  return nullptr;
}

// The bits of an element that are not part of its value, which MLIR leaves undefined.
uint8_t ValueMask(const Type& element) {
  const int width = element.kind == TypeKind::kInteger  ? static_cast<int>(element.width)
                    : element.kind == TypeKind::kScalar ? Info(element.element).bits
                                                        : 8;
  return width < 8 ? static_cast<uint8_t>((1 << width) - 1) : 0xFF;
}

}  // namespace

int64_t DenseElementBytes(const Type& element) {
  switch (element.kind) {
    case TypeKind::kScalar:
      return Info(element.element).storage_bytes;
    case TypeKind::kInteger:
      return (int64_t{element.width} + 7) / 8;
    case TypeKind::kIndex:
      return 8;
    default:
      return 0;
  }
}

std::optional<int64_t> DenseElementCount(const Type& type) {
  if (type.kind != TypeKind::kTensor) return std::nullopt;
  bool empty = false;
  for (int64_t size : type.dimensions) {
    if (size < 0) return std::nullopt;
    empty = empty || size == 0;
  }
  if (empty) return 0;
  int64_t count = 1;
  for (int64_t size : type.dimensions) {
    if (count > (int64_t{1} << 62) / size) return std::nullopt;
    count *= size;
  }
  return count;
}

const char* FillDense(const Type& type, absl::string_view blob,
                      const std::shared_ptr<const void>& owner, Attribute& dense) {
  const std::optional<int64_t> count = DenseElementCount(type);
  if (!count.has_value()) return "the type of a constant is no tensor of static shape";
  const Type& element = *type.types[0];
  const int64_t element_bytes = DenseElementBytes(element);
  if (element_bytes == 0) return "constants of this element type are not supported";
  const int64_t size = static_cast<int64_t>(blob.size());
  if (*count == 0 && size == 0) {
    AllocateDense(0, dense);
    return nullptr;
  }
  if (element.kind == TypeKind::kScalar && IsPred(element.element)) {
    return FillTruthValues(*count, blob, dense);
  }
  dense.is_splat = size == element_bytes;
  if (!dense.is_splat && (size % element_bytes != 0 || size / element_bytes != *count)) {
    return "a constant has the wrong number of bytes";
  }
  const uint8_t mask = ValueMask(element);
  if (mask == 0xFF && MayShare(blob, element_bytes, owner.get())) {
    auto* bytes = reinterpret_cast<std::byte*>(const_cast<char*>(blob.data()));
    dense.bytes = std::shared_ptr<std::byte[]>(std::const_pointer_cast<void>(owner), bytes);
    dense.byte_count = size;
    NormalizeSplat(element_bytes, dense);
    return nullptr;
  }
  CopyDense(blob, dense);
  if (mask != 0xFF) {
    for (int64_t i = 0; i < size; ++i) dense.bytes[i] &= std::byte{mask};
  }
  NormalizeSplat(element_bytes, dense);
  return nullptr;
}

}  // namespace assay::stablehlo
