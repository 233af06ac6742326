// Start indices of any integer type as 64-bit numbers. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_INDICES_H_
#define ASSAY_BACKENDS_CPU_INDICES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/arrays.h"
#include "spec/element/element.h"

namespace assay::cpu {

// Returns the exact value of an index. Unsigned values beyond 63 bits become the largest int64_t,
// which is out of range as well.
inline int64_t LoadIndex(ElementType type, const std::byte* data, int64_t i) {
  switch (type) {
    case ElementType::kS32:
      return runtime::LoadAt<int32_t>(data, i);
    case ElementType::kU32:
      return runtime::LoadAt<uint32_t>(data, i);
    case ElementType::kS64:
      return runtime::LoadAt<int64_t>(data, i);
    default: {
      const uint64_t bits = LoadElement(type, data, i).bits;
      if (IsSigned(type)) return DecodeSigned(type, bits);
      return static_cast<int64_t>(std::min<uint64_t>(DecodeUnsigned(type, bits), INT64_MAX));
    }
  }
}

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_INDICES_H_
