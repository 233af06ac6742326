// Batch normalisation on boxes: the formulas in intervals, widened by the errors that the judge
// permits for the largest magnitudes. Tests: linear_algebra_enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_BATCH_NORM_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_BATCH_NORM_H_

#include <vector>

#include "conformance/enclosure/box.h"
#include "conformance/profiles/profile.h"

namespace assay::conformance {

// Results by leaf; unconstrained if a variance may not be positive or a sum may overflow.
std::vector<Box> EncloseBatchNorm(const Instruction& instruction, Boxes operands,
                                  const TargetProfile& profile);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_BATCH_NORM_H_
