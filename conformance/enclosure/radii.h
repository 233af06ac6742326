// The largest distance of a conforming element of one instruction's result from the golden value:
// the judge's bounds (judge/bounds.h) for known operands, or for all operands within given
// magnitudes. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_RADII_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_RADII_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/golden_instructions.h"
#include "conformance/judge/bounds.h"
#include "conformance/profiles/profile.h"

namespace assay::conformance {

// Returns the larger magnitude of both ends of every operand. Operands by which the instruction
// selects keep their values.
std::vector<Literal> AllMagnitudes(const Instruction& instruction, Boxes operands);

// Returns the type in which a sum, dot or convolution of interval ends is evaluated: its own or a
// wider one.
ElementType SumType(const Instruction& instruction);

// The largest distances of conforming elements from the golden values. They are infinite for
// unconstrained elements, and empty if only the golden values conform. Sums of complex numbers have
// one for each part.
struct Reach {
  std::vector<double> radii;
  // For real sums, the distances from the exact value before it is rounded to the type of the
  // result. Empty if unknown.
  std::vector<double> unrounded;
};

// Exact sums by element. Their error is at most `share` times the sum plus `distance`.
struct ExactSums {
  std::vector<double> values;
  double share = 0, distance = 0;
};
// Joins the values to which numbers within `unrounded` of the sums round. `lows` and `highs` are
// the sums at the lower and the upper ends. Does nothing if there are no sums.
void JoinRoundedSums(const ExactSums& lows, const ExactSums& highs,
                     absl::Span<const double> unrounded_below,
                     absl::Span<const double> unrounded_above, Box* box);

// The radii of sums, and the elements of which a partial sum may overflow the type of the result.
struct SumRadii {
  std::vector<double> radii;
  std::vector<bool> overflows;  // empty if no partial sum overflows
};

// The profile and the golden instructions must outlive the object.
class RadiusFinder {
 public:
  RadiusFinder(const TargetProfile& profile, GoldenInstructions* golden)
      : profile_(profile), golden_(*golden) {}

  // Returns the reach of leaf `leaf`, whose golden value for the operands is given.
  absl::StatusOr<Reach> About(const Instruction& instruction, absl::Span<const Literal> operands,
                              size_t leaf, const Literal& golden) const;
  // Returns the reach of the first leaf for all operands within these magnitudes.
  absl::StatusOr<Reach> WithinMagnitudes(const Instruction& instruction,
                                         absl::Span<const Literal> magnitudes) const;
  // Returns the exact sums of operands if the result is narrower than SumType, otherwise an empty
  // list.
  absl::StatusOr<ExactSums> Exact(const Instruction& instruction,
                                  absl::Span<const Literal> operands) const;
  // Returns the radii of a sum with excess precision, formed in the narrow type or in f32. `form`
  // is the instruction in f32.
  absl::StatusOr<SumRadii> OfF32Sums(const Instruction& instruction, const Instruction& form,
                                     absl::Span<const Literal> magnitudes) const;
  // Returns the same for sums with these numbers of terms and sums of magnitudes. `sizes` has the
  // magnitudes as values of the form.
  SumRadii OfF32Facts(const Instruction& instruction, const Instruction& form, const Literal& sizes,
                      absl::Span<const double> terms, absl::Span<const double> magnitudes) const;

 private:
  absl::StatusOr<std::vector<double>> ByBounds(const Instruction& instruction,
                                               absl::Span<const Literal> operands, size_t leaf,
                                               const Literal& golden) const;
  // Changes the radii of a fold by log(exp(a) + exp(b)) to distances from its exact values.
  void MeasureFromExact(const Instruction& fold, absl::Span<const Literal> operands,
                        const Literal& golden, const Bounds& bounds,
                        std::vector<double>* radii) const;
  absl::StatusOr<Reach> OfSums(const Instruction& instruction, absl::Span<const Literal> operands,
                               const Literal& golden, const Literal& sums) const;

  const TargetProfile& profile_;
  GoldenInstructions& golden_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_RADII_H_
