// What another order of equal keys, colliding updates or folded elements can give, where nothing is
// added up: a sort that is not stable permutes what its comparator does not tell apart, a top-k
// takes any of equal values, a fold that picks one of its elements picks any of equal ones, a
// scatter applies its updates in any order. Reference ops_structural.md 4.2, 5.1, 6.2, 6.3.
// Tests: order_freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ORDER_FREEDOMS_H_
#define ASSAY_CONFORMANCE_JUDGE_ORDER_FREEDOMS_H_

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/judge/bounds.h"
#include "conformance/judge/verdict.h"

namespace assay {

struct OrderFreedoms {
  OrderFreedoms() = default;  // the instruction has no such freedom
  // Of a result with these leaves, nothing of which is known yet.
  OrderFreedoms(Freedom freedom_taken, const std::vector<Literal>& leaves);

  // All leaves of a position; `denormals`: as these count as zero.
  void Allow(int64_t position, bool denormals);

  Freedom freedom = Freedom::kUnstableOrder;
  // By leaf of the result, then by position: what the actual element is. kWrong: nothing is known
  // of it here. Empty: the instruction has no such freedom.
  std::vector<std::vector<Verdict>> verdicts;
  std::set<int64_t> by_denormals;  // positions that are allowed by that freedom instead
  std::string reason;              // of those that are not judgeable
};

// `golden` and `actual`: the leaves of the result.
absl::StatusOr<OrderFreedoms> FindOrderFreedoms(const Subject& subject,
                                                const std::vector<Literal>& golden,
                                                const std::vector<Literal>& actual);

// Of sorts and top-k (sort_orders.cc), folds that pick (fold_picks.cc) and scatters
// (scatter_orders.cc).
absl::StatusOr<OrderFreedoms> FindSortOrders(const Subject& subject,
                                             const std::vector<Literal>& golden,
                                             const std::vector<Literal>& actual);
OrderFreedoms FindTopKOrders(const Subject& subject, const std::vector<Literal>& golden,
                             const std::vector<Literal>& actual);
absl::StatusOr<OrderFreedoms> FindPicks(const Subject& subject, const std::vector<Literal>& golden,
                                        const std::vector<Literal>& actual);
absl::StatusOr<OrderFreedoms> FindScatterOrders(const Subject& subject,
                                                const std::vector<Literal>& golden,
                                                const std::vector<Literal>& actual);

// The operands of a sort that its comparator looks at.
std::set<int64_t> KeysOf(const Computation& comparator);

// A comparison of floats that is no total order tells nothing about NaNs: with them it is no
// ordering, and any permutation will do (6.2).
bool OrdersNans(const Computation& comparator);

// Whether a region only compares and selects: it gives one of the elements, or the start.
bool Picks(const Computation& region);

// The elements of one position of several arrays, for comparing and sorting.
using Item = std::vector<std::pair<uint64_t, uint64_t>>;
Item ItemAt(absl::Span<const Literal> arrays, int64_t position);

bool IsNanElement(const Literal& literal, int64_t position);

// The elements of an array along one dimension.
struct Lines {
  Lines(const Shape& shape, int64_t dimension) : length(shape.dimension(dimension)) {
    for (int64_t d = dimension + 1; d < shape.rank(); ++d) stride *= shape.dimension(d);
    for (int64_t d = 0; d < shape.rank(); ++d) count *= d == dimension ? 1 : shape.dimension(d);
  }
  int64_t At(int64_t line, int64_t i) const {
    return line / stride * stride * length + line % stride + i * stride;
  }
  int64_t length, stride = 1, count = 1;
};

// The scalar computation `region`, which the instruction calls, on arrays of one dimension, element
// by element; of one that gives a tuple its part `leaf`.
absl::StatusOr<Literal> MapOver(const Subject& subject, const Computation& region,
                                std::vector<Literal> arguments, size_t leaf = 0);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_ORDER_FREEDOMS_H_
