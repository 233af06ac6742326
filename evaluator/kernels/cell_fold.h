// Updates that meet scattered cells of a result: each cell becomes the recognised reducer of itself
// and all its updates, rounded once. Scatter and select-and-scatter share it.
// Tests: folding_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_
#define ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/kernels/scratch.h"

namespace assay::kernels {

// Positions in elements; 32-bit ones where arrays are that short, which halves the scratch.
template <typename Position>
struct CellUpdate {
  Position cell;
  Position update;
};

// Few of them: a list that grows by halves, counted against the run.
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
  void SortByCell() {
    std::sort(list_.begin(), list_.end(),
              [](const auto& a, const auto& b) { return a.cell < b.cell; });
  }
  absl::Span<const CellUpdate<Position>> list() const { return list_; }

 private:
  ScratchLease lease_;
  std::vector<CellUpdate<Position>> list_;
};

inline bool FitsIn32Bits(int64_t cells, int64_t updates) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  return cells <= kMost && updates <= kMost;
}

// Updates, in the type of the fold or in another float type.
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
  return status.ok() ? running.Store(cell, 0, show) : status;
}

// Sorts `updates`.
template <typename Position>
absl::Status FoldCells(const RecognisedFold& fold, CellUpdates<Position>& updates,
                       const UpdateArray& array, std::byte* cells, Meter& meter) {
  const int64_t bytes = StorageBytes(array.type);
  updates.SortByCell();
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

// Whether updates are so many that lists of them would take more than the arrays: then
// FoldManyCells is for them.
inline bool AreMany(int64_t cells, int64_t updates) {
  constexpr int64_t kFew = 1 << 16;
  return updates > kFew && updates > cells / 16;
}

// Some of the cells.
struct CellRange {
  int64_t first, end;
};

// As FoldCells for many updates of the cells of a range of which wanted(cell) holds: portions of
// the cells, one after the other; what meets a portion is counted by cell and then laid side by
// side. `for_each(f)` calls f(cell, update) for each update, in the same order every time. Scratch:
// what a portion's updates take, and a quarter of `live_bytes`, the size of the arrays.
template <typename Position, typename ForEach, typename Wanted>
absl::Status FoldManyCells(const RecognisedFold& fold, const CellRange& range, const Wanted& wanted,
                           int64_t live_bytes, const ForEach& for_each, const UpdateArray& array,
                           std::byte* cells, Meter& meter, EvaluationContext& context) {
  constexpr int64_t kFewest = 1 << 15;
  const int64_t bytes = StorageBytes(array.type);
  const int64_t portion =
      std::min(range.end - range.first,
               std::max<int64_t>(kFewest, live_bytes / 4 / static_cast<int64_t>(sizeof(Position))));
  ScratchLease counts_lease(context);
  absl::Status status = counts_lease.Add((portion + 1) * sizeof(Position));
  if (!status.ok()) return status;
  std::vector<Position> ends(portion + 1);  // of the updates of each cell, after one of nothing
  for (int64_t first = range.first; first < range.end; first += portion) {
    const int64_t size = std::min(portion, range.end - first);
    const auto inside = [&](int64_t cell) {
      return cell >= first && cell - first < size && wanted(cell);
    };
    std::fill(ends.begin(), ends.end(), 0);
    status = for_each([&](int64_t cell, int64_t) {
      if (inside(cell)) ++ends[cell - first + 1];
    });
    if (!status.ok()) return status;
    // Where the updates of each cell begin, until each has been put there.
    for (int64_t i = 1; i <= size; ++i) ends[i] += ends[i - 1];
    const auto total = static_cast<int64_t>(ends[size]);
    ScratchLease values_lease(context);
    if (status = values_lease.Add(total * bytes); !status.ok()) return status;
    std::vector<std::byte> values(total * bytes);
    status = for_each([&](int64_t cell, int64_t update) {
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

// What a double knows of the sum of one cell (DecideF32); errors of -0 say that nothing has met
// it.
struct CellSum {
  double s, errors;
};

// Sums of f32, with the arguments of FoldManyCells: each cell as a double with a bound first, and
// the few that this does not decide once more.
template <typename ForEach>
class ManySums {
 public:
  ManySums(const RecognisedFold& fold, int64_t cell_count, int64_t live_bytes,
           const ForEach& for_each, const UpdateArray& array, std::byte* cells, Meter& meter,
           EvaluationContext& context)
      : fold_(fold),
        cell_count_(cell_count),
        live_bytes_(live_bytes),
        for_each_(for_each),
        array_(array),
        cells_(cells),
        meter_(meter),
        context_(context) {}

  template <typename Position>
  absl::Status Run() {
    // The sums of more cells lie too far apart for the cache.
    constexpr int64_t kFew = 1 << 18;
    return cell_count_ <= kFew ? Walk<Position>({0, cell_count_}) : RunInBuckets<Position>();
  }

 private:
  // An update, its cell counted from the first one of the bucket.
  struct Met {
    uint32_t cell;
    float value;
  };
  static constexpr int64_t kBucket = 1 << 15;  // cells

  // A range of cells: all updates are looked at, those of the range added.
  template <typename Position>
  absl::Status Walk(const CellRange& range) {
    const int64_t first = range.first, size = range.end - first;
    ScratchLease lease(context_);
    absl::Status status = lease.Add(size * sizeof(CellSum));
    if (!status.ok()) return status;
    std::vector<CellSum> sums(size);
    Begin(first, sums);
    status = for_each_([&](int64_t cell, int64_t update) {
      if (cell < first || cell - first >= size) return;
      CellSum& sum = sums[cell - first];
      AddRunning(LoadAt<float>(array_.data, update), sum.s, sum.errors);
    });
    if (!status.ok()) return status;
    if (Decide(first, sums) > 0) {
      const auto wanted = [&](int64_t cell) { return IsOpen(sums[cell - first]); };
      status = FoldManyCells<Position>(fold_, range, wanted, live_bytes_, for_each_, array_, cells_,
                                       meter_, context_);
    }
    return status.ok() ? meter_.Add(size) : status;
  }

  // Updates are first put into buckets by their cells.
  template <typename Position>
  absl::Status RunInBuckets() {
    const int64_t buckets = (cell_count_ + kBucket - 1) / kBucket;
    ScratchLease lease(context_);
    absl::Status status =
        lease.Add((2 * buckets + 1) * sizeof(int64_t) + kBucket * sizeof(CellSum));
    if (!status.ok()) return status;
    std::vector<int64_t> ends(buckets + 1), next(buckets);  // ends: after one of nothing
    std::vector<CellSum> sums(kBucket);
    status = for_each_([&](int64_t cell, int64_t) { ++ends[cell / kBucket + 1]; });
    for (int64_t b = 0; b < buckets; ++b) {
      ends[b + 1] += ends[b];
      next[b] = ends[b];
    }
    // As many buckets at a time as half of the arrays' size holds.
    const int64_t room = live_bytes_ / 2 / static_cast<int64_t>(sizeof(Met));
    for (int64_t first = 0, last = 0; first < buckets && status.ok(); first = last) {
      last = first + 1;
      while (last < buckets && ends[last + 1] - ends[first] <= room) ++last;
      status = ends[last] - ends[first] > room
                   ? Walk<Position>({first * kBucket, std::min(last * kBucket, cell_count_)})
                   : AddBuckets({first, last}, ends, next, sums);
    }
    return status;
  }

  absl::Status AddBuckets(const CellRange& buckets, const std::vector<int64_t>& ends,
                          std::vector<int64_t>& next, std::vector<CellSum>& sums) {
    const int64_t begin = ends[buckets.first], total = ends[buckets.end] - begin;
    if (total == 0) return absl::OkStatus();
    ScratchLease lease(context_);
    absl::Status status = lease.Add(total * sizeof(Met));
    if (!status.ok()) return status;
    const std::unique_ptr<Met[]> met(new Met[total]);
    status = for_each_([&](int64_t cell, int64_t update) {
      const int64_t bucket = cell / kBucket;
      if (bucket < buckets.first || bucket >= buckets.end) return;
      met[next[bucket]++ - begin] = {static_cast<uint32_t>(cell % kBucket),
                                     LoadAt<float>(array_.data, update)};
    });
    for (int64_t b = buckets.first; b < buckets.end && status.ok(); ++b) {
      const absl::Span<const Met> updates(met.get() + (ends[b] - begin), ends[b + 1] - ends[b]);
      sums.resize(std::min(kBucket, cell_count_ - b * kBucket));
      Begin(b * kBucket, sums);
      for (const Met& update : updates) {
        AddRunning(update.value, sums[update.cell].s, sums[update.cell].errors);
      }
      if (Decide(b * kBucket, sums) > 0) status = FoldOpen(b * kBucket, sums, updates);
      if (status.ok()) status = meter_.Add(static_cast<int64_t>(sums.size()));
    }
    return status;
  }

  // The cells of a bucket that are still open.
  absl::Status FoldOpen(int64_t first, const std::vector<CellSum>& sums,
                        absl::Span<const Met> updates) {
    ScratchLease lease(context_);
    absl::Status status = lease.Add(static_cast<int64_t>(updates.size() * sizeof(Met)));
    if (!status.ok()) return status;
    std::vector<Met> open;
    open.reserve(updates.size());
    std::copy_if(updates.begin(), updates.end(), std::back_inserter(open),
                 [&](const Met& update) { return IsOpen(sums[update.cell]); });
    std::sort(open.begin(), open.end(), [](const Met& a, const Met& b) { return a.cell < b.cell; });
    std::vector<float> values;
    for (size_t i = 0; i < open.size() && status.ok();) {
      const uint32_t cell = open[i].cell;
      for (values.clear(); i < open.size() && open[i].cell == cell; ++i) {
        values.push_back(open[i].value);
      }
      status = FoldRow(fold_, ElementType::kF32, reinterpret_cast<const std::byte*>(values.data()),
                       static_cast<int64_t>(values.size()),
                       cells_ + (first + cell) * static_cast<int64_t>(sizeof(float)), meter_);
    }
    return status;
  }

  void Begin(int64_t first, std::vector<CellSum>& sums) const {
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] = {LoadAt<float>(cells_, first + static_cast<int64_t>(i)), -0.0};
    }
  }

  static constexpr double kOpen = std::numeric_limits<double>::infinity();
  static bool IsOpen(const CellSum& sum) { return sum.errors == kOpen; }

  // Stores what is decided; returns how many are open.
  int64_t Decide(int64_t first, std::vector<CellSum>& sums) const {
    int64_t open = 0;
    for (size_t i = 0; i < sums.size(); ++i) {
      CellSum& sum = sums[i];
      if (sum.errors == 0 && std::signbit(sum.errors)) continue;
      uint64_t rounded;
      const bool decided = DecideF32(sum.s, sum.errors, &rounded);
      if (decided) {
        StoreAt(cells_, first + static_cast<int64_t>(i), static_cast<uint32_t>(rounded));
      }
      sum.errors = decided ? 0 : kOpen;
      open += !decided;
    }
    return open;
  }

  const RecognisedFold& fold_;
  int64_t cell_count_, live_bytes_;
  const ForEach& for_each_;
  const UpdateArray& array_;
  std::byte* cells_;
  Meter& meter_;
  EvaluationContext& context_;
};

// All cells, the quicker way.
template <typename Position, typename ForEach>
absl::Status FoldOrSumManyCells(const RecognisedFold& fold, int64_t cell_count, int64_t live_bytes,
                                const ForEach& for_each, const UpdateArray& array, std::byte* cells,
                                Meter& meter, EvaluationContext& context) {
  if (fold.is_sum() && fold.type() == ElementType::kF32 && array.type == ElementType::kF32) {
    return ManySums(fold, cell_count, live_bytes, for_each, array, cells, meter, context)
        .template Run<Position>();
  }
  return FoldManyCells<Position>(
      fold, {0, cell_count}, [](int64_t) { return true; }, live_bytes, for_each, array, cells,
      meter, context);
}

}  // namespace assay::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_CELL_FOLD_H_
