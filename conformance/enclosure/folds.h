// Folds, contractions and orders on boxes. Sums and minima rise with their terms, so golden is
// evaluated at both ends. Products of intervals are sums of centres and radii. An order, or the
// place of an extreme value, is known if the intervals are disjoint. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_FOLDS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_FOLDS_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/elementwise.h"
#include "conformance/enclosure/radii.h"

namespace assay::conformance {

struct FoldContext {
  EvaluateAlone evaluate;  // evaluates the instruction
  // evaluates a dot or convolution of operands in SumType (radii.h)
  EvaluateAlone evaluate_products;
  // Returns the largest distance of conforming values of the first leaf, for all operands of at
  // most these magnitudes.
  std::function<absl::StatusOr<Reach>(absl::Span<const Literal> operands)> reach;
  // Returns the largest distance from the golden value of operands that are known or are ends of
  // intervals.
  std::function<absl::StatusOr<Reach>(absl::Span<const Literal> operands, const Literal& golden)>
      reach_about;
  // Returns the largest distance for sums with these numbers of terms and sums of magnitudes.
  std::function<Reach(const Literal& golden, absl::Span<const double> terms,
                      absl::Span<const double> magnitudes)>
      reach_of_facts;
  // Returns the exact sums of operands if the result is narrower than the type of the sums. Null if
  // it never is.
  std::function<absl::StatusOr<ExactSums>(absl::Span<const Literal> operands)> exact;
};

// Encloses reduce, reduce-window, scatter, select-and-scatter, dot, convolution, sort and top-k if
// some operand is not a point. Results by leaf; unconstrained if there is no rule.
absl::StatusOr<std::vector<Box>> EncloseFold(const Instruction& instruction, Boxes operands,
                                             const FoldContext& context);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_FOLDS_H_
