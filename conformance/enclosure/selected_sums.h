// select-and-scatter on boxes, such as the gradient of a max pooling: where several cells of a
// window may be the one that is selected, each gets what is scattered or nothing. Tests:
// enclosure_orders_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_SELECTED_SUMS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_SELECTED_SUMS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/folds.h"

namespace assay {

// Encloses floats that one comparison selects and that are added; others are unconstrained.
absl::StatusOr<std::vector<Box>> EncloseSelectedSums(const Instruction& instruction, Boxes operands,
                                                     const FoldContext& context);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_SELECTED_SUMS_H_
