// The values that another order of equal keys, colliding updates or folded elements permits, for
// operations that do not add elements. An unstable sort permutes elements that its comparator does
// not distinguish, a top-k selects any of equal values, a fold that selects an element selects any
// of equal ones, and a scatter applies its updates in any order. Reference ops_structural.md 4.2,
// 5.1, 6.2, 6.3. Tests: order_freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ORDER_FREEDOMS_H_
#define ASSAY_CONFORMANCE_JUDGE_ORDER_FREEDOMS_H_

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/judge/bounds.h"
#include "conformance/judge/verdict.h"

namespace assay::conformance {

struct OrderFreedoms {
  OrderFreedoms() = default;  // the instruction has no such freedom
  // Creates the findings for a result with these leaves, all of them unknown.
  OrderFreedoms(Freedom freedom_taken, const std::vector<Literal>& leaves);

  // Allows all leaves of a position. `denormals` is true if the order treats denormals as zero.
  void Allow(int64_t position, bool denormals);

  Freedom freedom = Freedom::kUnstableOrder;
  // The verdict by leaf of the result and by position. kWrong means that this rule does not decide
  // the element. The list is empty if the instruction permits no other order.
  std::vector<std::vector<Verdict>> verdicts;
  std::set<int64_t> by_denormals;  // positions that flushed denormals, not `freedom`, allow
  std::set<int64_t> by_payloads;   // those that changed payloads of NaNs allow
  std::string reason;              // why positions are inconclusive
};

// `golden` and `actual` are the leaves of the result.
absl::StatusOr<OrderFreedoms> FindOrderFreedoms(const Subject& subject,
                                                const std::vector<Literal>& golden,
                                                const std::vector<Literal>& actual);

// The rules of sorts and top-k (sort_orders.cc, payload_orders.cc), of folds that select an element
// (fold_picks.cc) and of scatters (scatter_orders.cc).
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

// Adds to `found` the lines of a sort or top-k of floats below 32 bits whose NaNs may lose their
// payloads, and in 8 bits and fewer their signs, before they are compared (N-2.1): those of arrays
// that have one NaN of each sign, or one.
absl::Status FindPayloadOrders(const Subject& subject, const std::vector<Literal>& actual,
                               OrderFreedoms* found);

// Returns the operands of a sort that its comparator reads.
std::set<int64_t> KeysOf(const Computation& comparator);

// Returns true if the comparator orders NaNs: every comparison of floats is in the total order. If
// it returns false any permutation of a line with NaNs is permitted (6.2).
bool OrdersNans(const Computation& comparator);

// Returns true if the computation, or one that it calls, compares floats in the total order, in
// which a NaN stands where its sign puts it.
bool ComparesInTotalOrder(const Computation& computation);

// Returns true if the instruction compares computed values in the total order. The sign of a NaN
// that an operation produces is unspecified, so that it may be ordered first or last. The sign of a
// NaN that comes from an argument or constant is known (given_nans.h), unless the profile lets
// movements change it (N-2.1): sorts and top-k move what they order.
bool OrdersMadeNans(const Instruction& instruction, const TargetProfile& profile);

// Returns true if a region only compares and selects, so that it returns an element or the start.
bool Picks(const Computation& region);

// The elements at one position of several arrays, to be compared and sorted.
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

// Calls see(cell, element) for each element that a reduce or reduce-window folds into a cell of
// the result.
template <typename See>
void ForEachFolded(const Instruction& fold, const Shape& operand, const Shape& result, See see) {
  const Dimensions strides = RowMajorStrides(operand.dimensions());
  if (fold.opcode() == Opcode::kReduce) {
    const absl::Span<const int64_t> reduced = fold.GetInts(Attr::kDimensions);
    for (int64_t i = 0; i < operand.element_count(); ++i) {
      int64_t cell = 0;
      for (int64_t d = 0; d < operand.rank(); ++d) {
        if (std::find(reduced.begin(), reduced.end(), d) != reduced.end()) continue;
        cell = cell * operand.dimension(d) + i / strides[d] % operand.dimension(d);
      }
      see(cell, i);
    }
    return;
  }
  const std::vector<WindowDimension>& window = fold.window().dimensions;
  Dimensions sizes;
  int64_t places = 1;
  for (const WindowDimension& w : window) {
    sizes.push_back(w.size);
    places *= w.size;
  }
  const Dimensions of_places = RowMajorStrides(sizes),
                   of_cells = RowMajorStrides(result.dimensions());
  for (int64_t cell = 0; cell < result.element_count(); ++cell) {
    for (int64_t k = 0; k < places; ++k) {
      int64_t i = 0;
      bool inside = true;
      for (size_t d = 0; d < window.size() && inside; ++d) {
        const WindowDimension& w = window[d];
        const int64_t at = cell / of_cells[d] % result.dimension(d),
                      place = k / of_places[d] % w.size;
        const int64_t q = at * w.stride + place * w.window_dilation - w.padding_low;
        inside = q >= 0 && q % w.base_dilation == 0 && q / w.base_dilation < operand.dimension(d);
        i += q / w.base_dilation * strides[d];
      }
      if (inside) see(cell, i);
    }
  }
}

// Evaluates the scalar computation `region` of the instruction on one-dimensional arrays, element
// by element. If the region returns a tuple the result is its part `leaf`.
absl::StatusOr<Literal> MapOver(const Subject& subject, const Computation& region,
                                std::vector<Literal> arguments, size_t leaf = 0);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_ORDER_FREEDOMS_H_
