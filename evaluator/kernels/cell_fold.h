// Folds updates into scattered cells of a result. Each cell becomes the recognised reducer of
// itself and all its updates, rounded once. Scatter and select-and-scatter share it.
// Tests: folding_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_
#define ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/kernels/recognised_fold.h"
#include "runtime/scratch.h"

namespace assay::evaluator::kernels {

// Positions are counted in elements. Short arrays use 32-bit ones, which halves the scratch.
template <typename Position>
struct CellUpdate {
  Position cell;
  Position update;
};

// A list of few updates, which grows by halves and is charged to the budget of the run.
template <typename Position>
class CellUpdates {
 public:
  explicit CellUpdates(EvaluationContext& context) : lease_(context) {}
  absl::Status Add(int64_t cell, int64_t update) {
    if (list_.size() == list_.capacity()) {
      const size_t room = std::max<size_t>(1024, list_.size() + list_.size() / 2);
      absl::Status status = lease_.Add((room - list_.capacity()) * sizeof(list_[0]));
      if (!status.ok()) return status;
      list_.reserve(room);
    }
    list_.push_back({static_cast<Position>(cell), static_cast<Position>(update)});
    return absl::OkStatus();
  }
  // Sorts by cell; updates of one cell keep their order.
  absl::Status SortByCell() {
    constexpr int64_t kShort = 512;
    if (static_cast<int64_t>(list_.size()) <= kShort) {
      std::stable_sort(list_.begin(), list_.end(),
                       [](const auto& a, const auto& b) { return a.cell < b.cell; });
      return absl::OkStatus();
    }
    if (absl::Status status = lease_.Add(list_.size() * sizeof(list_[0])); !status.ok()) {
      return status;
    }
    std::vector<CellUpdate<Position>> sorted(list_.size());
    Position all = 0;  // digits that are not the same everywhere
    for (const auto& update : list_) all |= update.cell ^ list_[0].cell;
    for (int shift = 0; shift < 8 * static_cast<int>(sizeof(Position)); shift += kDigit) {
      if ((all >> shift & (kDigits - 1)) == 0) continue;
      SortByDigit(shift, sorted);
      list_.swap(sorted);
    }
    return absl::OkStatus();
  }
  absl::Span<const CellUpdate<Position>> list() const { return list_; }

 private:
  static constexpr int kDigit = 11;  // bits
  static constexpr int64_t kDigits = int64_t{1} << kDigit;

  void SortByDigit(int shift, std::vector<CellUpdate<Position>>& sorted) const {
    const auto digit = [shift](const auto& update) { return update.cell >> shift & (kDigits - 1); };
    std::array<Position, kDigits> begins = {};
    for (const auto& update : list_) ++begins[digit(update)];
    Position next = 0;
    for (Position& begin : begins) {
      const Position count = begin;
      begin = next;
      next += count;
    }
    for (const auto& update : list_) sorted[begins[digit(update)]++] = update;
  }

  runtime::ScratchLease lease_;
  std::vector<CellUpdate<Position>> list_;
};

inline bool FitsIn32Bits(int64_t cells, int64_t updates) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  return cells <= kMost && updates <= kMost;
}

// The updates have the type of the fold or another float type.
struct UpdateArray {
  ElementType type;
  const std::byte* data;
};

// A cell becomes the fold of itself and n updates of this type.
inline absl::Status FoldRow(const RecognisedFold& fold, ElementType type, const std::byte* updates,
                            int64_t n, std::byte* cell, Meter& meter) {
  if (type == fold.type()) return fold.Rows(cell, 1, updates, 1, n, cell, meter);
  const auto show = [&](int64_t first, int64_t count, RecognisedFold::Running::Visit visit) {
    constexpr int64_t kBlock = 256;
    double values[kBlock];
    std::byte converted[kBlock * sizeof(double)];
    for (int64_t i = 0; i < count; i += kBlock) {
      const int64_t part = std::min(kBlock, count - i);
      DecodeFloats(type, updates + (first + i) * StorageBytes(type), part, values);
      EncodeFloats(fold.type(), values, part, converted, NanSign::kPositive);
      visit(converted, part);
    }
    return meter.Add(count);
  };
  RecognisedFold::Running running(fold, cell);
  absl::Status status =
      show(0, n, [&](const std::byte* x, int64_t count) { running.Add(x, count); });
  return status.ok() ? running.Store(cell, 0, show, meter) : status;
}

// Sorts `updates`.
template <typename Position>
absl::Status FoldCells(const RecognisedFold& fold, CellUpdates<Position>& updates,
                       const UpdateArray& array, std::byte* cells, Meter& meter) {
  const int64_t bytes = StorageBytes(array.type);
  absl::Status sorted = updates.SortByCell();
  if (!sorted.ok()) return sorted;
  const absl::Span<const CellUpdate<Position>> list = updates.list();
  std::vector<std::byte> gathered;
  const auto count = static_cast<int64_t>(list.size());
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    while (end < count && list[end].cell == list[begin].cell) ++end;
    gathered.resize((end - begin) * bytes);
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(gathered.data() + (i - begin) * bytes, array.data + list[i].update * bytes,
                  bytes);
    }
    std::byte* cell = cells + list[begin].cell * StorageBytes(fold.type());
    absl::Status status = FoldRow(fold, array.type, gathered.data(), end - begin, cell, meter);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Returns true if a list of the updates would be larger than the arrays, and a walk over all cells
// costs little beside the updates. FoldManyCells is cheaper then.
inline bool AreMany(int64_t cells, int64_t updates) {
  constexpr int64_t kFew = 1 << 12;
  return updates > kFew && updates > cells / 16;
}

// Updates that are walked over as often as is needed. `for_each(first, end, meter, f)` calls
// f(cell, update) for those that steps [first, end) of the walk find, in the same order every time.
template <typename ForEach>
struct UpdateWalk {
  UpdateArray array;
  int64_t steps;
  ForEach for_each;

  template <typename F>
  absl::Status ForEachUpdate(Meter& meter, F f) const {
    return for_each(0, steps, meter, f);
  }
};
template <typename ForEach>
UpdateWalk(UpdateArray, int64_t, ForEach) -> UpdateWalk<ForEach>;

// A range of cells.
struct CellRange {
  int64_t first, end;
};

// As FoldCells for many updates of the cells of a range of which wanted(cell) holds: portions of
// the cells, one after the other; what meets a portion is counted by cell and then laid side by
// side. Scratch: what a portion's updates take, and a quarter of `live_bytes`, the size of the
// arrays.
template <typename Position, typename Walk, typename Wanted>
absl::Status FoldManyCells(const RecognisedFold& fold, const CellRange& range, const Wanted& wanted,
                           int64_t live_bytes, const Walk& walk, std::byte* cells, Meter& meter,
                           EvaluationContext& context) {
  constexpr int64_t kFewest = 1 << 15;
  const UpdateArray& array = walk.array;
  const int64_t bytes = StorageBytes(array.type);
  const int64_t portion =
      std::min(range.end - range.first,
               std::max<int64_t>(kFewest, live_bytes / 4 / static_cast<int64_t>(sizeof(Position))));
  runtime::ScratchLease counts_lease(context);
  absl::Status status = counts_lease.Add((portion + 1) * sizeof(Position));
  if (!status.ok()) return status;
  std::vector<Position> ends(portion + 1);  // of the updates of each cell, after one of nothing
  for (int64_t first = range.first; first < range.end; first += portion) {
    const int64_t size = std::min(portion, range.end - first);
    const auto inside = [&](int64_t cell) {
      return cell >= first && cell - first < size && wanted(cell);
    };
    std::fill(ends.begin(), ends.end(), 0);
    status = walk.ForEachUpdate(meter, [&](int64_t cell, int64_t) {
      if (inside(cell)) ++ends[cell - first + 1];
    });
    if (!status.ok()) return status;
    // Where the updates of each cell begin, until each has been put there.
    for (int64_t i = 1; i <= size; ++i) ends[i] += ends[i - 1];
    const auto total = static_cast<int64_t>(ends[size]);
    runtime::ScratchLease values_lease(context);
    if (status = values_lease.Add(total * bytes); !status.ok()) return status;
    std::vector<std::byte> values(total * bytes);
    status = walk.ForEachUpdate(meter, [&](int64_t cell, int64_t update) {
      if (!inside(cell)) return;
      const auto to = static_cast<int64_t>(ends[cell - first]++);
      WithStorage(bytes, [&](auto sample) {
        StoreAt(values.data(), to, LoadAt<decltype(sample)>(array.data, update));
      });
    });
    int64_t begin = 0;
    for (int64_t i = 0; i < size && status.ok(); ++i) {
      const auto end = static_cast<int64_t>(ends[i]);
      if (end == begin) continue;
      std::byte* cell = cells + (first + i) * StorageBytes(fold.type());
      status = FoldRow(fold, array.type, values.data() + begin * bytes, end - begin, cell, meter);
      begin = end;
    }
    if (status.ok()) status = meter.Add(size);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_
