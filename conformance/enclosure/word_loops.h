// Passes over the ends of whole arrays of f64, f32, bf16 or f16, many elements at a time. Each does
// what its scalar form in box.cc does and refuses what needs that: other types, NaNs that only some
// corners have. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_WORD_LOOPS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_WORD_LOOPS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "spec/ir/literal.h"

namespace assay {

// Whether there are loops for the type.
bool HasWordLoops(ElementType type);

// Where intervals lie, as positions on the line of their type.
struct EndsRegion {
  int64_t most_low = 0;    // the lower end is at most here
  int64_t least_high = 0;  // and the upper end at least here
};
// Whether the interval of some element lies so, or is NaN. True for types without loops.
bool AnyLiesIn(const EndsRegion& region, const Box& box);

// Of all ends; anything for types without loops.
Extent ExtentOf(const Box& box);

// HullOfCorners of box.h. False, and nothing is changed, where one has a NaN and for types without
// loops.
bool HullOfWords(absl::Span<const Literal> more, Box* box, Extent* extent);

// Loosen of box.h. False, and nothing is changed, where it has to go element by element.
bool LoosenWords(const Slack& slack, Box* box);

// The larger magnitude of both ends; what is there already where no end is negative. False for
// types without loops.
bool MagnitudesOfWords(const Box& box, Literal* magnitudes);

// WidenByRadii of box.h. False, and nothing is changed, for other types than f64, f32 and bf16 and
// where a radius is not finite.
bool WidenWords(absl::Span<const double> radii, Box* box);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_WORD_LOOPS_H_
