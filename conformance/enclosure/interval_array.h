// A box of floats as intervals of doubles, and back. Tests: linear_algebra_enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_INTERVAL_ARRAY_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_INTERVAL_ARRAY_H_

#include <vector>

#include "conformance/enclosure/box.h"
#include "conformance/enclosure/interval.h"

namespace assay::conformance {

// The intervals of a box, one per element, or one per part of complex elements. An element that may
// be NaN or infinite has an unbounded interval.
class IntervalArray {
 public:
  explicit IntervalArray(const Box& box);
  int64_t size() const { return static_cast<int64_t>(intervals_.size()); }
  const Interval& operator[](int64_t i) const { return intervals_[i]; }
  // Returns true if every interval is bounded.
  bool bounded() const;

 private:
  std::vector<Interval> intervals_;
};

// Rounds intervals to the leaf of the instruction's result that has this shape. An interval that is
// not bounded becomes unconstrained, NaN included.
Box BoxOfIntervals(const Instruction& instruction, const Shape& shape,
                   const std::vector<Interval>& intervals);
inline Box BoxOfIntervals(const Instruction& instruction, const std::vector<Interval>& intervals) {
  return BoxOfIntervals(instruction, instruction.shape(), intervals);
}

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_INTERVAL_ARRAY_H_
