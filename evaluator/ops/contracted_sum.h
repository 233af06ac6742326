// The sum that dot and ragged-dot form for one element of their result: over the contracted
// positions in row-major order. Source: reference ops_structural.md 7.2, 7.3.
#ifndef ASSAY_EVALUATOR_OPS_CONTRACTED_SUM_H_
#define ASSAY_EVALUATOR_OPS_CONTRACTED_SUM_H_

#include "evaluator/ops/definition.h"
#include "evaluator/ops/product_sum.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::evaluator {

// Adds lhs[l] * rhs[r] for each contracted position, which it stores in both indices; the caller
// has set the other dimensions. `counts(l)`, a StatusOr<bool>, returns true if the position is a
// term.
template <typename Counts>
absl::Status AddContracted(const Instruction& dot, const DotDimensions& dims, Dimensions l,
                           Dimensions r, OperandElements& operands, EvaluationContext& context,
                           ProductSum& sum, Counts counts) {
  const Dimensions extents = SizesOf(OperandShape(dot, 0).dimensions(), dims.lhs_contracting);
  return ForEachIndex(extents, [&](Index c) -> absl::Status {
    for (size_t k = 0; k < c.size(); ++k) {
      l[dims.lhs_contracting[k]] = r[dims.rhs_contracting[k]] = c[k];
    }
    const absl::StatusOr<bool> counted = counts(l);
    if (!counted.ok()) return counted.status();
    if (*counted) {
      absl::StatusOr<Element> a = operands.At(0, l);
      if (!a.ok()) return a.status();
      absl::StatusOr<Element> b = operands.At(1, r);
      if (!b.ok()) return b.status();
      sum.Add(*a, *b);
    }
    return context.Charge(1);
  });
}

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_CONTRACTED_SUM_H_
