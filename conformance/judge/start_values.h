// Start values of reductions that are no identity. Golden uses one once, first; the sources let an
// implementation use it any number of times, in each part of the sum, or not at all where nothing
// is folded (reference ops_structural.md 5.1 and 15, decisions 12 and 44). Tests: freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_
#define ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_

#include "conformance/judge/bounds.h"
#include "conformance/judge/decision_points.h"
#include "evaluator/region/reducer.h"

namespace assay {

// Whether a sum or product changes when a start value in the range counts again; the sign that -1
// changes is not left open.
bool StartCounts(ReducerKind kind, const ElementRange& start);
// Of reduce: whether the start value may be such a one (decision W-12).
bool MayCountStart(const Instruction& reduce, const ElementRange& start);

// Whether element `i` of the actual result is that of a sum or product which counts its start value
// otherwise than once: not at all, or up to once more for each element that it folds. `slack`: how
// far the element may be from golden anyway.
bool CountsStartOtherwise(const Subject& subject, const Literal& golden, const Literal& actual,
                          int64_t i, double slack);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_START_VALUES_H_
