// Adds f32 updates, which come in any order, to many cells. Each cell is a double with a bound
// first (running_sums.h); the few that this does not decide are added again exactly. Scatter and
// select-and-scatter share it. Tests: folding_kernels_test.cc, paths_test.cc.
//
// Cells lie too far apart for the cache where they are met at random: updates are first put into
// buckets by their cells, and each bucket is added by itself. Both are done by several threads: the
// walk over the updates in shares, which are as many whatever the threads, then bucket by bucket.
#ifndef ASSAY_EVALUATOR_KERNELS_CELL_SUMS_H_
#define ASSAY_EVALUATOR_KERNELS_CELL_SUMS_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "evaluator/kernels/cell_fold.h"
#include "evaluator/kernels/running_sums.h"
#include "runtime/parallel.h"

namespace assay::evaluator::kernels {

// The arguments are those of FoldManyCells.
template <typename Walk>
class ManySums {
 public:
  ManySums(const RecognisedFold& fold, int64_t cell_count, int64_t live_bytes, const Walk& walk,
           std::byte* cells, Meter& meter, EvaluationContext& context)
      : fold_(fold),
        cell_count_(cell_count),
        live_bytes_(live_bytes),
        walk_(walk),
        cells_(cells),
        meter_(meter),
        context_(context) {}

  template <typename Position>
  absl::Status Run() {
    return cell_count_ <= kBucket ? AddDirectly<Position>({0, cell_count_})
                                  : RunInBuckets<Position>();
  }

 private:
  // An update with the number of its cell in the bucket.
  struct Met {
    uint32_t cell;
    float value;
  };
  static constexpr int64_t kBucket = 1 << 15;  // cells: their sums take a quarter of a megabyte
  static constexpr int64_t kShares = 16;
  static constexpr int64_t kCellBytes = 2 * sizeof(double);

  // The sums of a range of cells.
  struct Sums {
    explicit Sums(int64_t size) : s(size), errors(size) {}
    std::vector<double> s, errors;
  };

  float ValueOf(int64_t update) const { return LoadAt<float>(walk_.array.data, update); }
  std::byte* CellAt(int64_t cell) const {
    return cells_ + cell * static_cast<int64_t>(sizeof(float));
  }

  // Reads all updates and adds those of the range.
  template <typename Position>
  absl::Status AddDirectly(const CellRange& range) {
    const int64_t first = range.first, size = range.end - first;
    runtime::ScratchLease lease(context_);
    absl::Status status = lease.Add(size * kCellBytes);
    if (!status.ok()) return status;
    Sums sums(size);
    BeginSums(CellAt(first), 1, size, sums.s.data(), sums.errors.data());
    status = walk_.ForEachUpdate(meter_, [&](int64_t cell, int64_t update) {
      const int64_t i = cell - first;
      if (i >= 0 && i < size) AddToSum(ValueOf(update), sums.s[i], sums.errors[i]);
    });
    if (!status.ok()) return status;
    if (DecideSums(sums.s.data(), sums.errors.data(), size, CellAt(first)) > 0) {
      const auto wanted = [&](int64_t cell) { return IsOpen(sums.errors[cell - first]); };
      status = FoldManyCells<Position>(fold_, range, wanted, live_bytes_, walk_, cells_, meter_,
                                       context_);
    }
    return status.ok() ? meter_.Add(size) : status;
  }

  template <typename Position>
  absl::Status RunInBuckets() {
    const int64_t buckets = (cell_count_ + kBucket - 1) / kBucket;
    runtime::ScratchLease lease(context_);
    absl::Status status = lease.Add((kShares + 1) * (buckets + 1) * sizeof(int64_t));
    if (!status.ok()) return status;
    // For each share the number of its updates in each bucket, later the place of the next one.
    std::vector<int64_t> next(kShares * buckets);
    status = ForEachShare([&](int64_t share, int64_t first, int64_t end, Meter& meter) {
      int64_t* counts = &next[share * buckets];
      return walk_.for_each(first, end, meter,
                            [counts](int64_t cell, int64_t) { ++counts[cell / kBucket]; });
    });
    if (!status.ok()) return status;
    std::vector<int64_t> ends(buckets + 1);  // after one of nothing
    for (int64_t b = 0, place = 0; b < buckets; ++b) {
      for (int64_t share = 0; share < kShares; ++share) {
        const int64_t count = next[share * buckets + b];
        next[share * buckets + b] = place;
        place += count;
      }
      ends[b + 1] = place;
    }
    // So many buckets are filled at a time that they take half of the size of the arrays.
    const int64_t room = live_bytes_ / 2 / static_cast<int64_t>(sizeof(Met));
    for (int64_t first = 0, last = 0; first < buckets && status.ok(); first = last) {
      last = first + 1;
      while (last < buckets && ends[last + 1] - ends[first] <= room) ++last;
      status = ends[last] - ends[first] > room
                   ? AddDirectly<Position>({first * kBucket, std::min(last * kBucket, cell_count_)})
                   : AddBuckets({first, last}, ends, next);
    }
    return status;
  }

  // Calls f(number, first step, end, meter) for each share of the walk.
  template <typename F>
  absl::Status ForEachShare(F f) const {
    const int64_t steps = (walk_.steps - 1) / kShares + 1;
    return ParallelFor(context_, kShares, 1, [&](Blocks& shares, EvaluationContext& context) {
      Meter meter(context);
      while (shares.Next()) {
        const int64_t first = std::min(walk_.steps, shares.first() * steps);
        const int64_t end = std::min(walk_.steps, first + steps);
        absl::Status status = f(shares.first(), first, end, meter);
        if (!status.ok()) return status;
      }
      return meter.Flush();
    });
  }

  absl::Status AddBuckets(const CellRange& buckets, const std::vector<int64_t>& ends,
                          std::vector<int64_t>& next) {
    const int64_t begin = ends[buckets.first], total = ends[buckets.end] - begin;
    if (total == 0) return absl::OkStatus();
    runtime::ScratchLease lease(context_);
    absl::Status status = lease.Add(total * sizeof(Met));
    if (!status.ok()) return status;
    const std::unique_ptr<Met[]> met(new Met[total]);
    const auto stride = static_cast<int64_t>(ends.size()) - 1;
    status = ForEachShare([&](int64_t share, int64_t first, int64_t end, Meter& meter) {
      int64_t* places = &next[share * stride];
      return walk_.for_each(first, end, meter, [&, places](int64_t cell, int64_t update) {
        const int64_t bucket = cell / kBucket;
        if (bucket < buckets.first || bucket >= buckets.end) return;
        met[places[bucket]++ - begin] = {static_cast<uint32_t>(cell % kBucket), ValueOf(update)};
      });
    });
    if (!status.ok()) return status;
    const int64_t count = buckets.end - buckets.first;
    return ParallelFor(context_, count, 1, [&](Blocks& blocks, EvaluationContext& context) {
      Meter meter(context);
      runtime::ScratchLease sums_lease(context);
      absl::Status done = sums_lease.Add(kBucket * kCellBytes);
      if (!done.ok()) return done;
      Sums sums(kBucket);
      for (int64_t i; blocks.NextElement(&i);) {
        const int64_t b = buckets.first + i;
        const absl::Span<const Met> updates(met.get() + (ends[b] - begin), ends[b + 1] - ends[b]);
        done = AddBucket(b * kBucket, updates, sums, meter, context);
        if (!done.ok()) return done;
      }
      return meter.Flush();
    });
  }

  absl::Status AddBucket(int64_t first, absl::Span<const Met> updates, Sums& sums, Meter& meter,
                         EvaluationContext& context) const {
    const int64_t size = std::min(kBucket, cell_count_ - first);
    double* s = sums.s.data();
    double* errors = sums.errors.data();
    BeginSums(CellAt(first), 1, size, s, errors);
    for (const Met& update : updates) AddToSum(update.value, s[update.cell], errors[update.cell]);
    if (DecideSums(s, errors, size, CellAt(first)) > 0) {
      absl::Status status = FoldOpen(first, errors, updates, meter, context);
      if (!status.ok()) return status;
    }
    return meter.Add(size);
  }

  // Adds the undecided cells of a bucket exactly.
  absl::Status FoldOpen(int64_t first, const double* errors, absl::Span<const Met> updates,
                        Meter& meter, EvaluationContext& context) const {
    runtime::ScratchLease lease(context);
    absl::Status status = lease.Add(static_cast<int64_t>(updates.size() * sizeof(Met)));
    if (!status.ok()) return status;
    std::vector<Met> open;
    open.reserve(updates.size());
    std::copy_if(updates.begin(), updates.end(), std::back_inserter(open),
                 [&](const Met& update) { return IsOpen(errors[update.cell]); });
    std::sort(open.begin(), open.end(), [](const Met& a, const Met& b) { return a.cell < b.cell; });
    std::vector<float> values;
    for (size_t i = 0; i < open.size() && status.ok();) {
      const uint32_t cell = open[i].cell;
      for (values.clear(); i < open.size() && open[i].cell == cell; ++i) {
        values.push_back(open[i].value);
      }
      status = FoldRow(fold_, ElementType::kF32, reinterpret_cast<const std::byte*>(values.data()),
                       static_cast<int64_t>(values.size()), CellAt(first + cell), meter);
    }
    return status;
  }

  const RecognisedFold& fold_;
  int64_t cell_count_, live_bytes_;
  const Walk& walk_;
  std::byte* cells_;
  Meter& meter_;
  EvaluationContext& context_;
};

// All cells, the quicker way.
template <typename Position, typename Walk>
absl::Status FoldOrSumManyCells(const RecognisedFold& fold, int64_t cell_count, int64_t live_bytes,
                                const Walk& walk, std::byte* cells, Meter& meter,
                                EvaluationContext& context) {
  if (AddsInDouble(fold, walk.array.type)) {
    return ManySums(fold, cell_count, live_bytes, walk, cells, meter, context)
        .template Run<Position>();
  }
  return FoldManyCells<Position>(
      fold, {0, cell_count}, [](int64_t) { return true; }, live_bytes, walk, cells, meter, context);
}

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_CELL_SUMS_H_
