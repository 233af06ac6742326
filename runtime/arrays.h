// Arrays of a run: dense and row-major, with one byte for each sub-byte element. Elements need not
// be aligned. Tests: engine_test.cc.
#ifndef ASSAY_RUNTIME_ARRAYS_H_
#define ASSAY_RUNTIME_ARRAYS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "spec/element/element.h"
#include "spec/ir/shape.h"

namespace assay::runtime {

struct ArrayRef {
  const Shape* shape = nullptr;
  const std::byte* data = nullptr;
};
struct MutableArrayRef {
  const Shape* shape = nullptr;
  std::byte* data = nullptr;
};

inline int64_t StorageBytes(ElementType type) { return Info(type).storage_bytes; }

template <typename T>
inline T LoadAt(const std::byte* data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}
template <typename T>
inline void StoreAt(std::byte* data, int64_t index, T value) {
  std::memcpy(data + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

// Calls f with a value of a type whose size is that of an element: 1, 2, 4, 8 or 16 bytes.
template <typename F>
void WithStorage(int64_t bytes, F f) {
  switch (bytes) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      return f(Element{});
  }
}

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_ARRAYS_H_
