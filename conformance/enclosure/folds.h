// Folds, contractions and orders on boxes. Sums and minima rise with their terms, so golden is
// evaluated at both ends; products of intervals are sums of centres and radii; an order, or a place
// of an extreme value, is known where the intervals lie apart. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_FOLDS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_FOLDS_H_

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/elementwise.h"

namespace assay {

// How far a conforming value may be from the golden one of these operands, by element of the first
// leaf; infinite where nothing follows.
using RadiiOf =
    std::function<absl::StatusOr<std::vector<double>>(absl::Span<const Literal> operands)>;

struct FoldContext {
  EvaluateAlone evaluate;           // the instruction
  EvaluateAlone evaluate_products;  // a dot or convolution of operands in ProductType (radii.h)
  RadiiOf radii;
  // The same about the golden value of operands that are known, or ends of intervals.
  std::function<absl::StatusOr<std::vector<double>>(absl::Span<const Literal> operands,
                                                    const Literal& golden)>
      radii_about;
  // The same for sums of so many terms with these sums of magnitudes.
  std::function<std::vector<double>(const Literal& golden, absl::Span<const double> terms,
                                    absl::Span<const double> magnitudes)>
      radii_of_facts;
};

// reduce, reduce-window, scatter, select-and-scatter, dot, convolution, sort and top-k, of which
// some operand is no point. By leaf of the result; what has no rule may be anything.
absl::StatusOr<std::vector<Box>> EncloseFold(const Instruction& instruction, Boxes operands,
                                             const FoldContext& context);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_FOLDS_H_
