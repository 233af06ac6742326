// Kernels of reduce and map. A recognised reducer folds packed rows of elements; any other runs as
// written in row-major order. Source: reference ops_structural.md 5.1, 12.1.
// Tests: folding_kernels_test.cc.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evaluator/kernels/column_sums.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/region_fold.h"
#include "evaluator/kernels/split_fold.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "runtime/view_reader.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {
namespace {

// A reduction as a matrix: every row of it becomes one element of the result.
struct Rows {
  int64_t count = 1;  // of results
  int64_t size = 1;   // of a row
  runtime::ViewReader reader;
};

enum class RowOrder { kAsWritten, kAny };

// Operand k of a reduce, whose elements are where `view` says. Where the order inside a row does
// not matter it is the one that reads memory forwards.
Rows RowsOf(const Instruction& reduce, int64_t k, const View& view, RowOrder order) {
  const Shape& operand = reduce.operand(k)->shape();
  absl::InlinedVector<bool, 8> is_reduced(operand.rank(), false);
  for (const int64_t d : reduce.GetInts(Attr::kDimensions)) is_reduced[d] = true;
  Dimensions kept, reduced, backwards;
  Rows rows;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    (is_reduced[d] ? reduced : kept).push_back(d);
    (is_reduced[d] ? rows.size : rows.count) *= operand.dimension(d);
  }
  const ViewPiece* piece = view.affine();
  if (order == RowOrder::kAny && piece != nullptr) {
    auto stride = [&](int64_t d) { return std::abs(piece->strides[d]); };
    std::stable_sort(reduced.begin(), reduced.end(),
                     [&](int64_t a, int64_t b) { return stride(a) > stride(b); });
    for (const int64_t d : reduced) {
      if (piece->strides[d] < 0) backwards.push_back(d);
    }
  }
  kept.insert(kept.end(), reduced.begin(), reduced.end());
  rows.reader = runtime::ViewReader(view.Reverse(backwards).Transpose(kept),
                                    StorageBytes(operand.element_type()));
  return rows;
}

View ViewOfOperand(const Instruction& instruction, absl::Span<const View> views, int64_t k) {
  return views.empty() ? View::Dense(instruction.operand(k)->shape().dimensions(), k) : views[k];
}

// The array that holds operand k, which is no view.
int64_t ArrayOf(absl::Span<const View> views, int64_t k) {
  return views.empty() || views[k].affine() == nullptr ? k : views[k].affine()->source;
}

// Rows that lie side by side are folded where they are, others some at a time from copies.
class FoldingReduce : public Kernel {
 public:
  FoldingReduce(Rows rows, int64_t init, const RecognisedFold& fold)
      : rows_(std::move(rows)),
        init_(init),
        fold_(fold),
        bytes_(StorageBytes(fold.type())),
        at_once_(std::clamp<int64_t>(kPacked / std::max<int64_t>(1, rows_.size), 1,
                                     std::max<int64_t>(1, rows_.count))) {}
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    std::byte* out = results[0].data;
    if (rows_.count == 1 && rows_.size > kLongRow && fold_.joins()) {
      return FoldInParts(operands, out, context);
    }
    return ParallelFor(context, rows_.count, GrainFor(rows_.size),
                       [&](Blocks& blocks, EvaluationContext& context) {
                         return FoldRows(operands, blocks, results[0], context);
                       });
  }

 private:
  static constexpr int64_t kPacked = 1 << 14;  // elements copied at once
  // A single row of more elements is folded in parts of at least half as many, kMostParts at most.
  static constexpr int64_t kLongRow = 1 << 17, kMostParts = 1 << 10;

  absl::Status FoldRows(runtime::Sources operands, Blocks& blocks, const MutableArrayRef& result,
                        EvaluationContext& context) const {
    std::byte* out = result.data;
    Meter meter(context, result);
    const bool direct = rows_.size == 0 || rows_.reader.direct();
    const bool is_long = !direct && rows_.size > kPacked;
    runtime::Scratch<std::byte, 1024> room(
        direct ? 0 : (is_long ? kPacked : at_once_ * rows_.size) * bytes_);
    while (blocks.Next()) {
      const int64_t end = blocks.first() + blocks.count();
      const int64_t most = direct ? blocks.count() : is_long ? 1 : at_once_;
      for (int64_t first = blocks.first(); first < end; first += most) {
        const int64_t count = std::min(most, end - first);
        absl::Status status = is_long
                                  ? FoldLongRow(operands, first, room.data(), out, meter)
                                  : FoldWholeRows(operands, first, count, room.data(), out, meter);
        if (!status.ok()) return status;
      }
    }
    return meter.Flush();
  }

  absl::Status FoldWholeRows(runtime::Sources operands, int64_t first, int64_t count,
                             std::byte* packed, std::byte* out, Meter& meter) const {
    const int64_t n = count * rows_.size;
    const std::byte* x = packed;
    if (n > 0 && rows_.reader.direct()) {
      x = rows_.reader.data(operands) + first * rows_.size * bytes_;
    } else if (n > 0) {
      rows_.reader.Copy(operands, first * rows_.size, n, bytes_, packed);
      if (absl::Status status = meter.Add(n); !status.ok()) return status;
    }
    return fold_.Rows(operands[init_].data, 0, x, count, rows_.size, out + first * bytes_, meter);
  }

  // Shows `count` elements of a row to `visit`, from number `from` on, by way of `room` where they
  // do not lie side by side.
  absl::Status Show(runtime::Sources operands, int64_t row, int64_t from, int64_t count,
                    std::byte* room, RecognisedFold::Running::Visit visit, Meter& meter) const {
    for (int64_t first = from; first < from + count; first += kPacked) {
      const int64_t n = std::min(kPacked, from + count - first);
      visit(rows_.reader.Block(operands, row * rows_.size + first, n, bytes_, room), n);
      if (absl::Status status = meter.Add(n); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status FoldLongRow(runtime::Sources operands, int64_t row, std::byte* room, std::byte* out,
                           Meter& meter) const {
    RecognisedFold::Running running(fold_, operands[init_].data);
    auto show = [&](int64_t from, int64_t count, RecognisedFold::Running::Visit visit) {
      return Show(operands, row, from, count, room, visit, meter);
    };
    absl::Status status =
        show(0, rows_.size, [&](const std::byte* x, int64_t n) { running.Add(x, n); });
    return status.ok() ? running.Store(out, row, show, meter) : status;
  }

  // The only row in parts, which are joined. Each but the first begins with its first element in
  // the place of the init.
  absl::Status FoldInParts(runtime::Sources operands, std::byte* out,
                           EvaluationContext& context) const {
    const int64_t part = std::max(kLongRow / 2, (rows_.size - 1) / kMostParts + 1);
    std::vector<std::optional<RecognisedFold::Running>> parts((rows_.size - 1) / part + 1);
    const auto fold_part = [&](int64_t i, std::byte* room, Meter& meter) {
      const int64_t first = i * part, count = std::min(part, rows_.size - first);
      const int64_t is_begun = i > 0;
      parts[i].emplace(fold_, i == 0 ? operands[init_].data
                                     : rows_.reader.Block(operands, first, 1, bytes_, room));
      return Show(
          operands, 0, first + is_begun, count - is_begun, room,
          [&](const std::byte* x, int64_t n) { parts[i]->Add(x, n); }, meter);
    };
    absl::Status status =
        ParallelFor(context, parts.size(), 1, [&](Blocks& blocks, EvaluationContext& context) {
          Meter meter(context);
          runtime::Scratch<std::byte, 1024> room(kPacked * bytes_);
          while (blocks.Next()) {
            absl::Status folded = fold_part(blocks.first(), room.data(), meter);
            if (!folded.ok()) return folded;
          }
          return meter.Flush();
        });
    if (!status.ok()) return status;
    for (size_t i = 1; i < parts.size(); ++i) parts[0]->Join(*parts[i]);
    Meter meter(context);
    runtime::Scratch<std::byte, 1024> room(kPacked * bytes_);
    const auto show = [&](int64_t from, int64_t count, RecognisedFold::Running::Visit visit) {
      return Show(operands, 0, from, count, room.data(), visit, meter);
    };
    status = parts[0]->Store(out, 0, show, meter);
    return status.ok() ? meter.Flush() : status;
  }

  Rows rows_;
  int64_t init_;
  RecognisedFold fold_;
  int64_t bytes_;
  int64_t at_once_;  // rows
};

// Any computation, any number of operands.
class RegionReduce : public Kernel {
 public:
  RegionReduce(const Instruction& reduce, absl::Span<const View> views, RegionFold fold)
      : fold_(std::move(fold)) {
    for (int64_t k = 0; k < fold_.size(); ++k) {
      rows_.push_back(RowsOf(reduce, k, ViewOfOperand(reduce, views, k), RowOrder::kAsWritten));
    }
    for (int64_t k = 0; k < 2 * fold_.size(); ++k) {
      types_.push_back(reduce.operand(k)->shape().element_type());
      arrays_.push_back(ArrayOf(views, k));
    }
  }

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    const int64_t grain = GrainOf(fold_.region(), rows_[0].size, rows_[0].count);
    return ParallelFor(context, rows_[0].count, grain,
                       [&](Blocks& blocks, EvaluationContext& context) {
                         return FoldRows(operands, results, blocks, context);
                       });
  }

 private:
  static constexpr int64_t kBlock = 256;  // elements of a row read at once
  static constexpr int64_t kLargestElement = 16;

  absl::Status FoldRows(runtime::Sources operands, absl::Span<const MutableArrayRef> results,
                        Blocks& blocks, EvaluationContext& context) const {
    RegionFold fold = fold_;
    Meter meter(context);
    const int64_t n = fold.size();
    std::vector<std::byte> room(n * kBlock * kLargestElement);
    while (blocks.Next()) {
      const int64_t end = blocks.first() + blocks.count();
      for (int64_t out = blocks.first(); out < end; ++out) {
        for (int64_t k = 0; k < n; ++k) {
          fold.accumulator(k) = LoadElement(types_[n + k], operands[arrays_[n + k]].data, 0);
        }
        absl::Status status = FoldRow(operands, out, room.data(), fold, meter, context);
        if (!status.ok()) return status;
        for (int64_t k = 0; k < n; ++k) {
          StoreElement(types_[n + k], fold.accumulator(k), results[k].data, out);
        }
      }
    }
    return meter.Flush();
  }

  absl::Status FoldRow(runtime::Sources operands, int64_t row, std::byte* room, RegionFold& fold,
                       Meter& meter, EvaluationContext& context) const {
    const int64_t size = rows_[0].size;
    absl::InlinedVector<const std::byte*, 4> blocks(fold.size());
    for (int64_t first = 0; first < size; first += kBlock) {
      const int64_t n = std::min(kBlock, size - first);
      for (int64_t k = 0; k < fold.size(); ++k) {
        blocks[k] = rows_[k].reader.Block(operands, row * size + first, n, StorageBytes(types_[k]),
                                          room + k * kBlock * kLargestElement);
      }
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t k = 0; k < fold.size(); ++k) {
          fold.element(k) = LoadElement(types_[k], blocks[k], i);
        }
        if (absl::Status status = fold.Step(context); !status.ok()) return status;
        if (absl::Status status = meter.Add(1); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  RegionFold fold_;
  absl::InlinedVector<Rows, 2> rows_;          // of the operands
  absl::InlinedVector<ElementType, 4> types_;  // of the operands, then of the inits
  absl::InlinedVector<int64_t, 4> arrays_;
};

// The minimum or maximum with its index (reducer.h), on decoded values, as written: the value that
// is there stays if it comes before the next in the order, or is a NaN; equal values keep the
// smaller index.
class IndexedReduce : public Kernel {
 public:
  IndexedReduce(const Instruction& reduce, absl::Span<const View> views, bool maximum)
      : maximum_(maximum) {
    for (int64_t k = 0; k < 4; ++k) {
      types_[k] = reduce.operand(k)->shape().element_type();
      arrays_[k] = ArrayOf(views, k);
      if (k < 2)
        rows_[k] = RowsOf(reduce, k, ViewOfOperand(reduce, views, k), RowOrder::kAsWritten);
    }
  }
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    return ParallelFor(context, rows_[0].count, GrainFor(4 * rows_[0].size),
                       [&](Blocks& blocks, EvaluationContext& context) {
                         return IsFloat(types_[0])
                                    ? RunOn<double>(operands, results, blocks, context)
                                    : RunOn<int64_t>(operands, results, blocks, context);
                       });
  }

 private:
  static constexpr int64_t kBlock = 1024;

  // Numbers in the order of the values: integers of either sign as int64_t.
  static void Decode(ElementType type, const std::byte* x, int64_t n, int64_t* out) {
    if (IsSigned(type)) return DecodeSigneds(type, x, n, out);
    DecodeUnsigneds(type, x, n, reinterpret_cast<uint64_t*>(out));
    for (int64_t i = 0; i < n; ++i) out[i] ^= std::numeric_limits<int64_t>::min();
  }
  static void Decode(ElementType type, const std::byte* x, int64_t n, double* out) {
    DecodeFloats(type, x, n, out);
  }

  template <typename V>
  absl::Status RunOn(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                     Blocks& blocks, EvaluationContext& context) const {
    Meter meter(context);
    while (blocks.Next()) {
      absl::Status status = maximum_
                                ? FoldRows<V>(operands, results, blocks, meter, std::greater<V>())
                                : FoldRows<V>(operands, results, blocks, meter, std::less<V>());
      if (!status.ok()) return status;
    }
    return meter.Flush();
  }

  template <typename V, typename Before>
  absl::Status FoldRows(runtime::Sources operands, absl::Span<const MutableArrayRef> results,
                        const Blocks& rows, Meter& meter, Before before) const {
    std::array<std::byte, kBlock * 8> room[2];
    std::vector<V> values(kBlock);
    std::vector<int64_t> indices(kBlock);
    const int64_t size = rows_[0].size;
    for (int64_t row = rows.first(); row < rows.first() + rows.count(); ++row) {
      Element best[2];
      V value;
      int64_t index;
      for (int64_t k = 0; k < 2; ++k) {
        best[k] = LoadElement(types_[2 + k], operands[arrays_[2 + k]].data, 0);
      }
      Decode(types_[0], operands[arrays_[2]].data, 1, &value);
      Decode(types_[1], operands[arrays_[3]].data, 1, &index);
      for (int64_t first = 0; first < size; first += kBlock) {
        const int64_t n = std::min(kBlock, size - first);
        const std::byte* blocks[2];
        for (int64_t k = 0; k < 2; ++k) {
          blocks[k] = rows_[k].reader.Block(operands, row * size + first, n,
                                            StorageBytes(types_[k]), room[k].data());
        }
        Decode(types_[0], blocks[0], n, values.data());
        Decode(types_[1], blocks[1], n, indices.data());
        for (int64_t i = 0; i < n; ++i) {
          if (before(value, values[i]) || value != value) continue;
          const bool index_stays = value == values[i] && index < indices[i];
          value = values[i];
          best[0] = LoadElement(types_[0], blocks[0], i);
          if (index_stays) continue;
          index = indices[i];
          best[1] = LoadElement(types_[1], blocks[1], i);
        }
        if (absl::Status status = meter.Add(n); !status.ok()) return status;
      }
      for (int64_t k = 0; k < 2; ++k) StoreElement(types_[k], best[k], results[k].data, row);
    }
    return absl::OkStatus();
  }

  bool maximum_;
  std::array<Rows, 2> rows_;
  std::array<ElementType, 4> types_;  // of the operands, then of the inits
  std::array<int64_t, 4> arrays_;
};

class MapKernel : public Kernel {
 public:
  MapKernel(const Instruction& map, Region region)
      : region_(std::move(region)),
        count_(map.shape().element_count()),
        result_type_(map.shape().element_type()) {
    for (const Instruction* operand : map.operands()) {
      types_.push_back(operand->shape().element_type());
    }
  }
  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    return ParallelFor(context, count_, GrainOf(region_, 1, count_),
                       [&](Blocks& blocks, EvaluationContext& context) {
                         return RunBlocks(operands, results[0].data, blocks, context);
                       });
  }

 private:
  absl::Status RunBlocks(absl::Span<const ArrayRef> operands, std::byte* out, Blocks& blocks,
                         EvaluationContext& context) const {
    Region region = region_;
    Meter meter(context);
    absl::InlinedVector<Element, 4> arguments(types_.size());
    while (blocks.Next()) {
      const int64_t end = blocks.first() + blocks.count();
      for (int64_t i = blocks.first(); i < end; ++i) {
        for (size_t k = 0; k < types_.size(); ++k) {
          arguments[k] = LoadElement(types_[k], operands[k].data, i);
        }
        Element result;
        absl::Status status = region.Run(arguments, absl::MakeSpan(&result, 1), context);
        if (!status.ok()) return status;
        StoreElement(result_type_, result, out, i);
        if (status = meter.Add(1); !status.ok()) return status;
      }
    }
    return meter.Flush();
  }

  Region region_;
  int64_t count_;
  ElementType result_type_;
  absl::InlinedVector<ElementType, 4> types_;
};

}  // namespace

KernelOrNull PrepareReduce(const Instruction& instruction, absl::Span<const View> views) {
  const Computation& reducer = *instruction.to_apply();
  const FoldTypes types(instruction);
  if (!HasReducerTypes(reducer, types.inits, types.elements)) return nullptr;
  if (types.single()) {
    const std::optional<RecognisedFold> fold = RecognisedFold::For(reducer, types.elements[0]);
    if (fold.has_value()) {
      if (views.empty()) {
        if (auto columns = PrepareColumnSums(instruction, *fold)) return columns;
      }
      const RowOrder order = fold->any_order() ? RowOrder::kAny : RowOrder::kAsWritten;
      Rows rows = RowsOf(instruction, 0, ViewOfOperand(instruction, views, 0), order);
      return std::make_unique<FoldingReduce>(std::move(rows), ArrayOf(views, 1), *fold);
    }
  }
  const analysis::ReducerKind kind = analysis::RecogniseReducer(reducer).kind;
  if (kind == analysis::ReducerKind::kArgMinimum || kind == analysis::ReducerKind::kArgMaximum) {
    return std::make_unique<IndexedReduce>(instruction, views,
                                           kind == analysis::ReducerKind::kArgMaximum);
  }
  const auto as_written = [&]() -> KernelOrNull {
    absl::StatusOr<RegionFold> fold = RegionFold::Prepare(reducer);
    if (!fold.ok()) return fold.status();
    return std::make_unique<RegionReduce>(instruction, views, *std::move(fold));
  };
  const auto part = [&](const Instruction& one, absl::Span<const int64_t> operands) {
    std::vector<View> own;
    for (const int64_t k : operands) {
      if (!views.empty()) own.push_back(views[k]);
    }
    return PrepareReduce(one, own);
  };
  KernelOrNull split = PrepareSplitFold(
      instruction, views.empty() ? PartOperands::kOwn : PartOperands::kAll, part, as_written);
  if (!split.ok() || *split != nullptr) return split;
  return as_written();
}

KernelOrNull PrepareMap(const Instruction& instruction) {
  const std::vector<Instruction*> parameters = instruction.to_apply()->parameters();
  for (int64_t k = 0; k < instruction.operand_count(); ++k) {
    if (parameters[k]->shape().element_type() != instruction.operand(k)->shape().element_type()) {
      return nullptr;
    }
  }
  absl::StatusOr<Region> region = Region::Prepare(*instruction.to_apply());
  if (!region.ok()) return region.status();
  return std::make_unique<MapKernel>(instruction, *std::move(region));
}

}  // namespace assay::evaluator::kernels
