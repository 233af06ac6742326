// The Cholesky factor of one matrix, exactly: fraction-free elimination gives every minor that an
// element is made of, and element (i, j) = minor(i, j) / sqrt(D(j) D(j-1)) with the leading minors
// D is rounded once. Nothing stays undecided, ties included. The definition of cholesky and the
// last tier of its kernel use it. Tests: every_path_test.cc, linear_algebra_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_EXACT_CHOLESKY_H_
#define ASSAY_EVALUATOR_OPS_EXACT_CHOLESKY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"

namespace assay::evaluator {

// `lower` holds the finite parts of element (i, j) at i * n + j: one double for float types, two
// for complex ones. Only j <= i is read, and the imaginary part of the diagonal is not. The result
// has as many elements, zeros above the diagonal; NaN everywhere if a leading minor is not
// positive.
absl::StatusOr<std::vector<Element>> ExactCholesky(ElementType type, int64_t n,
                                                   absl::Span<const double> lower,
                                                   EvaluationContext& context);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_EXACT_CHOLESKY_H_
