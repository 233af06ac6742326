// Iterates over sliding windows, one window position at a time: the outputs of a box that meet an
// element at that position, and the places of these elements. Along each dimension both are
// arithmetic progressions. Source: reference ops_structural.md 5.2. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_WINDOW_WALK_H_
#define ASSAY_BACKENDS_CPU_WINDOW_WALK_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "runtime/box_grid.h"
#include "spec/ir/attribute_values.h"
#include "spec/ir/shape.h"

namespace assay::cpu {

// The outputs of a box that meet an element at one position of the window.
struct WindowMeeting {
  bool whole = false;       // true if all outputs of the box meet an element
  int64_t elements = 0;     // the number of these outputs
  Dimensions counts;        // by dimension
  int64_t base_offset = 0;  // the offset of the first output's element in the base
  Dimensions base_strides;  // the distance between the elements of consecutive outputs
  int64_t box_offset = 0;   // the offset of the first output among the elements of the box
  Dimensions box_strides;
};

class WindowWalk {
 public:
  // A missing window has a single position in every dimension.
  WindowWalk(absl::Span<const int64_t> base, absl::Span<const int64_t> outputs,
             const Window& window);
  // The number of positions of the window.
  int64_t positions() const { return positions_; }
  WindowMeeting Meet(int64_t position, const runtime::Box& box) const;

 private:
  // Outputs first, first + step, ... meet elements element, element + element_step, ...
  struct Line {
    int64_t first, step, count, element, element_step;
  };
  static Line LineOf(int64_t base, int64_t outputs, const WindowDimension& window,
                     int64_t position);

  std::vector<WindowDimension> window_;
  Dimensions base_, outputs_, base_strides_;
  int64_t positions_ = 1;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_WINDOW_WALK_H_
