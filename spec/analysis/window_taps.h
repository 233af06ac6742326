// Which elements of the base a window meets at each output position, one dimension at a time: the
// positions of the window that meet one are an arithmetic progression, and so are the elements.
// Source: reference ops_structural.md 5.2. Tests: window_taps_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_WINDOW_TAPS_H_
#define ASSAY_SPEC_ANALYSIS_WINDOW_TAPS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "spec/ir/attribute_values.h"

namespace assay::analysis {

// At one output position.
struct Taps {
  int64_t first = 0;    // the first position of the window that meets an element
  int64_t count = 0;    // how many do; 0: none
  int64_t element = 0;  // the element that it meets
  bool SamePositions(const Taps& other) const {
    return first == other.first && count == other.count;
  }
};

class WindowTaps {
 public:
  // For windows that the shape rule accepted.
  WindowTaps(int64_t base_size, int64_t output_size, const WindowDimension& window);

  int64_t output_size() const { return output_size_; }
  // From one tap to the next.
  int64_t position_step() const { return position_step_; }
  int64_t element_step() const { return element_step_; }
  // No output position has more taps.
  int64_t most() const { return most_; }
  // Outputs so far apart may meet elements at the same positions, and the elements so far apart.
  int64_t period() const { return period_; }
  int64_t period_elements() const { return window_.stride / (window_.base_dilation / period_); }
  Taps At(int64_t output) const { return known_.empty() ? Find(output) : known_[output]; }

 private:
  Taps Find(int64_t output) const;

  WindowDimension window_;
  int64_t base_size_;
  int64_t output_size_;
  int64_t common_;
  int64_t position_step_;
  int64_t element_step_;
  int64_t inverse_;  // of element_step modulo position_step
  int64_t most_;
  int64_t period_;
  std::vector<Taps> known_;  // by output position, unless there are very many
};

// Covers the outputs of a dimension with progressions that meet elements at the same positions.
class TapRuns {
 public:
  // `window` has outputs and must outlive the walk.
  explicit TapRuns(const WindowTaps& window) : window_(&window) { Start(0); }

  int64_t output() const { return output_; }  // the first
  int64_t count() const { return count_; }
  int64_t step() const { return window_->period(); }  // from one to the next
  const Taps& taps() const { return taps_; }          // of the first
  int64_t element_advance() const { return window_->period_elements(); }
  // False, and back at the start, after the last run.
  bool Next() {
    int64_t next = output_ + count_ * step();
    const bool new_phase = next >= window_->output_size();
    if (new_phase) next = ++phase_;
    const bool more = phase_ < std::min(step(), window_->output_size());
    if (!more) next = phase_ = 0;
    Start(next);
    return more;
  }

 private:
  void Start(int64_t output) {
    output_ = output;
    taps_ = window_->At(output);
    count_ = 1;
    for (int64_t o = output + step(); o < window_->output_size(); o += step(), ++count_) {
      if (!window_->At(o).SamePositions(taps_)) break;
    }
  }

  const WindowTaps* window_;
  int64_t phase_ = 0;
  int64_t output_, count_;
  Taps taps_;
};

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_WINDOW_TAPS_H_
