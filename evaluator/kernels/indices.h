// Start indices as they are read from integer operands: exact values, clamped only where a 64-bit
// signed number cannot hold them (u64 from 2^63 on is beyond every array).
// Tests: every_path_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_INDICES_H_
#define ASSAY_EVALUATOR_KERNELS_INDICES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "evaluator/kernels/kernel.h"
#include "spec/element/element.h"

namespace assay::kernels {

inline int64_t LoadIndex(ElementType type, const std::byte* data, int64_t i) {
  switch (type) {
    case ElementType::kS32:
      return LoadAt<int32_t>(data, i);
    case ElementType::kS64:
      return LoadAt<int64_t>(data, i);
    case ElementType::kU32:
      return LoadAt<uint32_t>(data, i);
    default:
      break;
  }
  const uint64_t bits = LoadElement(type, data, i).bits;
  if (IsSigned(type)) return DecodeSigned(type, bits);
  constexpr auto kHighest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(std::min(bits, kHighest));
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

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_INDICES_H_
