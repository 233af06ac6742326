#include "conformance/judge/scatter_windows.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/ops/definition.h"
#include "spec/analysis/isolate.h"
#include "spec/element/index_value.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::conformance {
namespace {

// The start indices of the windows of a scatter. A start outside of the operand may be any integer.
class WindowStarts {
 public:
  WindowStarts(const Instruction& scatter, const Literal& indices)
      : dims_(ScatterDimensionsOf(scatter)),
        data_(scatter.operand(0)->shape()),
        updates_(scatter.operand(dims_.operands + 1)->shape()),
        indices_(indices) {}

  const Shape& data() const { return data_; }
  const Shape& updates() const { return updates_; }

  // Returns the start of the window that an element of the updates belongs to.
  Dimensions StartOf(const Dimensions& update) const {
    Dimensions batch;
    for (const int64_t d : dims_.batch) batch.push_back(update[d]);
    Dimensions start(data_.rank(), 0);
    for (size_t k = 0; k < dims_.start_index_map.size(); ++k) {
      Dimensions at = batch;
      if (!dims_.implied_index_vector) {
        at.insert(at.begin() + dims_.index_vector_dim, static_cast<int64_t>(k));
      }
      const Element index = indices_.Get(evaluator::PositionOf(at, indices_.shape().dimensions()));
      start[dims_.start_index_map[k]] = IndexValue(indices_.element_type(), index);
    }
    for (size_t j = 0; j < dims_.operand_batching.size(); ++j) {
      start[dims_.operand_batching[j]] += batch[dims_.batch_position[j]];
    }
    return start;
  }

  // The element of the data, or -1 in every dimension where it lies outside.
  Dimensions Target(const Dimensions& update, Dimensions start) const {
    bool inside = true;
    for (int64_t d = 0; d < data_.rank(); ++d) {
      // The sum cannot overflow for a start from which a window reaches the operand.
      inside &= start[d] > -dims_.window_sizes[d] && start[d] < data_.dimension(d);
    }
    if (inside) {
      for (size_t k = 0; k < dims_.update_window.size(); ++k) {
        start[dims_.window[k]] += update[dims_.update_window[k]];
      }
      for (int64_t d = 0; d < data_.rank(); ++d) {
        inside &= start[d] >= 0 && start[d] < data_.dimension(d);
      }
    }
    return inside ? start : Dimensions(data_.rank(), -1);
  }

  // Returns true if some window lies partly inside the data.
  bool AnyPartlyInside() const {
    Dimensions sizes;
    for (const int64_t d : dims_.batch) sizes.push_back(updates_.dimension(d));
    for (int64_t i = 0; i < evaluator::CountOf(sizes); ++i) {
      const Dimensions at = evaluator::IndexAt(i, sizes);
      Dimensions update(updates_.rank(), 0);
      for (size_t k = 0; k < dims_.batch.size(); ++k) update[dims_.batch[k]] = at[k];
      const Dimensions start = StartOf(update);
      bool reaches = true, fits = true;
      for (int64_t d = 0; d < data_.rank(); ++d) {
        reaches &= start[d] > -dims_.window_sizes[d] && start[d] < data_.dimension(d);
        fits &= start[d] >= 0 && start[d] <= data_.dimension(d) - dims_.window_sizes[d];
      }
      if (reaches && !fits) return true;
    }
    return false;
  }

  // Returns the elements of the updates in the order of the definition: by start index, then by
  // position in the window.
  std::vector<Dimensions> Order() const {
    std::vector<int64_t> axes(dims_.batch.begin(), dims_.batch.end());
    axes.insert(axes.end(), dims_.update_window.begin(), dims_.update_window.end());
    Dimensions sizes;
    for (const int64_t d : axes) sizes.push_back(updates_.dimension(d));
    std::vector<Dimensions> order;
    for (int64_t i = 0; i < evaluator::CountOf(sizes); ++i) {
      const Dimensions at = evaluator::IndexAt(i, sizes);
      Dimensions update(axes.size());
      for (size_t k = 0; k < axes.size(); ++k) update[axes[k]] = at[k];
      order.push_back(std::move(update));
    }
    return order;
  }

 private:
  const ScatterDimensions dims_;
  const Shape& data_;
  const Shape& updates_;
  const Literal& indices_;
};

}  // namespace

bool HasPartialWindows(const Instruction& scatter, const Literal& indices) {
  const WindowStarts starts(scatter, indices);
  return starts.data().rank() > 0 && !starts.updates().is_dynamic() &&
         !starts.data().is_dynamic() && starts.AnyPartlyInside();
}

std::optional<ScatterByElements> ReadByElements(const Instruction& scatter,
                                                const Literal& indices) {
  if (!HasPartialWindows(scatter, indices)) return std::nullopt;
  const WindowStarts starts(scatter, indices);
  const Shape &data = starts.data(), &updates = starts.updates();
  ScatterByElements reading;
  std::vector<Dimensions> targets;
  for (const Dimensions& update : starts.Order()) {
    targets.push_back(starts.Target(update, starts.StartOf(update)));
    reading.order.push_back(evaluator::PositionOf(update, updates.dimensions()));
  }
  const auto count = static_cast<int64_t>(targets.size());
  reading.indices = Literal::Zeros(Shape(ElementType::kS64, {count, data.rank()}));
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t d = 0; d < data.rank(); ++d) {
      reading.indices.Set(i * data.rank() + d, {static_cast<uint64_t>(targets[i][d])});
    }
  }
  // The isolated instruction has parameters for operands, whose shapes change.
  reading.module = analysis::IsolateInstruction(scatter);
  Instruction& root = *reading.module->entry()->root();
  const int64_t arrays = (root.operand_count() - 1) / 2;
  for (int64_t k = arrays; k < root.operand_count(); ++k) {
    Instruction* operand = root.operand(k);
    operand->set_shape(k == arrays ? reading.indices.shape()
                                   : Shape(operand->shape().element_type(), {count}));
  }
  Dimensions every;
  for (int64_t d = 0; d < data.rank(); ++d) every.push_back(d);
  for (const Attr empty :
       {Attr::kUpdateWindowDims, Attr::kInputBatchingDims, Attr::kScatterIndicesBatchingDims}) {
    root.SetAttribute(empty, std::vector<int64_t>{});
  }
  root.SetAttribute(Attr::kInsertedWindowDims, std::vector<int64_t>(every.begin(), every.end()));
  root.SetAttribute(Attr::kScatterDimsToOperandDims,
                    std::vector<int64_t>(every.begin(), every.end()));
  root.SetAttribute(Attr::kIndexVectorDim, int64_t{1});
  return reading;
}

std::vector<Literal> ScatterByElements::Operands(absl::Span<const Literal> original) const {
  const size_t arrays = (original.size() - 1) / 2;
  std::vector<Literal> operands(original.begin(), original.begin() + static_cast<int64_t>(arrays));
  operands.push_back(indices);
  for (size_t k = arrays + 1; k < original.size(); ++k) {
    const auto count = static_cast<int64_t>(order.size());
    Literal updates = Literal::Zeros(Shape(original[k].element_type(), {count}));
    for (int64_t i = 0; i < count; ++i) updates.Set(i, original[k].Get(order[i]));
    operands.push_back(std::move(updates));
  }
  return operands;
}

}  // namespace assay::conformance
