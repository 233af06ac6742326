// The dimension lists that dot, ragged-dot and scaled-dot have in common.
#ifndef ASSAY_SPEC_OPS_DOT_H_
#define ASSAY_SPEC_OPS_DOT_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay {

// Checks the lists of `op` against two arrays. Clauses:
//   dot_c1 both are arrays
//   dot_c2 batch lists and contracting lists pair up
//   dot_c3 a dimension is in range and comes once among batch and contracting ones of its side
//   dot_c4 paired sizes are equal
absl::Status CheckDotLists(const Instruction& op, const Shape& lhs, const Shape& rhs);

// The result of checked lists: batch, free of lhs, free of rhs without `rhs_dropped`, in the
// declared element type, else in the higher one of the two.
Shape DotResult(const Instruction& op, const Shape& lhs, const Shape& rhs,
                absl::Span<const int64_t> rhs_dropped = {});

//   dot_c5 where a shape is declared it is an array, whose type the products are summed in.
absl::Status CheckDotType(const Instruction& op);

// Whether both factors and what the products are summed in are of one class: float, complex,
// integer or pred. Factors of other classes are converted to the type of the sum first.
bool AreOfOneClass(ElementType lhs, ElementType rhs, ElementType result);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_DOT_H_
