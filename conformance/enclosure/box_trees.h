// Values made of other values: tuples of boxes, the results of asynchronous starts, hulls.
// Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_BOX_TREES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_BOX_TREES_H_

#include <vector>

#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The value of a shape whose leaves are these boxes, which are moved.
BoxTree AssembleTree(const Shape& shape, std::vector<Box>* leaves);

// The result of the first half of an asynchronous pair: two values and the context behind them,
// which is unconstrained.
BoxTree StartedPair(const Instruction& start, BoxTree first, BoxTree second);

// The least value that contains all of them, which have one shape and are at least one. What they
// do not agree on depends on the decision of `open` unless it depends on another one already.
BoxTree HullOfTrees(absl::Span<const BoxTree> trees, const Instruction* open);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_BOX_TREES_H_
