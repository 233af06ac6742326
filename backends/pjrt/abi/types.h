// PJRT's numbers of element types, which are neither XLA's PrimitiveType nor those of XLA's foreign
// functions. Test: tools/peers/pjrt_layout_peer_test.py.
#ifndef ASSAY_BACKENDS_PJRT_ABI_TYPES_H_
#define ASSAY_BACKENDS_PJRT_ABI_TYPES_H_

#include <iterator>
#include <optional>

#include "backends/pjrt/abi/abi.h"
#include "spec/element/element_type.h"

namespace assay::pjrt {

// Element types by PJRT's number; kInvalid if Assay has no such type.
inline constexpr ElementType kBufferTypes[] = {ElementType::kInvalid,
                                               ElementType::kPred,
                                               ElementType::kS8,
                                               ElementType::kS16,
                                               ElementType::kS32,
                                               ElementType::kS64,
                                               ElementType::kU8,
                                               ElementType::kU16,
                                               ElementType::kU32,
                                               ElementType::kU64,
                                               ElementType::kF16,
                                               ElementType::kF32,
                                               ElementType::kF64,
                                               ElementType::kBF16,
                                               ElementType::kC64,
                                               ElementType::kC128,
                                               ElementType::kF8E5M2,
                                               ElementType::kF8E4M3FN,
                                               ElementType::kF8E4M3B11FNUZ,
                                               ElementType::kF8E5M2FNUZ,
                                               ElementType::kF8E4M3FNUZ,
                                               ElementType::kS4,
                                               ElementType::kU4,
                                               ElementType::kToken,
                                               ElementType::kS2,
                                               ElementType::kU2,
                                               ElementType::kF8E4M3,
                                               ElementType::kF8E3M4,
                                               ElementType::kF8E8M0FNU,
                                               ElementType::kF4E2M1FN,
                                               ElementType::kS1,
                                               ElementType::kU1,
                                               ElementType::kF6E2M3FN,
                                               ElementType::kF6E3M2FN};

// Returns the array type, or the token, of a number; nothing for others.
inline std::optional<ElementType> ElementTypeOf(PJRT_Buffer_Type type) {
  const auto number = static_cast<size_t>(type);
  if (number == 0 || number >= std::size(kBufferTypes)) return std::nullopt;
  return kBufferTypes[number];
}

// Returns PJRT's number, or PJRT_Buffer_INVALID for types that a buffer cannot have.
inline PJRT_Buffer_Type BufferTypeOf(ElementType type) {
  for (size_t number = 1; number < std::size(kBufferTypes); ++number) {
    if (kBufferTypes[number] == type) return static_cast<PJRT_Buffer_Type>(number);
  }
  return PJRT_Buffer_INVALID;
}

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_ABI_TYPES_H_
