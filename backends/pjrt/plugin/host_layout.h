// Converts host arrays with any byte strides or order of dimensions to the dense row-major order of
// literals and back. Tests: plugin_test.cc.
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

// Returns the byte strides of a dense array with this order of dimensions, minor to major.
std::vector<int64_t> DenseStrides(const Shape& shape, absl::Span<const int64_t> minor_to_major);
std::vector<int64_t> RowMajorByteStrides(const Shape& shape);
// Returns the dimensions of a shape from minor to major: those of its layout, or row-major.
std::vector<int64_t> OrderOf(const Shape& shape);
// Returns the byte strides of a layout; a null layout is that of the shape. Returns
// INVALID_ARGUMENT for a layout that does not fit the shape, and UNIMPLEMENTED for tiles.
absl::StatusOr<std::vector<int64_t>> StridesOf(const PJRT_Buffer_MemoryLayout* layout,
                                               const Shape& shape);

// Copies the elements of an array between two buffers with byte strides.
void CopyStrided(const Shape& shape, const std::byte* from, absl::Span<const int64_t> from_strides,
                 std::byte* to, absl::Span<const int64_t> to_strides);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_HOST_LAYOUT_H_
