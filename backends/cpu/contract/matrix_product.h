// A product of two real matrices. Threads take blocks of rows and groups of columns one by one.
// Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_MATRIX_PRODUCT_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_MATRIX_PRODUCT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "backends/cpu/contract/panels.h"
#include "backends/cpu/contract/product.h"
#include "runtime/kept_bytes.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::cpu {

// An array of numbers that is counted against the run's memory.
template <typename T>
class PanelMemory {
 public:
  explicit PanelMemory(runtime::Context& context) : lease_(context) {}
  absl::Status Allocate(int64_t count) {
    const int64_t size = std::max<int64_t>(1, count) * static_cast<int64_t>(sizeof(T));
    if (absl::Status status = lease_.Add(size); !status.ok()) return status;
    bytes_ = runtime::KeptBytes(size);
    return absl::OkStatus();
  }
  T* data() { return reinterpret_cast<T*>(bytes_.data()); }

 private:
  runtime::ScratchLease lease_;
  runtime::KeptBytes bytes_;
};

// `kPerNumber` is 2 for pairs of integers (see Tiles).
template <typename T, int kPerNumber = 1>
class MatrixProduct {
 public:
  // The product of one element of the batch. Both arguments must outlive the object.
  MatrixProduct(const Product& product, const Tiles& tiles)
      : product_(product),
        tile_(Functions(tiles)),
        convert_(tiles.convert),
        rows_(product.lhs.outer.size()),
        columns_(product.rhs.outer.size()),
        positions_(product.lhs.depth.size()),
        depth_(Blocks(positions_, kPerNumber)),
        row_block_(std::clamp(RoundUp(Blocks(rows_, kTasks), tile_.rows), 4 * tile_.rows,
                              RoundUp(kRowBlock, tile_.rows))) {
    const TileFunctions<T>& tile = tile_;
    may_sum_in_place_ = IsStoredAs<T>(product.result_type) &&
                        product.result_columns.is_contiguous() &&
                        product.result_rows.is_progression();
    const int64_t row_blocks = Blocks(rows_, row_block_);
    // A task packs its rows once: it has many columns, unless there would be few tasks.
    const int64_t groups = std::max(Blocks(columns_, kMostColumns), Blocks(kTasks, row_blocks));
    group_ = std::max(RoundUp(Blocks(columns_, groups), tile.columns),
                      RoundUp(kFewestColumns, tile.columns));
    shares_panels_ = row_blocks > 1 && depth_ * tile.columns <= kMostShared;
    const int64_t chunk = kMostShared / std::max<int64_t>(1, depth_);
    chunk_ = RoundUp(columns_, tile.columns);
    if (shares_panels_) chunk_ = std::min(chunk_, std::max(tile.columns, chunk / group_ * group_));
    group_ = std::min(group_, chunk_);
  }

  // Computes the product. The pointers are the operands and the result of this element of the
  // batch.
  absl::Status Run(const std::byte* lhs, const std::byte* rhs, std::byte* result,
                   runtime::Context& context) const {
    if constexpr (kPerNumber == 1) {
      if (rows_ <= kFewRows) return RunVectors(lhs, rhs, result, context);
    }
    PanelMemory<T> shared(context);
    if (shares_panels_) {
      absl::Status status = shared.Allocate(RoundUp(chunk_, tile_.columns) * depth_);
      if (!status.ok()) return status;
    }
    for (int64_t first = 0; first < columns_; first += chunk_) {
      const int64_t count = std::min(chunk_, columns_ - first);
      if (shares_panels_) {
        if (absl::Status status = PackColumns(rhs, first, count, shared.data(), context);
            !status.ok()) {
          return status;
        }
      }
      const T* panels = shares_panels_ ? shared.data() : nullptr;
      absl::Status status = RunChunk(lhs, rhs, result, first, count, panels, context);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  // At most this many rows are multiplied without packing panels.
  static constexpr int64_t kFewRows = 4;
  static constexpr int64_t kRowsAtATime = 16;  // rows of rhs, without panels
  static constexpr int64_t kRowBlock = 96;
  // No more tiles side by side, and rows are not packed: they would be read few times.
  static constexpr int64_t kSeriesColumns = 4;
  // Panels that so few tiles of rows read are read where they lie.
  static constexpr int64_t kInPlaceTiles = 4;
  static constexpr int64_t kTasks = 6;
  static constexpr int64_t kFewestColumns = 64;
  static constexpr int64_t kMostColumns = 1024;
  static constexpr int64_t kMostShared = int64_t{2} << 20;  // numbers
  static constexpr int64_t kProductsInANanosecond = sizeof(T) == 4 ? 32 : 16;

  using Packer = PanelPacker<T, kPerNumber>;

  static const TileFunctions<T>& Functions(const Tiles& tiles) {
    if constexpr (kPerNumber == 2) {
      return tiles.pairs;
    } else {
      return TilesOf<T>(tiles);
    }
  }
  static int64_t RoundUp(int64_t size, int64_t unit) { return (size + unit - 1) / unit * unit; }
  static int64_t Blocks(int64_t size, int64_t unit) { return (size + unit - 1) / unit; }

  // Returns the offset of the panel of rhs that begins at column `column` of a chunk and at
  // position `position`.
  int64_t SharedOffset(int64_t chunk, int64_t column, int64_t position) const {
    const int64_t block = std::min(kDepthBlock, depth_ - position);
    return position * RoundUp(chunk, tile_.columns) + column * block;
  }

  // Sets the contracted positions of a block of numbers.
  void SetDepth(int64_t first, int64_t block, Packer& packer) const {
    const int64_t position = first * kPerNumber;
    packer.SetDepth(position, std::min(block * kPerNumber, positions_ - position));
  }

  absl::Status PackColumns(const std::byte* rhs, int64_t first, int64_t count, T* to,
                           runtime::Context& context) const {
    const int64_t panels = Blocks(count, tile_.columns);
    const int64_t grain = runtime::GrainFor(tile_.columns * depth_ / 2);
    return runtime::ParallelFor(
        context, panels, grain, [&](runtime::Blocks& blocks, runtime::Context&) -> absl::Status {
          Packer packer(product_.rhs, Side::kColumns, tile_, convert_);
          while (blocks.Next()) {
            for (int64_t k = 0; k < depth_; k += kDepthBlock) {
              const int64_t block = std::min(kDepthBlock, depth_ - k);
              SetDepth(k, block, packer);
              const int64_t column = blocks.first() * tile_.columns;
              packer.PackPanels(rhs, first + column,
                                std::min(blocks.count() * tile_.columns, count - column),
                                block * tile_.columns, to + SharedOffset(count, column, k));
            }
          }
          return absl::OkStatus();
        });
  }

  // The buffers of a thread, which it reuses for each task.
  struct Workspace {
    Workspace(const MatrixProduct& product, runtime::Context& context)
        : lhs(product.product_.lhs, Side::kRows, product.tile_, product.convert_),
          rhs(product.product_.rhs, Side::kColumns, product.tile_, product.convert_),
          memory(context) {}
    Packer lhs, rhs;
    PanelMemory<T> memory;
    T* lhs_panels;
    T* rhs_panel;
    T* sums;                          // of a task; null: they are formed in the result
    T* edge;                          // a tile
    const T* series[kRowBlock + 64];  // the rows of a task
  };

  // Returns true if the sums of a task are formed in the result.
  bool SumsInPlace(const std::byte* result) const {
    return may_sum_in_place_ && reinterpret_cast<uintptr_t>(result) % alignof(T) == 0;
  }

  absl::Status Allocate(bool in_place, Workspace& work) const {
    const int64_t deepest = std::min(kDepthBlock, depth_);
    const int64_t lhs = RoundUp(row_block_ * deepest, 16);
    const int64_t rhs = RoundUp(tile_.columns * deepest, 16);
    const int64_t edge = RoundUp(tile_.rows * tile_.columns, 16);
    const int64_t sums = in_place ? 0 : row_block_ * group_;
    if (absl::Status status = work.memory.Allocate(lhs + rhs + edge + sums); !status.ok()) {
      return status;
    }
    work.lhs_panels = work.memory.data();
    work.rhs_panel = work.lhs_panels + lhs;
    work.edge = work.rhs_panel + rhs;
    work.sums = in_place ? nullptr : work.edge + edge;
    return absl::OkStatus();
  }

  struct Task {
    int64_t row, rows;
    int64_t column, columns;  // column counts from the first one of the chunk
  };

  absl::Status RunChunk(const std::byte* lhs, const std::byte* rhs, std::byte* result,
                        int64_t first, int64_t count, const T* shared,
                        runtime::Context& context) const {
    const int64_t row_blocks = Blocks(rows_, row_block_);
    const int64_t tasks = row_blocks * Blocks(count, group_);
    const int64_t products = std::min(rows_, row_block_) * std::min(count, group_) * depth_;
    const int64_t grain = runtime::GrainFor(products / kProductsInANanosecond + 100);
    return runtime::ParallelFor(
        context, tasks, grain,
        [&](runtime::Blocks& blocks, runtime::Context& context) -> absl::Status {
          Workspace work(*this, context);
          if (absl::Status status = Allocate(SumsInPlace(result), work); !status.ok())
            return status;
          for (int64_t number; blocks.NextElement(&number);) {
            Task task;
            task.row = number % row_blocks * row_block_;
            task.rows = std::min(row_block_, rows_ - task.row);
            task.column = number / row_blocks * group_;
            task.columns = std::min(group_, count - task.column);
            RunTask(task, lhs, rhs, result, first, count, shared, work);
            absl::Status status = context.ChargeCostly(task.rows * task.columns * positions_);
            if (!status.ok()) return status;
          }
          return absl::OkStatus();
        });
  }

  void RunTask(const Task& task, const std::byte* lhs, const std::byte* rhs, std::byte* result,
               int64_t chunk_first, int64_t chunk, const T* shared, Workspace& work) const {
    T* to = work.sums;
    int64_t stride = group_;
    if (work.sums == nullptr) {
      stride = rows_ == 1 ? 0 : product_.result_rows.stride();
      to = reinterpret_cast<T*>(result) + task.row * stride + chunk_first + task.column;
    }
    for (int64_t k = 0; k == 0 || k < depth_; k += kDepthBlock) {
      const int64_t block = std::min(kDepthBlock, depth_ - k);
      SetDepth(k, block, work.lhs);
      const bool in_series = columns_ <= kSeriesColumns * tile_.columns && work.lhs.HasLongRuns();
      for (int64_t row = 0; row < task.rows && !in_series; row += tile_.rows) {
        work.lhs.Pack(lhs, task.row + row, std::min(tile_.rows, task.rows - row),
                      work.lhs_panels + row * block);
      }
      if (in_series) work.lhs.SetSeries(lhs, task.row, task.rows, work.series);
      if (shared == nullptr) SetDepth(k, block, work.rhs);
      for (int64_t column = 0; column < task.columns; column += tile_.columns) {
        const int64_t columns = std::min(tile_.columns, task.columns - column);
        const T* panel = nullptr;
        int64_t panel_stride = tile_.columns;
        if (shared != nullptr) {
          panel = shared + SharedOffset(chunk, task.column + column, k);
        } else {
          const int64_t first = chunk_first + task.column + column;
          if (in_series && task.rows <= kInPlaceTiles * tile_.rows) {
            panel = work.rhs.InPlace(rhs, first, columns, &panel_stride);
          }
          if (panel == nullptr) {
            panel_stride = tile_.columns;
            work.rhs.Pack(rhs, first, columns, work.rhs_panel);
            panel = work.rhs_panel;
          }
        }
        for (int64_t row = 0, most; row < task.rows; row += most) {
          most = in_series ? work.lhs.SeriesRows(task.rows - row) : tile_.rows;
          const Sizes given = {std::min(most, task.rows - row), columns};
          const Sizes whole = {most, tile_.columns};
          T* tile = to + row * stride + column;
          if (in_series) {
            RunTile(given, whole, tile, stride, k > 0, work, [&](T* to, int64_t stride, bool add) {
              work.lhs.MultiplySeries(work.series + row, most, panel, panel_stride, to, stride,
                                      add);
            });
          } else {
            const T* panel_of_rows = work.lhs_panels + row * block;
            RunTile(given, whole, tile, stride, k > 0, work, [&](T* to, int64_t stride, bool add) {
              tile_.multiply(block, panel_of_rows, panel, panel_stride, to, stride, add);
            });
          }
        }
      }
    }
    if (work.sums != nullptr) WriteSums(task, chunk_first, work.sums, group_, result);
  }

  struct Sizes {
    int64_t rows, columns;
  };

  // multiply(to, stride, add) computes a whole tile, of which the result has the `given` part.
  template <typename Multiply>
  void RunTile(Sizes given, Sizes whole, T* to, int64_t stride, bool add, const Workspace& work,
               Multiply multiply) const {
    const bool fits = given.rows == whole.rows && given.columns == whole.columns;
    if (fits || work.sums != nullptr) return multiply(to, stride, add);
    multiply(work.edge, whole.columns, false);
    for (int64_t r = 0; r < given.rows; ++r) {
      const T* const from = work.edge + r * whole.columns;
      T* const row = to + r * stride;
      if (!add) {
        std::memcpy(row, from, given.columns * sizeof(T));
        continue;
      }
      for (int64_t c = 0; c < given.columns; ++c) row[c] = row[c] + from[c];
    }
  }

  // Rounds the sums of a task to the type of the result.
  void WriteSums(const Task& task, int64_t chunk_first, const T* sums, int64_t stride,
                 std::byte* result) const {
    const int64_t bytes = Info(product_.result_type).storage_bytes;
    const Axis& columns = product_.result_columns;
    constexpr int64_t kRun = 64;
    int64_t offsets[kRun];
    std::byte elements[kRun * sizeof(T)];
    for (int64_t c = 0; c < task.columns; c += kRun) {
      const int64_t n = std::min(kRun, task.columns - c);
      const int64_t column = chunk_first + task.column + c;
      columns.Offsets(column, n, offsets);
      for (int64_t r = 0; r < task.rows; ++r) {
        std::byte* row = result + product_.result_rows.Offset(task.row + r) * bytes;
        const T* from = sums + r * stride + c;
        if (columns.is_contiguous()) {
          WriteBlock<T>(product_.result_type, convert_, from, n, row + column * bytes);
          continue;
        }
        WriteBlock<T>(product_.result_type, convert_, from, n, elements);
        for (int64_t i = 0; i < n; ++i) {
          std::memcpy(row + offsets[i] * bytes, elements + i * bytes, bytes);
        }
      }
    }
  }

  // Multiplies a few rows of lhs by rhs, some columns at a time.
  absl::Status RunVectors(const std::byte* lhs, const std::byte* rhs, std::byte* result,
                          runtime::Context& context) const {
    PanelMemory<T> factors(context);
    if (absl::Status status = factors.Allocate(rows_ * depth_); !status.ok()) return status;
    ReadRows(lhs, factors.data());
    constexpr int64_t kFewest = 256, kMost = 2048;
    const int64_t group = std::clamp(RoundUp(columns_ / 4, 64), kFewest, kMost);
    return runtime::ParallelFor(
        context, Blocks(columns_, group), runtime::GrainFor(group * depth_ / 4 + 100),
        [&](runtime::Blocks& blocks, runtime::Context& context) -> absl::Status {
          PanelMemory<T> memory(context);
          if (absl::Status status = memory.Allocate((rows_ + kRowsAtATime) * group); !status.ok()) {
            return status;
          }
          T* sums = memory.data() + kRowsAtATime * group;
          for (int64_t number; blocks.NextElement(&number);) {
            const Task task = {0, rows_, number * group,
                               std::min(group, columns_ - number * group)};
            std::fill_n(sums, rows_ * task.columns, T{0});
            AddColumns(task, factors.data(), rhs, memory.data(), sums);
            WriteSums(task, 0, sums, task.columns, result);
            absl::Status status = context.ChargeCostly(rows_ * task.columns * depth_);
            if (!status.ok()) return status;
          }
          return absl::OkStatus();
        });
  }

  void ReadRows(const std::byte* lhs, T* to) const {
    Packer packer(product_.lhs, Side::kRows, tile_, convert_);
    for (int64_t k = 0; k < depth_; k += kDepthBlock) {
      const int64_t block = std::min(kDepthBlock, depth_ - k);
      packer.SetDepth(k, block);
      for (int64_t r = 0; r < rows_; ++r) {
        const int64_t offset = product_.lhs.outer.Offset(r) * Info(product_.lhs.type).storage_bytes;
        T* numbers = to + r * depth_ + k;
        const T* series = packer.Series(lhs + offset, numbers);
        if (series != numbers) std::memcpy(numbers, series, block * sizeof(T));
      }
    }
  }

  // Adds the products of the columns of a task. `buffer` has room for kRowsAtATime rows of them.
  void AddColumns(const Task& task, const T* x, const std::byte* rhs, T* buffer, T* sums) const {
    const Factor& factor = product_.rhs;
    if (factor.outer.is_contiguous() && columns_ > 1) {
      AddSideBySide(task, x, rhs + task.column * Info(factor.type).storage_bytes, buffer, sums);
    } else {
      AddSeries(task, x, rhs, sums);
    }
  }

  // For dense rows of rhs: processes some of them at a time, so that they stay in the first-level
  // cache.
  void AddSideBySide(const Task& task, const T* x, const std::byte* from, T* buffer,
                     T* sums) const {
    const Factor& factor = product_.rhs;
    const BlockReader<T> read(factor.type, convert_);
    const int64_t bytes = Info(factor.type).storage_bytes;
    int64_t offsets[kRowsAtATime];
    for (int64_t k = 0; k < depth_; k += kRowsAtATime) {
      const int64_t block = std::min(kRowsAtATime, depth_ - k);
      factor.depth.Offsets(k, block, offsets);
      const T* numbers = reinterpret_cast<const T*>(from);
      if (!IsStoredAs<T>(factor.type)) {
        for (int64_t i = 0; i < block; ++i) {
          read(from + offsets[i] * bytes, task.columns, buffer + i * task.columns);
          offsets[i] = i * task.columns;
        }
        numbers = buffer;
      }
      for (int64_t r = 0; r < rows_; ++r) {
        tile_.add_rows(block, x + r * depth_ + k, numbers, offsets, task.columns,
                       sums + r * task.columns);
      }
    }
  }

  // For columns of rhs that are contiguous or have any other layout.
  void AddSeries(const Task& task, const T* x, const std::byte* rhs, T* sums) const {
    const Factor& factor = product_.rhs;
    const int64_t bytes = Info(factor.type).storage_bytes;
    const bool whole = IsStoredAs<T>(factor.type) && factor.depth.is_contiguous();
    const int64_t block_size = whole ? std::max<int64_t>(1, depth_) : kDepthBlock;
    Packer packer(factor, Side::kColumns, tile_, convert_);
    constexpr int64_t kAtATime = 16;
    int64_t outer[kAtATime];
    const T* series[kAtATime];
    for (int64_t c = 0; c < task.columns; c += kAtATime) {
      const int64_t n = std::min(kAtATime, task.columns - c);
      factor.outer.Offsets(task.column + c, n, outer);
      for (int64_t k = 0; k < depth_; k += block_size) {
        const int64_t block = std::min(block_size, depth_ - k);
        if (!whole) packer.SetDepth(k, block);
        for (int64_t i = 0; i < n; ++i) {
          const std::byte* from = rhs + outer[i] * bytes;
          series[i] =
              whole ? reinterpret_cast<const T*>(from) : packer.Series(from, packer.buffer(i));
        }
        for (int64_t r = 0; r < rows_; ++r) {
          tile_.add_inner(block, x + r * depth_ + k, series, n, sums + r * task.columns + c);
        }
      }
    }
  }

  const Product& product_;
  const TileFunctions<T>& tile_;
  const TileConversions& convert_;
  const int64_t rows_, columns_;
  const int64_t positions_;  // contracted
  const int64_t depth_;      // in numbers
  const int64_t row_block_;
  // Columns of a task, and columns whose panels are packed at a time: whole tiles.
  int64_t group_, chunk_;
  bool shares_panels_;
  bool may_sum_in_place_;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_MATRIX_PRODUCT_H_
