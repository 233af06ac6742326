// Positions of elements in row-major order (reference ops_structural.md 1.2).
// Test: shape_test.cc.
#ifndef ASSAY_SPEC_IR_ROW_MAJOR_H_
#define ASSAY_SPEC_IR_ROW_MAJOR_H_

#include <cassert>
#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/shape.h"

namespace assay {

// Returns the position of the element at an index of an array of these sizes.
inline int64_t RowMajorPosition(absl::Span<const int64_t> index, absl::Span<const int64_t> sizes) {
  assert(index.size() == sizes.size());
  int64_t position = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    assert(index[d] >= 0 && index[d] < sizes[d]);
    position = position * sizes[d] + index[d];
  }
  return position;
}

// Returns the index of the element at a position.
inline Dimensions RowMajorIndex(int64_t position, absl::Span<const int64_t> sizes) {
  Dimensions index(sizes.size());
  for (size_t d = sizes.size(); d-- > 0;) {
    index[d] = position % sizes[d];
    position /= sizes[d];
  }
  return index;
}

// A row-major array along one of its dimensions: outer x size x inner elements. Its lines along the
// dimension are outer x inner.
struct AlongDimension {
  AlongDimension(absl::Span<const int64_t> sizes, int64_t dimension) : size(sizes[dimension]) {
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) {
      if (d < dimension) outer *= sizes[d];
      if (d > dimension) inner *= sizes[d];
    }
  }
  int64_t lines() const { return outer * inner; }
  // Returns the position of element k of a line.
  int64_t At(int64_t line, int64_t k) const {
    return (line / inner * size + k) * inner + line % inner;
  }

  int64_t size, outer = 1, inner = 1;
};

}  // namespace assay

#endif  // ASSAY_SPEC_IR_ROW_MAJOR_H_
