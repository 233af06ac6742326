#include "backends/cpu/window_walk.h"

#include <algorithm>
#include <numeric>

#include "backends/defect.h"

namespace assay::cpu {

WindowWalk::WindowWalk(absl::Span<const int64_t> base, absl::Span<const int64_t> outputs,
                       const Window& window)
    : window_(window.dimensions),
      base_(base.begin(), base.end()),
      outputs_(outputs.begin(), outputs.end()),
      base_strides_(RowMajorStrides(base)) {
  window_.resize(base.size());
  for (const WindowDimension& dimension : window_) positions_ *= dimension.size;
}

WindowWalk::Line WindowWalk::LineOf(int64_t base, int64_t outputs, const WindowDimension& window,
                                    int64_t position) {
  // Output o looks at place o * stride + shift of the dilated base.
  const int64_t shift = position * ASSAY_DEFECT(7, window.window_dilation, 1) - window.padding_low;
  const int64_t dilation = window.base_dilation, stride = window.stride;
  Line line{0, dilation / std::gcd(stride, dilation), 0, 0, 0};
  line.element_step = line.step * stride / dilation;
  if (base == 0 || outputs == 0) return line;
  const int64_t last_place = ASSAY_DEFECT(6, base - 1, std::max<int64_t>(0, base - 2)) * dilation;
  int64_t first = shift >= 0 ? 0 : (-shift + ASSAY_DEFECT(5, stride - 1, 2 * stride - 1)) / stride;
  for (int64_t tries = 0; tries < line.step; ++tries, ++first) {
    if ((first * stride + shift) % dilation != 0) continue;
    const int64_t last = last_place < shift ? -1 : (last_place - shift) / stride;
    const int64_t end = std::min(last, outputs - 1);
    if (first > end) return line;
    line.first = first;
    line.count = (end - first) / line.step + 1;
    line.element = (first * stride + shift) / dilation;
    return line;
  }
  return line;
}

WindowMeeting WindowWalk::Meet(int64_t position, const runtime::Box& box) const {
  WindowMeeting meeting;
  meeting.whole = true;
  meeting.elements = 1;
  const size_t rank = window_.size();
  meeting.counts.assign(rank, 0);
  meeting.base_strides.assign(rank, 0);
  meeting.box_strides = RowMajorStrides(box.counts);
  for (size_t d = rank; d-- > 0;) {
    const int64_t p = position % window_[d].size;
    position /= window_[d].size;
    const Line line = LineOf(base_[d], outputs_[d], window_[d], p);
    const int64_t before = box.starts[d] - line.first;
    const int64_t skipped = before <= 0 ? 0 : (before + line.step - 1) / line.step;
    const int64_t first = line.first + skipped * line.step;
    const int64_t room = box.starts[d] + box.counts[d] - 1 - first;
    const int64_t count = room < 0 ? 0 : std::min(line.count - skipped, room / line.step + 1);
    if (count <= 0) {
      meeting.elements = 0;
      return meeting;
    }
    meeting.whole &= count == box.counts[d] && (count == 1 || line.step == 1);
    meeting.elements *= count;
    meeting.counts[d] = count;
    meeting.base_offset += (line.element + skipped * line.element_step) * base_strides_[d];
    meeting.base_strides[d] = line.element_step * base_strides_[d];
    meeting.box_offset += (first - box.starts[d]) * meeting.box_strides[d];
    meeting.box_strides[d] *= line.step;
  }
  return meeting;
}

}  // namespace assay::cpu
