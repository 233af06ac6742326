// Transforms and factorisations on boxes. A transform is enclosed by the transform of the centres,
// the norm of the radii and its own error bound; systems.h has the factorisations. Tests:
// linear_algebra_enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_LINEAR_ALGEBRA_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_LINEAR_ALGEBRA_H_

#include <vector>

#include "absl/status/statusor.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/folds.h"
#include "conformance/profiles/profile.h"

namespace assay::conformance {

// Encloses fft, triangular-solve and cholesky, the latter two for known operands as well. Results
// by leaf; unconstrained if there is no rule.
absl::StatusOr<std::vector<Box>> EncloseLinearAlgebra(const Instruction& instruction,
                                                      Boxes operands, const TargetProfile& profile,
                                                      const FoldContext& context);

// Joins, in a transform of known operands, the values that a non-finite number leads to if an
// algorithm skips its factor 0 (structural_53). Every part of its block may be any number or NaN.
// Only the imaginary part of a sum of real numbers is zero or NaN.
void UnconstrainNonFiniteBlocks(const Instruction& fft, const Literal& operand, Box* box);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_LINEAR_ALGEBRA_H_
