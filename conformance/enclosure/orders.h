// Sorts, top-k and positions of extreme values on boxes. Sorted ends are the ends of the sorted
// values; companions of keys are known if the intervals of the keys are disjoint. Tests:
// enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_ORDERS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_ORDERS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/enclosure/elementwise.h"

namespace assay::conformance {

absl::StatusOr<std::vector<Box>> EncloseSort(const Instruction& instruction, Boxes operands,
                                             const EvaluateAlone& evaluate);
absl::StatusOr<std::vector<Box>> EncloseTopK(const Instruction& instruction, Boxes operands,
                                             const EvaluateAlone& evaluate);
// Encloses a reduce that returns the minimum or maximum and its index.
absl::StatusOr<std::vector<Box>> EncloseExtremePlaces(const Instruction& instruction,
                                                      Boxes operands,
                                                      const EvaluateAlone& evaluate);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_ORDERS_H_
