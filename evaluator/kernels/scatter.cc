// Kernel of scatter: start vectors outer, windows inner; a window that does not fit whole is left
// out. Recognised sums and products collect all that meets a cell and round once; other recognised
// reducers and plain overwriting work run by run; any other computation runs as written.
// Source: reference ops_structural.md 4.2. Tests: folding_kernels_test.cc.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "evaluator/kernels/cell_fold.h"
#include "evaluator/kernels/element_loops.h"
#include "evaluator/kernels/indices.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/odometer.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/strided_copy.h"
#include "spec/element/element.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::kernels {
namespace {

// Where the windows lie: positions in elements of the data and of the updates.
struct ScatterPlan {
  struct Component {
    int64_t index_offset;
    int64_t limit;  // the largest start at which the window fits
    int64_t data_stride;
  };
  explicit ScatterPlan(const Instruction& scatter);

  // Calls f(position in data, position in updates) for each window that fits, in order. f may
  // return a status; what f cannot fail at costs less.
  template <typename F>
  absl::Status ForEachWindow(const std::byte* indices, Meter& meter, F f) const {
    absl::Status status;
    if (empty) return status;
    WithIndexType(index_type, [&](auto load) { status = Walk(load, indices, meter, f); });
    return status;
  }
  template <typename Load, typename F>
  absl::Status Walk(Load load, const std::byte* indices, Meter& meter, F& f) const {
    constexpr int64_t kMetered = 1024;
    Odometer<3> at(batch);
    do {
      for (int64_t i = 0; i < row.size; ++i) {
        int64_t start = at.offset(2) + i * row.strides[2];
        bool fits = true;
        for (const Component& c : components) {
          const int64_t s = load(indices, at.offset(0) + i * row.strides[0] + c.index_offset);
          fits = fits && s >= 0 && s <= c.limit;
          if (!fits) break;
          start += s * c.data_stride;
        }
        if (i % kMetered == 0) {
          absl::Status status = meter.Add(std::min(kMetered, row.size - i));
          if (!status.ok()) return status;
        }
        if (!fits) continue;
        if constexpr (std::is_void_v<decltype(f(start, start))>) {
          f(start, at.offset(1) + i * row.strides[1]);
        } else {
          absl::Status status = f(start, at.offset(1) + i * row.strides[1]);
          if (!status.ok()) return status;
        }
      }
    } while (at.Next());
    return absl::OkStatus();
  }

  int64_t operands;
  ElementType index_type;
  bool empty;
  // Windows with different starts share no cell.
  bool disjoint = true;
  int64_t window_count = 1;  // elements of a window
  Odometer<3>::Loops batch;  // offsets in indices, updates, data; without the innermost,
  GridLoop<3> row;           // which is this
  absl::InlinedVector<Component, 4> components;
  // The window without its innermost run; offsets in data, updates.
  Odometer<2>::Loops outer_window;
  int64_t run = 1;  // elements side by side in both
};

ScatterPlan::ScatterPlan(const Instruction& scatter) {
  const ScatterDimensions dims = ScatterDimensionsOf(scatter);
  operands = dims.operands;
  const Shape& data = scatter.operand(0)->shape();
  const Shape& indices = scatter.operand(operands)->shape();
  const Shape& updates = scatter.operand(operands + 1)->shape();
  const Dimensions data_strides = RowMajorStrides(data.dimensions());
  const Dimensions index_strides = RowMajorStrides(indices.dimensions());
  const Dimensions update_strides = RowMajorStrides(updates.dimensions());
  index_type = indices.element_type();
  empty = updates.element_count() == 0 || data.element_count() == 0;
  for (size_t k = 0; k < dims.batch.size(); ++k) {
    batch.push_back({updates.dimension(dims.batch[k]),
                     {index_strides[dims.index_batch[k]], update_strides[dims.batch[k]], 0}});
  }
  for (size_t j = 0; j < dims.operand_batching.size(); ++j) {
    batch[dims.batch_position[j]].strides[2] = data_strides[dims.operand_batching[j]];
  }
  if (!batch.empty()) {
    row = batch.back();
    batch.pop_back();
  }
  const int64_t step = dims.implied_index_vector ? 0 : index_strides[dims.index_vector_dim];
  for (size_t k = 0; k < dims.start_index_map.size(); ++k) {
    const int64_t d = dims.start_index_map[k];
    components.push_back({static_cast<int64_t>(k) * step, data.dimension(d) - dims.window_sizes[d],
                          data_strides[d]});
    if (dims.window_sizes[d] != 1) disjoint = false;
  }
  for (size_t k = 0; k < dims.window.size(); ++k) {
    const int64_t size = updates.dimension(dims.update_window[k]);
    window_count *= size;
    if (size == 1) continue;
    outer_window.push_back(
        {size, {data_strides[dims.window[k]], update_strides[dims.update_window[k]]}});
  }
  // Joins the innermost dimensions that are one run in both arrays.
  while (!outer_window.empty()) {
    const GridLoop<2>& last = outer_window.back();
    if (last.strides[0] != run || last.strides[1] != run) break;
    run *= last.size;
    outer_window.pop_back();
  }
}

// The update replaces what was there.
bool Overwrites(const Computation& computation, int64_t operands) {
  const Instruction* root = computation.root();
  return operands == 1 && root->opcode() == Opcode::kParameter && root->parameter_number() == 1;
}

class ScatterKernel : public Kernel {
 public:
  explicit ScatterKernel(const Instruction& scatter) : plan_(scatter) {
    for (int64_t k = 0; k < plan_.operands; ++k) {
      types_.push_back(scatter.operand(k)->shape().element_type());
      update_types_.push_back(scatter.operand(plan_.operands + 1 + k)->shape().element_type());
    }
    count_ = scatter.operand(0)->shape().element_count();
  }
  int in_place_operand() const override { return 0; }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    Meter meter(context);
    for (int64_t k = 0; k < plan_.operands; ++k) {
      if (results[k].data == operands[k].data || count_ == 0) continue;
      std::memcpy(results[k].data, operands[k].data, count_ * StorageBytes(types_[k]));
      if (absl::Status status = meter.Add(count_); !status.ok()) return status;
    }
    absl::Status status = Update(operands, results, meter, context);
    return status.ok() ? meter.Flush() : status;
  }

 protected:
  virtual absl::Status Update(absl::Span<const ArrayRef> operands,
                              absl::Span<const MutableArrayRef> results, Meter& meter,
                              EvaluationContext& context) const = 0;

  const std::byte* Indices(absl::Span<const ArrayRef> operands) const {
    return operands[plan_.operands].data;
  }
  const std::byte* Updates(absl::Span<const ArrayRef> operands, int64_t k) const {
    return operands[plan_.operands + 1 + k].data;
  }
  // Calls f(offset in data, offset in updates) for each run of a window.
  template <typename F>
  absl::Status ForEachRun(F f) const {
    Odometer<2> at(plan_.outer_window);
    do {
      if (absl::Status status = f(at.offset(0), at.offset(1)); !status.ok()) return status;
    } while (at.Next());
    return absl::OkStatus();
  }

  ScatterPlan plan_;
  absl::InlinedVector<ElementType, 2> types_, update_types_;
  int64_t count_;
};

// Run by run, with a loop that combines (or copies): for reducers where order and grouping change
// nothing, and for overwriting, whose order is that of the windows.
class LoopScatter : public ScatterKernel {
 public:
  // Without a loop: overwrite.
  LoopScatter(const Instruction& scatter, std::optional<ElementLoop> loop)
      : ScatterKernel(scatter), loop_(loop) {}

 private:
  absl::Status Update(absl::Span<const ArrayRef> operands,
                      absl::Span<const MutableArrayRef> results, Meter& meter,
                      EvaluationContext& context) const override {
    const int64_t bytes = StorageBytes(types_[0]);
    std::byte* data = results[0].data;
    const std::byte* updates = Updates(operands, 0);
    return plan_.ForEachWindow(Indices(operands), meter, [&](int64_t start, int64_t update) {
      return ForEachRun([&](int64_t cell, int64_t from) {
        std::byte* target = data + (start + cell) * bytes;
        const std::byte* source = updates + (update + from) * bytes;
        if (loop_.has_value()) {
          (*loop_)(target, source, target, plan_.run, context);
        } else {
          std::memcpy(target, source, plan_.run * bytes);
        }
        return meter.Add(plan_.run);
      });
    });
  }

  std::optional<ElementLoop> loop_;
};

// Sums and products: everything that meets a cell is rounded together.
class FoldingScatter : public ScatterKernel {
 public:
  FoldingScatter(const Instruction& scatter, const RecognisedFold& fold)
      : ScatterKernel(scatter),
        fold_(fold),
        bytes_(StorageBytes(fold.type())),
        update_bytes_(StorageBytes(update_types_[0])) {}

 private:
  absl::Status Update(absl::Span<const ArrayRef> operands,
                      absl::Span<const MutableArrayRef> results, Meter& meter,
                      EvaluationContext& context) const override {
    const int64_t updates = operands[2].shape->element_count();
    return FitsIn32Bits(count_, updates) ? Fold<uint32_t>(operands, results, meter, context)
                                         : Fold<int64_t>(operands, results, meter, context);
  }

  template <typename Position>
  absl::Status Fold(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                    Meter& meter, EvaluationContext& context) const {
    const UpdateArray updates = {update_types_[0], Updates(operands, 0)};
    std::byte* data = results[0].data;
    const int64_t update_count = operands[2].shape->element_count();
    // Windows that share no cell unless they begin together are folded whole, others by element.
    const bool whole = plan_.disjoint && plan_.window_count * bytes_ >= kWorthAList;
    if (!whole && AreMany(count_, update_count)) {
      const int64_t data_bytes = count_ * bytes_;
      const int64_t live_bytes =
          data_bytes + (operands[0].data == data ? 0 : data_bytes) + update_count * update_bytes_ +
          operands[1].shape->element_count() * StorageBytes(plan_.index_type);
      return FoldOrSumManyCells<Position>(
          fold_, count_, live_bytes, [&](auto f) { return ForEachUpdate(operands, meter, f); },
          updates, data, meter, context);
    }
    CellUpdates<Position> found(context);
    const auto add = [&](int64_t cell, int64_t update) { return found.Add(cell, update); };
    absl::Status status = whole ? plan_.ForEachWindow(Indices(operands), meter, add)
                                : ForEachUpdate(operands, meter, add);
    if (!status.ok()) return status;
    if (!whole) return FoldCells(fold_, found, updates, data, meter);
    found.SortByCell();
    return FoldWindows(found.list(), updates.data, data, meter);
  }

  // Calls f(cell, update) for each element of each window. f may return a status.
  template <typename F>
  absl::Status ForEachUpdate(absl::Span<const ArrayRef> operands, Meter& meter, F f) const {
    if (plan_.window_count == 1) return plan_.ForEachWindow(Indices(operands), meter, f);
    return plan_.ForEachWindow(Indices(operands), meter, [&](int64_t start, int64_t update) {
      return ForEachRun([&](int64_t cell, int64_t from) {
        for (int64_t i = 0; i < plan_.run; ++i) {
          if constexpr (std::is_void_v<decltype(f(cell, from))>) {
            f(start + cell + i, update + from + i);
          } else {
            absl::Status status = f(start + cell + i, update + from + i);
            if (!status.ok()) return status;
          }
        }
        return meter.Add(plan_.run);
      });
    });
  }

  template <typename Position>
  absl::Status FoldWindows(absl::Span<const CellUpdate<Position>> windows, const std::byte* updates,
                           std::byte* data, Meter& meter) const {
    const auto count = static_cast<int64_t>(windows.size());
    for (int64_t begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && windows[end].cell == windows[begin].cell) ++end;
      const auto group = windows.subspan(begin, end - begin);
      absl::Status status = update_types_[0] == fold_.type() && end - begin < kFewWindows
                                ? FoldColumns(group, updates, data, meter)
                                : FoldGathered(group, updates, data, meter);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Windows that begin at one cell, few of them: each cell and the updates that meet it are a
  // column.
  template <typename Position>
  absl::Status FoldColumns(absl::Span<const CellUpdate<Position>> windows, const std::byte* updates,
                           std::byte* data, Meter& meter) const {
    const auto n = static_cast<int64_t>(windows.size());
    const int64_t part = std::min(plan_.run, kColumnElements / (n + 1));
    absl::InlinedVector<const std::byte*, 16> members(n + 1);
    return ForEachRun([&](int64_t cell, int64_t from) {
      for (int64_t first = 0; first < plan_.run; first += part) {
        const int64_t size = std::min(part, plan_.run - first);
        std::byte* target = data + (windows[0].cell + cell + first) * bytes_;
        members[0] = target;
        for (int64_t w = 0; w < n; ++w) {
          members[w + 1] = updates + (windows[w].update + from + first) * bytes_;
        }
        fold_.Columns(members, size, target);
        if (absl::Status status = meter.Add(n * size); !status.ok()) return status;
      }
      return absl::OkStatus();
    });
  }

  // The same, any number of them, laid side by side.
  template <typename Position>
  absl::Status FoldGathered(absl::Span<const CellUpdate<Position>> windows,
                            const std::byte* updates, std::byte* data, Meter& meter) const {
    const auto n = static_cast<int64_t>(windows.size());
    // Part of a long run at a time, so that what is gathered stays small.
    const int64_t part = std::min(plan_.run, std::max<int64_t>(1, kGathered / n));
    std::vector<std::byte> gathered(part * n * update_bytes_);
    return ForEachRun([&](int64_t cell, int64_t from) {
      for (int64_t first = 0; first < plan_.run; first += part) {
        const int64_t size = std::min(part, plan_.run - first);
        for (int64_t w = 0; w < n; ++w) {
          const std::byte* source = updates + (windows[w].update + from + first) * update_bytes_;
          for (int64_t i = 0; i < size; ++i) {
            std::memcpy(gathered.data() + (i * n + w) * update_bytes_, source + i * update_bytes_,
                        update_bytes_);
          }
        }
        std::byte* target = data + (windows[0].cell + cell + first) * bytes_;
        absl::Status status = FoldRows(gathered.data(), size, n, target, meter);
        if (!status.ok()) return status;
      }
      return absl::OkStatus();
    });
  }

  // Cells side by side, with n updates each.
  absl::Status FoldRows(const std::byte* updates, int64_t cells, int64_t n, std::byte* target,
                        Meter& meter) const {
    if (update_types_[0] == fold_.type()) {
      return fold_.Rows(target, 1, updates, cells, n, target, meter);
    }
    absl::Status status;
    for (int64_t i = 0; i < cells && status.ok(); ++i) {
      status = FoldRow(fold_, update_types_[0], updates + i * n * update_bytes_, n,
                       target + i * bytes_, meter);
    }
    return status;
  }

  static constexpr int64_t kGathered = 1 << 14;        // elements
  static constexpr int64_t kColumnElements = 1 << 10;  // decoded at once
  static constexpr int64_t kFewWindows = kColumnElements / 16;
  static constexpr int64_t kWorthAList = 16;  // bytes of a window: its place takes 8
  RecognisedFold fold_;
  int64_t bytes_, update_bytes_;
};

// Any computation, any number of operands, in order.
class RegionScatter : public ScatterKernel {
 public:
  RegionScatter(const Instruction& scatter, RegionFold fold)
      : ScatterKernel(scatter), fold_(std::move(fold)) {}

 private:
  absl::Status Update(absl::Span<const ArrayRef> operands,
                      absl::Span<const MutableArrayRef> results, Meter& meter,
                      EvaluationContext& context) const override {
    RegionFold fold = fold_;
    auto step = [&](int64_t cell, int64_t update) -> absl::Status {
      for (int64_t k = 0; k < fold.size(); ++k) {
        fold.accumulator(k) = LoadElement(types_[k], results[k].data, cell);
        const ElementType type = update_types_[k];
        const Element x = LoadElement(type, Updates(operands, k), update);
        fold.element(k) = type == types_[k] ? x : Convert(type, x, types_[k]);
      }
      if (absl::Status status = fold.Step(context); !status.ok()) return status;
      for (int64_t k = 0; k < fold.size(); ++k) {
        StoreElement(types_[k], fold.accumulator(k), results[k].data, cell);
      }
      return meter.Add(1);
    };
    return plan_.ForEachWindow(Indices(operands), meter, [&](int64_t start, int64_t update) {
      return ForEachRun([&](int64_t cell, int64_t from) {
        for (int64_t i = 0; i < plan_.run; ++i) {
          absl::Status status = step(start + cell + i, update + from + i);
          if (!status.ok()) return status;
        }
        return absl::OkStatus();
      });
    });
  }

  RegionFold fold_;
};

}  // namespace

KernelOrNull PrepareScatter(const Instruction& instruction) {
  const int64_t n = instruction.operand_count() / 2;
  const Computation& computation = *instruction.to_apply();
  absl::InlinedVector<ElementType, 2> data, updates;
  for (int64_t k = 0; k < n; ++k) {
    data.push_back(instruction.operand(k)->shape().element_type());
    updates.push_back(instruction.operand(n + 1 + k)->shape().element_type());
  }
  if (!HasReducerTypes(computation, data, data)) return nullptr;
  // Updates of other types are converted one by one; only floats may be mixed.
  const bool mixed = data != updates;
  for (int64_t k = 0; k < n; ++k) {
    if (data[k] != updates[k] && !(IsFloat(data[k]) && IsFloat(updates[k]))) return nullptr;
  }
  if (!mixed && Overwrites(computation, n)) {
    return std::make_unique<LoopScatter>(instruction, std::nullopt);
  }
  if (n == 1) {
    std::optional<ElementLoop> loop = PairwiseLoop(computation, data[0]);
    if (!mixed && loop.has_value()) return std::make_unique<LoopScatter>(instruction, loop);
    const std::optional<RecognisedFold> fold = RecognisedFold::For(computation, data[0]);
    if (fold.has_value() && !loop.has_value())
      return std::make_unique<FoldingScatter>(instruction, *fold);
  }
  absl::StatusOr<RegionFold> fold = RegionFold::Prepare(computation);
  if (!fold.ok()) return fold.status();
  return std::make_unique<RegionScatter>(instruction, *std::move(fold));
}

}  // namespace assay::kernels
