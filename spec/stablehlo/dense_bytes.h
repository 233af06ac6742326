// The elements of dense constants as bytecode has them, made into those of the tree.
// Source: reference stablehlo_format.md 4.1. Tests: dense_bytes_test.cc.
#ifndef ASSAY_SPEC_STABLEHLO_DENSE_BYTES_H_
#define ASSAY_SPEC_STABLEHLO_DENSE_BYTES_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/strings/string_view.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

// The bytes of one element of a dense constant; 0 for types that have none.
int64_t DenseElementBytes(const Type& element);
// The number of elements of a tensor of static shape; nullopt for other types and over 2^62.
std::optional<int64_t> DenseElementCount(const Type& type);

// Sets is_splat, bytes and byte_count of a constant of the type `type`. Large constants share
// `owner` (which may be null), the storage of the blob, where alignment and form permit it. Returns
// the error, a literal, or null.
const char* FillDense(const Type& type, absl::string_view blob,
                      const std::shared_ptr<const void>& owner, Attribute& dense);

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_DENSE_BYTES_H_
