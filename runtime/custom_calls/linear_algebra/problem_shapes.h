// The shapes of the operands and results of a linear-algebra target. Tests:
// backends/factory/linear_algebra_calls_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_PROBLEM_SHAPES_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_PROBLEM_SHAPES_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "spec/ir/shape.h"

namespace assay::runtime::custom_calls {

// A letter for each dimension behind those of the batch: one letter is one size. k is min(m, n), p
// is n - 1 (0 at least). Vectors and scalars become matrices of one column.
struct ProblemShapes {
  std::vector<const char*> operands, results;
};

// The batch dimensions of the first operand; none where a shape does not fit the row.
std::optional<Dimensions> BatchOf(const ProblemShapes& row, absl::Span<const Shape* const> operands,
                                  absl::Span<const Shape* const> results);

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_LINEAR_ALGEBRA_PROBLEM_SHAPES_H_
