// scatter: res = operand; for every update index U, start vectors outer and windows inner, both in
// row-major order: where the whole window of U lies inside the operand,
// res[full] = f(res[full], update[U]). Starts are not clamped. Source: ops_structural.md 4.2.
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/ops/cell_updates.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/fold.h"
#include "spec/element/index_value.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::evaluator {
namespace {

class Scatter : public Definition {
 public:
  Scatter(const Instruction& scatter, Fold fold)
      : scatter_(scatter), dims_(ScatterDimensionsOf(scatter)), fold_(std::move(fold)) {}

  absl::StatusOr<Element> At(int64_t leaf, Index i, OperandElements& operands,
                             EvaluationContext& context) override {
    if (!updates_) {
      if (absl::Status status = FindUpdates(operands, context); !status.ok()) return status;
    }
    const absl::Span<const int64_t> updates = updates_->Of(PositionOf(i, Data().dimensions()));
    if (updates.empty()) return operands.At(leaf, i);
    absl::StatusOr<std::vector<Element>> x = Elements(0, i, operands);
    if (!x.ok()) return x.status();
    fold_.Start(*x);
    for (int64_t update : updates) {
      x = Elements(dims_.operands + 1, IndexAt(update, Updates().dimensions()), operands);
      if (!x.ok()) return x.status();
      if (absl::Status status = fold_.Add(*x, context); !status.ok()) return status;
    }
    return As(ResultType(scatter_, leaf), fold_.accumulator_type(leaf),
              fold_.Result(leaf, context));
  }

 private:
  const Shape& Data() const { return OperandShape(scatter_, 0); }
  const Shape& Indices() const { return OperandShape(scatter_, dims_.operands); }
  const Shape& Updates() const { return OperandShape(scatter_, dims_.operands + 1); }

  // The elements at `index` of N operands: the data (first = 0) or the updates.
  absl::StatusOr<std::vector<Element>> Elements(int64_t first, Index index,
                                                OperandElements& operands) {
    std::vector<Element> elements;
    for (int64_t k = 0; k < dims_.operands; ++k) {
      const ElementType type = first == 0 ? fold_.accumulator_type(k) : fold_.element_type(k);
      absl::StatusOr<Element> element = ElementAs(type, scatter_, first + k, index, operands);
      if (!element.ok()) return element.status();
      elements.push_back(*element);
    }
    return elements;
  }

  // The start of the window of batch index G in every dimension of the data.
  absl::StatusOr<Dimensions> Start(Index G, OperandElements& operands) const {
    Dimensions start(Data().rank(), 0);
    for (size_t k = 0; k < dims_.start_index_map.size(); ++k) {
      Dimensions at(G.begin(), G.end());
      if (!dims_.implied_index_vector) at.insert(at.begin() + dims_.index_vector_dim, k);
      absl::StatusOr<Element> index = operands.At(dims_.operands, at);
      if (!index.ok()) return index.status();
      start[dims_.start_index_map[k]] = IndexValue(Indices().element_type(), *index);
    }
    for (size_t j = 0; j < dims_.operand_batching.size(); ++j) {
      start[dims_.operand_batching[j]] += G[dims_.batch_position[j]];
    }
    return start;
  }

  bool WindowFits(const Dimensions& start) const {
    for (int64_t d = 0; d < Data().rank(); ++d) {
      if (start[d] < 0 || start[d] > Data().dimension(d) - dims_.window_sizes[d]) return false;
    }
    return true;
  }

  absl::Status FindUpdates(OperandElements& operands, EvaluationContext& context) {
    CellUpdates found;
    const absl::Span<const int64_t> sizes = Updates().dimensions();
    absl::Status status = ForEachIndex(SizesOf(sizes, dims_.batch), [&](Index G) -> absl::Status {
      absl::StatusOr<Dimensions> start = Start(G, operands);
      if (!start.ok()) return start.status();
      if (!WindowFits(*start)) return context.Charge(1);
      return ForEachIndex(SizesOf(sizes, dims_.update_window), [&](Index W) {
        Dimensions U(sizes.size());
        for (size_t k = 0; k < dims_.batch.size(); ++k) U[dims_.batch[k]] = G[k];
        for (size_t k = 0; k < W.size(); ++k) U[dims_.update_window[k]] = W[k];
        Dimensions full = *start;
        for (size_t k = 0; k < W.size(); ++k) full[dims_.window[k]] += W[k];
        found.Add(PositionOf(full, Data().dimensions()), PositionOf(U, sizes));
        return context.Charge(1);
      });
    });
    if (status.ok()) updates_ = std::move(found);
    return status;
  }

  const Instruction& scatter_;
  const ScatterDimensions dims_;
  Fold fold_;
  std::optional<CellUpdates> updates_;
};

}  // namespace

DefinitionOr DefineScatter(const Instruction& scatter) {
  absl::StatusOr<Fold> fold = Fold::Prepare(*scatter.to_apply());
  if (!fold.ok()) return fold.status();
  return std::make_unique<Scatter>(scatter, *std::move(fold));
}

}  // namespace assay::evaluator
