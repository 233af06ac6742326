#include "backends/pjrt/plugin/host_layout.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/pjrt/plugin/error.h"

namespace assay::pjrt {
namespace {

// Copies a row of elements of `bytes` bytes each.
void CopyRow(const std::byte* from, int64_t from_stride, std::byte* to, int64_t to_stride,
             int64_t count, size_t bytes) {
  if (from_stride == static_cast<int64_t>(bytes) && to_stride == from_stride) {
    std::memcpy(to, from, bytes * static_cast<size_t>(count));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, bytes);
  }
}

}  // namespace

std::vector<int64_t> DenseStrides(const Shape& shape, absl::Span<const int64_t> minor_to_major) {
  std::vector<int64_t> strides(shape.dimensions().size());
  int64_t stride = Info(shape.element_type()).storage_bytes;
  for (const int64_t d : minor_to_major) {
    strides[static_cast<size_t>(d)] = stride;
    stride *= shape.dimensions()[static_cast<size_t>(d)];
  }
  return strides;
}

std::vector<int64_t> RowMajorByteStrides(const Shape& shape) {
  return DenseStrides(shape, Layout::Default(shape.rank()).minor_to_major);
}

std::vector<int64_t> OrderOf(const Shape& shape) {
  const Layout order = shape.has_layout() ? *shape.layout() : Layout::Default(shape.rank());
  return std::vector<int64_t>(order.minor_to_major.begin(), order.minor_to_major.end());
}

absl::StatusOr<std::vector<int64_t>> StridesOf(const PJRT_Buffer_MemoryLayout* layout,
                                               const Shape& shape) {
  if (layout == nullptr) return DenseStrides(shape, OrderOf(shape));
  const PJRT_Buffer_MemoryLayout known = Known(layout);
  const size_t rank = shape.dimensions().size();
  if (known.type == PJRT_MemoryLayout_Strides) {
    const PJRT_Buffer_MemoryLayout_Strides& strides = known.value.strides;
    if (strides.num_byte_strides != rank) {
      return absl::InvalidArgumentError(absl::StrCat("a layout with ", strides.num_byte_strides,
                                                     " strides for ", shape.ToString()));
    }
    return std::vector<int64_t>(strides.byte_strides, strides.byte_strides + rank);
  }
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = known.value.tiled;
  if (tiled.num_tiles > 0) {
    return absl::UnimplementedError("Assay's plug-in has no tiled layouts of host buffers");
  }
  std::vector<bool> seen(rank, false);
  bool fits = tiled.minor_to_major_size == rank;
  for (size_t i = 0; fits && i < rank; ++i) {
    const int64_t d = tiled.minor_to_major[i];
    fits = d >= 0 && d < static_cast<int64_t>(rank) && !seen[static_cast<size_t>(d)];
    if (fits) seen[static_cast<size_t>(d)] = true;
  }
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("the order of dimensions of a layout does not fit ", shape.ToString()));
  }
  return DenseStrides(shape, absl::MakeConstSpan(tiled.minor_to_major, rank));
}

void CopyStrided(const Shape& shape, const std::byte* from, absl::Span<const int64_t> from_strides,
                 std::byte* to, absl::Span<const int64_t> to_strides) {
  const auto bytes = static_cast<size_t>(Info(shape.element_type()).storage_bytes);
  const absl::Span<const int64_t> sizes = shape.dimensions();
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  if (sizes.empty()) {
    std::memcpy(to, from, bytes);
    return;
  }
  const size_t last = sizes.size() - 1;
  std::vector<int64_t> index(last, 0);
  while (true) {
    CopyRow(from, from_strides[last], to, to_strides[last], sizes[last], bytes);
    // The next row.
    size_t d = last;
    while (d > 0) {
      --d;
      from += from_strides[d];
      to += to_strides[d];
      if (++index[d] < sizes[d]) break;
      from -= from_strides[d] * sizes[d];
      to -= to_strides[d] * sizes[d];
      index[d] = 0;
      if (d == 0) return;
    }
    if (last == 0) return;
  }
}

}  // namespace assay::pjrt
