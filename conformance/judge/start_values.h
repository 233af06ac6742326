// Start values of reductions that are no identity. Golden uses one once, first; the sources let an
// implementation use it any number of times, in each part of the sum, or not at all where nothing
// is folded (reference ops_structural.md 5.1 and 15, decisions 12 and 44). Tests: freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_
#define ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_

#include "conformance/judge/bounds.h"

namespace assay {

// Whether element `i` of the actual result is that of a sum or product which counts its start value
// otherwise than once: not at all, or up to once more for each element that it folds. `slack`: how
// far the element may be from golden anyway.
bool CountsStartOtherwise(const Subject& subject, const Literal& golden, const Literal& actual,
                          int64_t i, double slack);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_
