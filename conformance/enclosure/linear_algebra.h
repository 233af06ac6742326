// Transforms and factorisations on boxes. A transform of the centres, with the norm of what is
// around them, plus its own bound; systems.h has the others. Tests:
// linear_algebra_enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_LINEAR_ALGEBRA_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_LINEAR_ALGEBRA_H_

#include <vector>

#include "absl/status/statusor.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/folds.h"
#include "conformance/profiles/profile.h"

namespace assay {

// fft, triangular-solve and cholesky, of which the latter two may have known operands as well. By
// leaf of the result; what has no rule may be anything.
absl::StatusOr<std::vector<Box>> EncloseLinearAlgebra(const Instruction& instruction,
                                                      Boxes operands, const TargetProfile& profile,
                                                      const FoldContext& context);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_LINEAR_ALGEBRA_H_
