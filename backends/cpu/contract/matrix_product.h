// One product of two matrices of real numbers, in blocks of rows and groups of columns that threads
// take one by one. Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_MATRIX_PRODUCT_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_MATRIX_PRODUCT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "absl/status/status.h"
#include "backends/cpu/contract/panels.h"
#include "backends/cpu/contract/product.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::cpu {

// Numbers aligned to the line of a cache, counted against the run.
template <typename T>
class PanelMemory {
 public:
  explicit PanelMemory(runtime::Context& context) : lease_(context) {}
  absl::Status Allocate(int64_t count) {
    const int64_t bytes = std::max<int64_t>(1, count) * static_cast<int64_t>(sizeof(T));
    if (absl::Status status = lease_.Add(bytes); !status.ok()) return status;
    memory_.reset(new (std::align_val_t{64}) std::byte[bytes]);
    return absl::OkStatus();
  }
  T* data() { return reinterpret_cast<T*>(memory_.get()); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete[](bytes, std::align_val_t{64}); }
  };
  runtime::ScratchLease lease_;
  std::unique_ptr<std::byte, Free> memory_;
};

template <typename T>
class MatrixProduct {
 public:
  // Of one element of the batch. Both must outlive the object.
  MatrixProduct(const Product& product, const TileFunctions<T>& tile)
      : product_(product),
        tile_(tile),
        rows_(product.lhs.outer.size()),
        columns_(product.rhs.outer.size()),
        depth_(product.lhs.depth.size()),
        row_block_(RoundUp(kRowBlock, tile.rows)) {
    may_sum_in_place_ = IsStoredAs<T>(product.result_type) &&
                        product.result_columns.is_contiguous() &&
                        product.result_rows.is_progression();
    const int64_t row_blocks = Blocks(rows_, row_block_);
    // Columns in some tens of groups; a group is summed in the second cache if not in place.
    const int64_t groups = std::max<int64_t>(1, kTasks / row_blocks);
    group_ = std::clamp(RoundUp(Blocks(columns_, groups), tile.columns),
                        RoundUp(kFewestColumns, tile.columns), RoundUp(kMostColumns, tile.columns));
    shares_panels_ = row_blocks > 1 && depth_ * tile.columns <= kMostShared;
    const int64_t chunk = kMostShared / std::max<int64_t>(1, depth_);
    chunk_ = RoundUp(columns_, tile.columns);
    if (shares_panels_) chunk_ = std::min(chunk_, std::max(tile.columns, chunk / group_ * group_));
    group_ = std::min(group_, chunk_);
  }

  // Operands and result of this element of the batch.
  absl::Status Run(const std::byte* lhs, const std::byte* rhs, std::byte* result,
                   runtime::Context& context) const {
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
  static constexpr int64_t kRowBlock = 96;
  static constexpr int64_t kTasks = 16;
  static constexpr int64_t kFewestColumns = 64;
  static constexpr int64_t kMostColumns = 512;
  static constexpr int64_t kMostShared = int64_t{2} << 20;  // numbers
  static constexpr int64_t kProductsInANanosecond = sizeof(T) == 4 ? 32 : 16;

  static int64_t RoundUp(int64_t size, int64_t unit) { return (size + unit - 1) / unit * unit; }
  static int64_t Blocks(int64_t size, int64_t unit) { return (size + unit - 1) / unit; }

  // Where the panel of rhs is that begins at column `column` of a chunk and at position `position`.
  int64_t SharedOffset(int64_t chunk, int64_t column, int64_t position) const {
    const int64_t block = std::min(kDepthBlock, depth_ - position);
    return position * RoundUp(chunk, tile_.columns) + column * block;
  }

  absl::Status PackColumns(const std::byte* rhs, int64_t first, int64_t count, T* to,
                           runtime::Context& context) const {
    const int64_t panels = Blocks(count, tile_.columns);
    const int64_t grain = runtime::GrainFor(tile_.columns * depth_ / 2);
    return runtime::ParallelFor(
        context, panels, grain, [&](runtime::Blocks& blocks, runtime::Context&) -> absl::Status {
          PanelPacker<T> packer(product_.rhs, tile_.columns);
          while (blocks.Next()) {
            for (int64_t k = 0; k < depth_; k += kDepthBlock) {
              packer.SetDepth(k, std::min(kDepthBlock, depth_ - k));
              for (int64_t p = blocks.first(); p < blocks.first() + blocks.count(); ++p) {
                const int64_t column = p * tile_.columns;
                packer.Pack(rhs, first + column, std::min(tile_.columns, count - column),
                            to + SharedOffset(count, column, k));
              }
            }
          }
          return absl::OkStatus();
        });
  }

  // What a thread computes one task after the other with.
  struct Workspace {
    Workspace(const MatrixProduct& product, runtime::Context& context)
        : lhs(product.product_.lhs, product.tile_.rows),
          rhs(product.product_.rhs, product.tile_.columns),
          memory(context) {}
    PanelPacker<T> lhs, rhs;
    PanelMemory<T> memory;
    T* lhs_panels;
    T* rhs_panel;
    T* sums;  // of a task; null: they are formed in the result
    T* edge;  // a tile
  };

  // Whether the sums of a task are formed in the result.
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
            absl::Status status = context.ChargeCostly(task.rows * task.columns * depth_);
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
      work.lhs.SetDepth(k, block);
      for (int64_t row = 0; row < task.rows; row += tile_.rows) {
        work.lhs.Pack(lhs, task.row + row, std::min(tile_.rows, task.rows - row),
                      work.lhs_panels + row * block);
      }
      if (shared == nullptr) work.rhs.SetDepth(k, block);
      for (int64_t column = 0; column < task.columns; column += tile_.columns) {
        const int64_t columns = std::min(tile_.columns, task.columns - column);
        const T* panel = work.rhs_panel;
        if (shared != nullptr) {
          panel = shared + SharedOffset(chunk, task.column + column, k);
        } else {
          work.rhs.Pack(rhs, chunk_first + task.column + column, columns, work.rhs_panel);
        }
        for (int64_t row = 0; row < task.rows; row += tile_.rows) {
          const int64_t rows = std::min(tile_.rows, task.rows - row);
          RunTile(block, work.lhs_panels + row * block, panel, rows, columns,
                  to + row * stride + column, stride, k > 0, work);
        }
      }
    }
    if (work.sums != nullptr) WriteSums(task, chunk_first, work.sums, result);
  }

  void RunTile(int64_t depth, const T* lhs, const T* rhs, int64_t rows, int64_t columns, T* to,
               int64_t stride, bool add, const Workspace& work) const {
    const bool whole = rows == tile_.rows && columns == tile_.columns;
    if (whole || work.sums != nullptr) {
      return tile_.multiply(depth, lhs, rhs, tile_.columns, to, stride, add);
    }
    T* edge = work.edge;
    tile_.multiply(depth, lhs, rhs, tile_.columns, edge, tile_.columns, false);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        const T sum = edge[r * tile_.columns + c];
        T& cell = to[r * stride + c];
        cell = add ? cell + sum : sum;
      }
    }
  }

  // Rounds the sums of a task to the type of the result.
  void WriteSums(const Task& task, int64_t chunk_first, const T* sums, std::byte* result) const {
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
        const T* from = sums + r * group_ + c;
        if (columns.is_contiguous()) {
          WriteBlock<T>(product_.result_type, from, n, row + column * bytes);
          continue;
        }
        WriteBlock<T>(product_.result_type, from, n, elements);
        for (int64_t i = 0; i < n; ++i) {
          std::memcpy(row + offsets[i] * bytes, elements + i * bytes, bytes);
        }
      }
    }
  }

  const Product& product_;
  const TileFunctions<T>& tile_;
  const int64_t rows_, columns_, depth_;
  const int64_t row_block_;
  // Columns of a task, and columns whose panels are packed at a time: whole tiles.
  int64_t group_, chunk_;
  bool shares_panels_;
  bool may_sum_in_place_;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_MATRIX_PRODUCT_H_
