// The value of an integer element that is an index, a size or a branch number. Source: reference
// ops_structural.md 3.10, 4. Tests: index_value_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_INDEX_VALUE_H_
#define ASSAY_SPEC_ELEMENT_INDEX_VALUE_H_

#include <algorithm>
#include <cstdint>

#include "spec/element/element.h"

namespace assay {

// Returns the exact value. An unsigned value beyond 63 bits becomes the largest int64_t, which is
// out of range of every size alike.
inline int64_t IndexValue(ElementType type, Element index) {
  if (IsSigned(type)) return DecodeSigned(type, index.bits);
  const uint64_t value = DecodeUnsigned(type, index.bits);
  return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
}

}  // namespace assay

#endif  // ASSAY_SPEC_ELEMENT_INDEX_VALUE_H_
