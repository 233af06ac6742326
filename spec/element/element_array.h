// The elements of one type in memory. LoadElement and StoreElement look the type up for each
// element; here it is looked up once. Tests: element_storage_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_ELEMENT_ARRAY_H_
#define ASSAY_SPEC_ELEMENT_ELEMENT_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "spec/element/element.h"

namespace assay {

// `Byte` is std::byte, or const std::byte for elements that are read only. The storage is that of
// LoadElement.
template <typename Byte>
class ElementArray {
 public:
  ElementArray(ElementType type, Byte* data)
      : data_(data),
        complex_(IsComplex(type)),
        bytes_(complex_ ? Info(type).storage_bytes / 2 : Info(type).storage_bytes) {
    if (Info(type).bits < 8) mask_ = (uint64_t{1} << Info(type).bits) - 1;
  }

  Element Load(int64_t index) const {
    if (complex_) return {LoadPart(2 * index), LoadPart(2 * index + 1)};
    return {LoadPart(index) & mask_, 0};
  }

  // A reference: a copy would read both halves at once, just after they were written one by one,
  // for which the processor has to wait.
  void Store(const Element& value, int64_t index) const {
    if (!complex_) return StorePart(value.bits & mask_, index);
    StorePart(value.bits, 2 * index);
    StorePart(value.imag, 2 * index + 1);
  }

 private:
  template <typename T>
  uint64_t LoadAs(int64_t index) const {
    T bits;
    std::memcpy(&bits, data_ + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return bits;
  }
  template <typename T>
  void StoreAs(uint64_t bits, int64_t index) const {
    const T cut = static_cast<T>(bits);
    std::memcpy(data_ + index * static_cast<int64_t>(sizeof(T)), &cut, sizeof(T));
  }

  uint64_t LoadPart(int64_t index) const {
    switch (bytes_) {
      case 1:
        return LoadAs<uint8_t>(index);
      case 2:
        return LoadAs<uint16_t>(index);
      case 4:
        return LoadAs<uint32_t>(index);
      default:
        return LoadAs<uint64_t>(index);
    }
  }
  void StorePart(uint64_t bits, int64_t index) const {
    switch (bytes_) {
      case 1:
        return StoreAs<uint8_t>(bits, index);
      case 2:
        return StoreAs<uint16_t>(bits, index);
      case 4:
        return StoreAs<uint32_t>(bits, index);
      default:
        return StoreAs<uint64_t>(bits, index);
    }
  }

  Byte* data_;
  bool complex_;
  int bytes_;  // of an element, or of a part of a complex one
  uint64_t mask_ = ~uint64_t{0};
};

}  // namespace assay

#endif  // ASSAY_SPEC_ELEMENT_ELEMENT_ARRAY_H_
