// Cells of a scatter with several updates: the results of applying them in any order (reference
// ops_structural.md 4.2, Duplicates).
#include <algorithm>
#include <numeric>

#include "conformance/judge/order_freedoms.h"
#include "evaluator/ops/cell_updates.h"
#include "evaluator/ops/definition.h"
#include "spec/analysis/reducer.h"
#include "spec/element/index_value.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::conformance {
namespace {

// Cells with at most 5 updates, which have 120 orders, are enumerated.
constexpr size_t kMostEnumerated = 5;
constexpr int64_t kMostOrders = 1 << 20;

// The updates of each cell, in the golden order.
class UpdatesOf {
 public:
  explicit UpdatesOf(const Subject& subject)
      : dims_(ScatterDimensionsOf(subject.instruction)),
        data_(subject.operands[0].shape()),
        indices_(subject.operands[dims_.operands]),
        updates_(subject.operands[dims_.operands + 1].shape()) {
    const Dimensions sizes(updates_.dimensions().begin(), updates_.dimensions().end());
    for (int64_t u = 0; u < evaluator::CountOf(sizes); ++u) {
      const Dimensions at = evaluator::IndexAt(u, sizes);
      if (const std::optional<int64_t> cell = CellOf(at)) cells_.Add(*cell, u);
    }
  }
  absl::Span<const int64_t> Of(int64_t cell) const { return cells_.Of(cell); }

 private:
  std::optional<int64_t> CellOf(const Dimensions& update) const {
    Dimensions batch;
    for (const int64_t d : dims_.batch) batch.push_back(update[d]);
    Dimensions full(data_.rank(), 0);
    for (size_t k = 0; k < dims_.start_index_map.size(); ++k) {
      Dimensions at = batch;
      if (!dims_.implied_index_vector) {
        at.insert(at.begin() + dims_.index_vector_dim, static_cast<int64_t>(k));
      }
      const Element index = indices_.Get(evaluator::PositionOf(at, indices_.shape().dimensions()));
      full[dims_.start_index_map[k]] = IndexValue(indices_.element_type(), index);
    }
    for (size_t j = 0; j < dims_.operand_batching.size(); ++j) {
      full[dims_.operand_batching[j]] += batch[dims_.batch_position[j]];
    }
    for (int64_t d = 0; d < data_.rank(); ++d) {
      if (full[d] < 0 || full[d] > data_.dimension(d) - dims_.window_sizes[d]) return std::nullopt;
    }
    for (size_t k = 0; k < dims_.update_window.size(); ++k) {
      full[dims_.window[k]] += update[dims_.update_window[k]];
    }
    return evaluator::PositionOf(full, data_.dimensions());
  }

  const ScatterDimensions dims_;
  const Shape& data_;
  const Literal& indices_;
  const Shape& updates_;
  evaluator::CellUpdates cells_;
};

// Returns true if the region returns its second arguments, so that the last update wins.
bool Overwrites(const Computation& region, int64_t operands) {
  const Instruction& root = *region.root();
  if (operands == 1) return root.parameter_number() == 1;
  if (root.opcode() != Opcode::kTuple) return false;
  for (int64_t k = 0; k < operands; ++k) {
    if (root.operand(k)->parameter_number() != operands + k) return false;
  }
  return true;
}

bool SameValue(ElementType type, Element a, Element b) {
  if (a == b) return true;
  return IsFloat(type) && IsNan(type, a.bits) && IsNan(type, b.bits);
}

class ScatterOrders {
 public:
  ScatterOrders(const Subject& subject, const std::vector<Literal>& golden,
                const std::vector<Literal>& actual)
      : subject_(subject),
        region_(*subject.instruction.to_apply()),
        arrays_(static_cast<int64_t>(golden.size())),
        golden_(golden),
        actual_(actual),
        updates_(subject),
        found_(Freedom::kScatterOrder, golden) {
    found_.reason = "too many colliding updates to try every order";
  }

  absl::StatusOr<OrderFreedoms> Find() {
    const bool overwrites = Overwrites(region_, arrays_);
    int64_t orders = 0;
    for (int64_t cell = 0; cell < golden_[0].element_count(); ++cell) {
      if (IsGolden(cell)) continue;
      const absl::Span<const int64_t> updates = updates_.Of(cell);
      if (updates.size() < 2) continue;
      if (overwrites) {
        if (IsOneOf(cell, updates)) Set(cell, Verdict::kAllowed);
        continue;
      }
      int64_t count = 1;
      for (size_t k = 2; k <= updates.size() && k <= kMostEnumerated; ++k) {
        count *= static_cast<int64_t>(k);
      }
      orders += count;
      if (arrays_ > 1 || updates.size() > kMostEnumerated || orders > kMostOrders) {
        Set(cell, Verdict::kNotJudgeable);
      } else {
        tried_.push_back(cell);
      }
    }
    if (absl::Status status = TryOrders(); !status.ok()) return status;
    return std::move(found_);
  }

 private:
  bool IsGolden(int64_t cell) const {
    for (int64_t k = 0; k < arrays_; ++k) {
      if (!(golden_[k].Get(cell) == actual_[k].Get(cell))) return false;
    }
    return true;
  }
  void Set(int64_t cell, Verdict verdict) {
    for (std::vector<Verdict>& leaf : found_.verdicts) leaf[cell] = verdict;
  }
  const Literal& Updates(int64_t k) const { return subject_.operands[arrays_ + 1 + k]; }

  // Returns true if all leaves of a cell are from one of the updates.
  bool IsOneOf(int64_t cell, absl::Span<const int64_t> updates) const {
    return std::any_of(updates.begin(), updates.end(), [&](int64_t update) {
      for (int64_t k = 0; k < arrays_; ++k) {
        if (!SameValue(golden_[k].element_type(), Updates(k).Get(update), actual_[k].Get(cell))) {
          return false;
        }
      }
      return true;
    });
  }

  // Tries every order of the updates of every enumerated cell, applying one update after the other.
  absl::Status TryOrders() {
    std::vector<int64_t> cell_of;
    std::vector<std::vector<int64_t>> orders;
    for (const int64_t cell : tried_) {
      const absl::Span<const int64_t> updates = updates_.Of(cell);
      std::vector<int64_t> order(updates.begin(), updates.end());
      std::sort(order.begin(), order.end());
      do {
        cell_of.push_back(cell);
        orders.push_back(order);
      } while (std::next_permutation(order.begin(), order.end()));
    }
    for (size_t length = 2; length <= kMostEnumerated; ++length) {
      if (absl::Status status = TryOrdersOf(length, cell_of, orders); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status TryOrdersOf(size_t length, const std::vector<int64_t>& cell_of,
                           const std::vector<std::vector<int64_t>>& orders) {
    std::vector<size_t> chosen;
    for (size_t k = 0; k < orders.size(); ++k) {
      if (orders[k].size() == length) chosen.push_back(k);
    }
    if (chosen.empty()) return absl::OkStatus();
    const int64_t count = static_cast<int64_t>(chosen.size());
    const Literal& data = subject_.operands[0];
    Literal value = Literal::Zeros(Shape(data.element_type(), {count}));
    for (int64_t k = 0; k < count; ++k) value.Set(k, data.Get(cell_of[chosen[k]]));
    for (size_t step = 0; step < length; ++step) {
      Literal update = Literal::Zeros(Shape(Updates(0).element_type(), {count}));
      for (int64_t k = 0; k < count; ++k) {
        update.Set(k, Updates(0).Get(orders[chosen[k]][step]));
      }
      absl::StatusOr<Literal> next = MapOver(subject_, region_, {value, update});
      if (!next.ok()) return next.status();
      value = *std::move(next);
    }
    for (int64_t k = 0; k < count; ++k) {
      const int64_t cell = cell_of[chosen[k]];
      if (SameValue(data.element_type(), value.Get(k), actual_[0].Get(cell))) {
        Set(cell, Verdict::kAllowed);
      }
    }
    return absl::OkStatus();
  }

  const Subject& subject_;
  const Computation& region_;
  const int64_t arrays_;
  const std::vector<Literal>& golden_;
  const std::vector<Literal>& actual_;
  const UpdatesOf updates_;
  std::vector<int64_t> tried_;
  OrderFreedoms found_;
};

}  // namespace

absl::StatusOr<OrderFreedoms> FindScatterOrders(const Subject& subject,
                                                const std::vector<Literal>& golden,
                                                const std::vector<Literal>& actual) {
  // Sums and products have bounds instead, and minima and maxima do not depend on the order.
  if (analysis::RecogniseReducer(*subject.instruction.to_apply()).kind !=
      analysis::ReducerKind::kOther)
    return OrderFreedoms();
  return ScatterOrders(subject, golden, actual).Find();
}

}  // namespace assay::conformance
