// Loads indices of any integer type from the storage of an array. Tests: kernels_test.cc of the CPU
// backend, every_path_test.cc.
#ifndef ASSAY_RUNTIME_INDICES_H_
#define ASSAY_RUNTIME_INDICES_H_

#include <cstddef>
#include <cstdint>

#include "runtime/arrays.h"
#include "spec/element/element.h"
#include "spec/element/index_value.h"

namespace assay::runtime {

// Returns the value of element i, as IndexValue() has it.
inline int64_t LoadIndex(ElementType type, const std::byte* data, int64_t i) {
  switch (type) {
    case ElementType::kS32:
      return LoadAt<int32_t>(data, i);
    case ElementType::kS64:
      return LoadAt<int64_t>(data, i);
    case ElementType::kU32:
      return LoadAt<uint32_t>(data, i);
    default:
      return IndexValue(type, LoadElement(type, data, i));
  }
}

// Calls f(load) with load(data, i) for the type, for loops over many indices.
template <typename F>
void WithIndexType(ElementType type, F f) {
  switch (type) {
    case ElementType::kS32:
      return f(
          [](const std::byte* data, int64_t i) -> int64_t { return LoadAt<int32_t>(data, i); });
    case ElementType::kS64:
      return f([](const std::byte* data, int64_t i) { return LoadAt<int64_t>(data, i); });
    case ElementType::kU32:
      return f(
          [](const std::byte* data, int64_t i) -> int64_t { return LoadAt<uint32_t>(data, i); });
    default:
      return f([type](const std::byte* data, int64_t i) { return LoadIndex(type, data, i); });
  }
}

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_INDICES_H_
