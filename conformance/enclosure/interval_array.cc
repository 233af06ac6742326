#include "conformance/enclosure/interval_array.h"

#include <algorithm>
#include <cmath>

namespace assay::conformance {

IntervalArray::IntervalArray(const Box& box) {
  const ElementType type = box.low.element_type(), part = Info(type).component;
  const int64_t count = box.low.element_count() * (IsComplex(type) ? 2 : 1);
  std::vector<double> lows(count), highs(count), nans(count);
  DecodeFloats(part, box.low.data(), count, lows.data());
  DecodeFloats(part, box.high.data(), count, highs.data());
  if (box.has_nan()) DecodeFloats(part, box.nan.data(), count, nans.data());
  intervals_.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    const Interval interval{lows[i], highs[i]};
    intervals_.push_back(interval.bounded() && nans[i] == 0 ? interval : Interval::Everything());
  }
}

bool IntervalArray::bounded() const {
  return std::all_of(intervals_.begin(), intervals_.end(),
                     [](const Interval& each) { return each.bounded(); });
}

Box BoxOfIntervals(const Instruction& instruction, const Shape& shape,
                   const std::vector<Interval>& intervals) {
  Box box = Box::Point(Literal::Zeros(shape));
  const ElementType type = Info(shape.element_type()).component;
  bool open = false;
  UpdateParts(
      [&](const auto& line, Place place, Ends* ends) {
        const Interval& interval = intervals[place.part];
        const uint64_t low = EncodeFloat(type, interval.low);
        const uint64_t high = EncodeFloat(type, interval.high);
        if (interval.bounded() && !line.IsNan(low) && !line.IsNan(high)) {
          ends->low = low;
          ends->high = high;
          return;
        }
        box_internal::Unbind(line, ends);
        open = true;
      },
      &box);
  if (open) box.open = &instruction;
  return box;
}

}  // namespace assay::conformance
