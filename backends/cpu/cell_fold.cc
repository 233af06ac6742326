#include "backends/cpu/cell_fold.h"

#include <algorithm>
#include <cstring>

#include "backends/defect.h"

namespace assay::cpu {
namespace {

// out[i] = in[index[order[i]]]
void GatherCells(const std::byte* in, int64_t bytes, const std::vector<int64_t>& index,
                 absl::Span<const int64_t> order, std::byte* out) {
  WithCell(bytes, [&](auto word) {
    for (size_t i = 0; i < order.size(); ++i) {
      std::memcpy(&word, in + index[order[i]] * sizeof word, sizeof word);
      std::memcpy(out + i * sizeof word, &word, sizeof word);
    }
  });
}

// out[index[order[i]]] = in[i]
void ScatterCells(const std::byte* in, int64_t bytes, const std::vector<int64_t>& index,
                  absl::Span<const int64_t> order, std::byte* out) {
  WithCell(bytes, [&](auto word) {
    for (size_t i = 0; i < order.size(); ++i) {
      std::memcpy(&word, in + i * sizeof word, sizeof word);
      std::memcpy(out + index[order[i]] * sizeof word, &word, sizeof word);
    }
  });
}

}  // namespace

CellFold::CellFold(const Fold& fold, absl::Span<std::byte* const> cells, runtime::Context& context)
    : fold_(fold),
      cells_(cells.begin(), cells.end()),
      context_(context),
      space_(fold.arrays() * 3 * kBlockElements * kCellBytes +
             Workspace::Rounded(fold.scratch_bytes())),
      cell_(kBlockElements),
      position_(kBlockElements),
      rank_(kBlockElements),
      order_(kBlockElements),
      table_(kTable) {
  for (int64_t k = 0; k < fold.arrays(); ++k) {
    for (std::vector<std::byte*>* room : {&acc_, &load_, &wide_}) {
      room->push_back(space_.Take(kBlockElements * kCellBytes));
    }
  }
  scratch_ = space_.Take(fold.scratch_bytes());
}

int64_t CellFold::RankUpdates() {
  std::fill(table_.begin(), table_.end(), -1);
  int64_t most = 0;
  for (int64_t i = 0; i < held_; ++i) {
    uint64_t slot = static_cast<uint64_t>(cell_[i]) * 0x9E3779B97F4A7C15u >> 52;
    while (table_[slot] >= 0 && cell_[table_[slot]] != cell_[i]) slot = (slot + 1) % kTable;
    rank_[i] = table_[slot] < 0 ? 0 : ASSAY_DEFECT(9, rank_[table_[slot]] + 1, 0);
    table_[slot] = static_cast<int32_t>(i);
    most = std::max(most, rank_[i]);
  }
  return most;
}

absl::Status CellFold::CombineHeld(int64_t first, int64_t n) {
  const auto order = absl::MakeConstSpan(order_).subspan(first, n);
  std::vector<const std::byte*> x(fold_.arrays());
  for (int64_t k = 0; k < fold_.arrays(); ++k) {
    GatherCells(cells_[k], fold_.acc_bytes(k), cell_, order, acc_[k]);
    GatherCells(updates_[k], fold_.element_bytes(k), position_, order, load_[k]);
    x[k] = fold_.Widen(k, load_[k], n, wide_[k]);
  }
  absl::Status status = fold_.Combine(acc_, x, n, scratch_, context_);
  for (int64_t k = 0; k < fold_.arrays(); ++k) {
    ScatterCells(acc_[k], fold_.acc_bytes(k), cell_, order, cells_[k]);
  }
  return status;
}

absl::Status CellFold::Flush() {
  if (held_ == 0) return absl::OkStatus();
  absl::Status status = context_.Charge(held_ * fold_.cost());
  if (!status.ok()) return status;
  // Rounds: the first updates of all cells, then the second ones, and so on.
  const int64_t most = RankUpdates();
  std::vector<int64_t> begin(most + 2, 0);
  for (int64_t i = 0; i < held_; ++i) ++begin[rank_[i] + 1];
  for (int64_t r = 0; r <= most; ++r) begin[r + 1] += begin[r];
  std::vector<int64_t> next(begin.begin(), begin.end() - 1);
  for (int64_t i = 0; i < held_; ++i) order_[next[rank_[i]]++] = i;
  for (int64_t r = 0; r <= most && status.ok(); ++r) {
    status = CombineHeld(begin[r], begin[r + 1] - begin[r]);
  }
  held_ = 0;
  return status;
}

absl::Status CellFold::AddRun(int64_t cell, int64_t position, int64_t n) {
  absl::Status status = Flush();
  std::vector<std::byte*> acc(fold_.arrays());
  std::vector<const std::byte*> x(fold_.arrays());
  for (int64_t first = 0; first < n && status.ok(); first += kBlockElements) {
    const int64_t count = std::min(kBlockElements, n - first);
    for (int64_t k = 0; k < fold_.arrays(); ++k) {
      acc[k] = cells_[k] + (cell + first) * fold_.acc_bytes(k);
      x[k] = fold_.Widen(k, updates_[k] + (position + first) * fold_.element_bytes(k), count,
                         wide_[k]);
    }
    status = context_.Charge(count * fold_.cost());
    if (status.ok()) status = fold_.Combine(acc, x, count, scratch_, context_);
  }
  return status;
}

}  // namespace assay::cpu
