// LAPACK's getrf of boxes: elimination in intervals of doubles, as long as each pivot is larger
// than whatever else may stand in its column. The factors are the exact ones of a matrix that is
// off by gamma(n) |L| |U|. Source: reference ops_control_and_collectives.md 11.3; Higham, Accuracy
// and Stability of Numerical Algorithms, theorem 9.3. Tests: linear_algebra_enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_LU_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_LU_H_

#include <vector>

#include "conformance/enclosure/box.h"
#include "conformance/profiles/profile.h"

namespace assay::conformance {

bool IsLuCall(const Instruction& call);

// Returns the packed factors, the rows of the pivots from 1, and info. Rows and pivots are
// unconstrained from the first undecided pivot on.
std::vector<Box> EncloseLu(const Instruction& call, const Box& operand,
                           const TargetProfile& profile);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_LU_H_
