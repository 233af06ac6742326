// select-and-scatter on boxes, such as the gradient of a max pooling: if several cells of a window
// may be selected, each of them gets the scattered value or nothing. Tests:
// enclosure_orders_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_SELECTED_SUMS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_SELECTED_SUMS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/folds.h"

namespace assay::conformance {

// Encloses an instruction that selects floats by one comparison and adds. Results of others are
// unconstrained.
absl::StatusOr<std::vector<Box>> EncloseSelectedSums(const Instruction& instruction, Boxes operands,
                                                     const FoldContext& context);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_SELECTED_SUMS_H_
