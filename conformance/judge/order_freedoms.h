// What another order of equal keys, colliding updates or folded elements can give, where nothing is
// added up: a sort that is not stable permutes what its comparator does not tell apart, a top-k
// takes any of equal values, a fold that picks one of its elements picks any of equal ones, a
// scatter applies its updates in any order. Reference ops_structural.md 4.2, 5.1, 6.2, 6.3.
// Tests: order_freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ORDER_FREEDOMS_H_
#define ASSAY_CONFORMANCE_JUDGE_ORDER_FREEDOMS_H_

#include <string>
#include <vector>

#include "conformance/judge/bounds.h"
#include "conformance/judge/verdict.h"

namespace assay {

struct OrderFreedoms {
  Freedom freedom = Freedom::kUnstableOrder;
  // By leaf of the result, then by position: what the actual element is. kWrong: nothing is known
  // of it here. Empty: the instruction has no such freedom.
  std::vector<std::vector<Verdict>> verdicts;
  std::string reason;  // of those that are not judgeable
};

// `golden` and `actual`: the leaves of the result.
absl::StatusOr<OrderFreedoms> FindOrderFreedoms(const Subject& subject,
                                                const std::vector<Literal>& golden,
                                                const std::vector<Literal>& actual);

// Of scatters: scatter_orders.cc.
absl::StatusOr<OrderFreedoms> FindScatterOrders(const Subject& subject,
                                                const std::vector<Literal>& golden,
                                                const std::vector<Literal>& actual);

// The scalar computation `region` on arrays of one dimension, element by element.
absl::StatusOr<Literal> MapOver(const Subject& subject, const Computation& region,
                                std::vector<Literal> arguments);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_ORDER_FREEDOMS_H_
