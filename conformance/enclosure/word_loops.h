// Vectorised passes over the interval ends of whole arrays of f64, f32, bf16 or f16. Each has a
// scalar form in box.cc and returns false for boxes that need it: other types, and NaNs that only
// some corners have. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_WORD_LOOPS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_WORD_LOOPS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "spec/ir/literal.h"

namespace assay::conformance {

// Returns true if the type has vectorised passes.
bool HasWordLoops(ElementType type);

// A condition on intervals, in ordinals on the line of their type.
struct EndsRegion {
  int64_t most_low = 0;    // the lower end is at most here
  int64_t least_high = 0;  // and the upper end at least here
};
// Returns true if the interval of some element meets the condition or is NaN, and for types without
// passes.
bool AnyLiesIn(const EndsRegion& region, const Box& box);

// Returns the extent of all ends; unbounded for types without passes.
Extent ExtentOf(const Box& box);

// HullOfCorners of box.h. Returns false and changes nothing if an operand has a NaN or the type has
// no passes.
bool HullOfWords(absl::Span<const Literal> more, Box* box, Extent* extent);

// Loosen of box.h. Returns false and changes nothing if the scalar form is needed.
bool LoosenWords(const Slack& slack, Box* box);

// Sets `magnitudes` to the larger magnitude of both ends, which shares the box's data if no end is
// negative. Returns false for types without passes.
bool MagnitudesOfWords(const Box& box, Literal* magnitudes);

// WidenByRadii of box.h. Returns false and changes nothing if the type is not f64, f32 or bf16 or a
// radius is not finite.
bool WidenWords(absl::Span<const double> radii, Box* box);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_WORD_LOOPS_H_
