// Which elements of the base a window meets at each output position, one dimension at a time: the
// positions of the window that meet one are an arithmetic progression, and so are the elements.
// Source: reference ops_structural.md 5.2. Tests: window_taps_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_WINDOW_TAPS_H_
#define ASSAY_EVALUATOR_KERNELS_WINDOW_TAPS_H_

#include <cstdint>
#include <vector>

#include "spec/ir/attribute_values.h"

namespace assay::kernels {

// At one output position.
struct Taps {
  int64_t first = 0;    // the first position of the window that meets an element
  int64_t count = 0;    // how many do; 0: none
  int64_t element = 0;  // the element that it meets
  bool SamePositions(const Taps& other) const {
    return first == other.first && count == other.count;
  }
};

struct WindowTaps {
  int64_t position_step = 1;  // from one tap to the next
  int64_t element_step = 1;
  int64_t most = 0;        // the largest count
  std::vector<Taps> taps;  // by output position
};

// For windows that the shape rule accepted.
WindowTaps FindTaps(int64_t base_size, int64_t output_size, const WindowDimension& window);

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_WINDOW_TAPS_H_
