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

// The type in which the products of a dot or convolution are formed from ends: its own, or a wider
// one.
ElementType ProductType(const Instruction& instruction);

// Of sums, and where some partial sums may be beyond the type of the result, those among them that
// never are.
struct SumRadii {
  std::vector<double> radii;
  std::vector<bool> overflows;  // empty: nowhere
};

// Both outlive it. Distances are by element; infinite where nothing follows.
class RadiusFinder {
 public:
  RadiusFinder(const TargetProfile& profile, GoldenInstructions* golden)
      : profile_(profile), golden_(*golden) {}

  // Of leaf `leaf`, whose golden value for the operands is given. Empty: none.
  absl::StatusOr<std::vector<double>> About(const Instruction& instruction,
                                            absl::Span<const Literal> operands, size_t leaf,
                                            const Literal& golden) const;
  // Of the first leaf, for any operands that are no larger than these.
  absl::StatusOr<std::vector<double>> WithinMagnitudes(const Instruction& instruction,
                                                       absl::Span<const Literal> magnitudes) const;
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
  absl::StatusOr<std::vector<double>> OfSums(const Instruction& instruction,
                                             absl::Span<const Literal> operands,
                                             const Literal& golden, const Literal& sums) const;
  absl::StatusOr<std::vector<double>> WithinNarrowMagnitudes(
      const Instruction& instruction, absl::Span<const Literal> magnitudes) const;

  const TargetProfile& profile_;
  GoldenInstructions& golden_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_RADII_H_
