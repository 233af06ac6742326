// Arrays as they lie in the memory of the host: any byte strides or order of dimensions, into the
// dense row-major order of literals and back. Tests: plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_HOST_LAYOUT_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_HOST_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/pjrt/abi/abi.h"
#include "spec/ir/shape.h"

namespace assay::pjrt {

// The byte strides of a dense array, dimensions from minor to major.
std::vector<int64_t> DenseStrides(const Shape& shape, absl::Span<const int64_t> minor_to_major);
std::vector<int64_t> RowMajorByteStrides(const Shape& shape);
// The byte strides that a layout means; null: row-major. INVALID_ARGUMENT for a layout that does
// not fit the shape, UNIMPLEMENTED for tiles.
absl::StatusOr<std::vector<int64_t>> StridesOf(const PJRT_Buffer_MemoryLayout* layout,
                                               const Shape& shape);

// Copies the elements of an array of the shape from one place with byte strides to another.
void CopyStrided(const Shape& shape, const std::byte* from, absl::Span<const int64_t> from_strides,
                 std::byte* to, absl::Span<const int64_t> to_strides);

// Clears the bits that are none of the value's in elements of types narrower than a byte; a pred
// that is not 0 becomes 1.
void NormaliseNarrow(ElementType type, std::byte* data, int64_t count);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_HOST_LAYOUT_H_
