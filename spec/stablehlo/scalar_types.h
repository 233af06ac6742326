// The names of MLIR's types without parameters: i1, ui8, bf16, f8E4M3FN, index, none ... Tests:
// text_parser_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_SCALAR_TYPES_H_
#define ASSAY_SPEC_STABLEHLO_SCALAR_TYPES_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// The type of a name: kScalar, kInteger (i17, si32: text is the name), kIndex, kTf32 or kNone, or
// kOpaque for f80 and f128.
std::optional<Type> ScalarType(absl::string_view name);
// The name of an element type; complex ones as "complex<f32>".
absl::string_view ScalarName(ElementType element);

// The type in which elements of this type are stored in constants: that of scalars itself, S64 of
// index, the storage of quantized ones; kInvalid where constants have none.
ElementType StorageElement(const Type& element);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_SCALAR_TYPES_H_
