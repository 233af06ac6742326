// How far a conforming element of one instruction's result may be from the golden one: the judge's
// bounds (judge/bounds.h), for operands that are known and for all within given magnitudes. Tests:
// enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_RADII_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_RADII_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/golden_instructions.h"
#include "conformance/judge/bounds.h"
#include "conformance/profiles/profile.h"

namespace assay {

// The larger magnitude of both ends of every operand, for the instruction; what it selects by
// stays.
std::vector<Literal> AllMagnitudes(const Instruction& instruction, Boxes operands);

// The type in which a sum, also that of a dot or convolution, is formed from ends: its own, or a
// wider one.
ElementType SumType(const Instruction& instruction);

// How far conforming elements may be from golden ones, infinite where nothing follows. Empty: they
// are the golden ones.
struct Reach {
  std::vector<double> radii;
  // Of real sums: from the exact value, before it is rounded to the type of the result. Empty: not
  // known.
  std::vector<double> unrounded;
};

// Exact sums by element, within a share of each and a distance.
struct ExactSums {
  std::vector<double> values;
  double share = 0, distance = 0;
};
// Joins what is rounded from within `unrounded` of the sums; at the lower ends or the upper ones
// alone where the sums are those of ends. No sums: nothing.
void JoinRoundedSums(const ExactSums& lows, const ExactSums& highs,
                     absl::Span<const double> unrounded_below,
                     absl::Span<const double> unrounded_above, Box* box);

// Of sums, and where some partial sums may be beyond the type of the result, those among them that
// never are.
struct SumRadii {
  std::vector<double> radii;
  std::vector<bool> overflows;  // empty: nowhere
};

// Both outlive it.
class RadiusFinder {
 public:
  RadiusFinder(const TargetProfile& profile, GoldenInstructions* golden)
      : profile_(profile), golden_(*golden) {}

  // Of leaf `leaf`, whose golden value for the operands is given.
  absl::StatusOr<Reach> About(const Instruction& instruction, absl::Span<const Literal> operands,
                              size_t leaf, const Literal& golden) const;
  // Of the first leaf, for any operands that are no larger than these.
  absl::StatusOr<Reach> WithinMagnitudes(const Instruction& instruction,
                                         absl::Span<const Literal> magnitudes) const;
  // The exact sums of operands, where the result is narrower than SumType. Empty: it is not.
  absl::StatusOr<ExactSums> Exact(const Instruction& instruction,
                                  absl::Span<const Literal> operands) const;
  // The same of a sum whose narrow types may be kept in f32, in which `form` has it: formed in
  // either type.
  absl::StatusOr<SumRadii> OfKeptSums(const Instruction& instruction, const Instruction& form,
                                      absl::Span<const Literal> magnitudes) const;
  // The same for sums of so many terms with these sums of magnitudes, also as values of the form.
  SumRadii OfKeptFacts(const Instruction& instruction, const Instruction& form,
                       const Literal& sizes, absl::Span<const double> terms,
                       absl::Span<const double> magnitudes) const;

 private:
  absl::StatusOr<std::vector<double>> ByBounds(const Instruction& instruction,
                                               absl::Span<const Literal> operands, size_t leaf,
                                               const Literal& golden) const;
  // Lets the radii of a fold by log(exp(a) + exp(b)) count from its exact values.
  void MeasureFromExact(const Instruction& fold, absl::Span<const Literal> operands,
                        const Literal& golden, const Bounds& bounds,
                        std::vector<double>* radii) const;
  absl::StatusOr<Reach> OfSums(const Instruction& instruction, absl::Span<const Literal> operands,
                               const Literal& golden, const Literal& sums) const;

  const TargetProfile& profile_;
  GoldenInstructions& golden_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_RADII_H_
