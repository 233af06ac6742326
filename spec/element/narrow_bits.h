// The bits of a byte that an element narrower than it does not use. Test: element_storage_test.cc.
#ifndef ASSAY_SPEC_ELEMENT_NARROW_BITS_H_
#define ASSAY_SPEC_ELEMENT_NARROW_BITS_H_

#include <cstddef>
#include <cstdint>

#include "spec/element/element_type.h"

namespace assay {

// Clears the unused bits of stored elements of a type, which may come from elsewhere. A pred that
// is not 0 becomes 1.
inline void ClearUnusedBits(ElementType type, std::byte* data, int64_t count) {
  const int bits = Info(type).bits;
  if (IsPred(type)) {
    for (int64_t i = 0; i < count; ++i) data[i] = std::byte{data[i] != std::byte{0}};
  } else if (bits < 8) {
    const auto mask = static_cast<std::byte>((1 << bits) - 1);
    for (int64_t i = 0; i < count; ++i) data[i] &= mask;
  }
}

}  // namespace assay

#endif  // ASSAY_SPEC_ELEMENT_NARROW_BITS_H_
