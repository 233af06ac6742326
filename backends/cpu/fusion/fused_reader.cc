#include "backends/cpu/fusion/fused_reader.h"

#include <utility>

namespace assay::cpu {
namespace {

constexpr int64_t kAlignment = 64;
// Shorter rows share a block with others.
constexpr int64_t kBlockOfItsOwn = 256;
int64_t Rounded(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

int64_t CopyBytes(const FusedProgram::Input& input, int64_t most) {
  return Rounded(input.uniform ? 16 : input.element_bytes * most);
}

}  // namespace

FusedReader::FusedReader(FusedProgram fused) : fused_(std::move(fused)) { AddReaders({}); }

FusedReader::FusedReader(FusedProgram fused, absl::Span<const int64_t> order)
    : fused_(std::move(fused)) {
  AddReaders(order);
}

void FusedReader::AddReaders(absl::Span<const int64_t> order) {
  for (const FusedProgram::Input& input : fused_.inputs) {
    const bool permuted = !order.empty() && !input.uniform;
    const View view = permuted ? input.view.Transpose(order) : input.view;
    readers_.emplace_back(view, input.element_bytes);
    rows_.emplace_back();
    if (input.uniform || readers_.back().direct()) continue;
    direct_ = false;
    rows_.back() = RowReader::Create(view, input.element_bytes);
    if (!rows_.back().has_value() || rows_.back()->length() < kBlockOfItsOwn) continue;
    row_ = row_ == 0 ? rows_.back()->length() : std::min(row_, rows_.back()->length());
  }
}

FusedReader::SourceList FusedReader::Sources(absl::Span<const runtime::ArrayRef> operands) const {
  SourceList sources(operands.begin(), operands.end());
  for (const Literal& literal : fused_.literals) {
    sources.push_back({&literal.shape(), literal.data()});
  }
  return sources;
}

int64_t FusedReader::RoomBytes(int64_t most) const {
  int64_t bytes = Rounded(fused_.program->scratch_bytes());
  for (const FusedProgram::Input& input : fused_.inputs) bytes += CopyBytes(input, most);
  return bytes;
}

FusedReader::Room FusedReader::Start(runtime::Sources sources, int64_t most,
                                     std::byte* storage) const {
  Room room;
  room.scratch = storage;
  storage += Rounded(fused_.program->scratch_bytes());
  room.inputs.resize(readers_.size());
  room.filled.resize(readers_.size());
  for (size_t k = 0; k < readers_.size(); ++k) {
    const FusedProgram::Input& input = fused_.inputs[k];
    room.copies.push_back(storage);
    storage += CopyBytes(input, most);
    if (!input.uniform) continue;
    room.inputs[k] = readers_[k].Block(sources, 0, 1, input.element_bytes, room.copies[k]);
  }
  fused_.program->Start(room.inputs, fused_.count, room.scratch);
  return room;
}

void FusedReader::Read(runtime::Sources sources, int64_t first, int64_t n,
                       absl::Span<std::byte* const> outputs, Room& room) const {
  for (size_t k = 0; k < readers_.size(); ++k) {
    const FusedProgram::Input& input = fused_.inputs[k];
    if (input.uniform) continue;
    room.inputs[k] =
        rows_[k].has_value()
            ? rows_[k]->Block(sources, first, n, room.copies[k], &room.filled[k])
            : readers_[k].Block(sources, first, n, input.element_bytes, room.copies[k]);
  }
  fused_.program->Continue(room.inputs, outputs, n, room.scratch);
}

}  // namespace assay::cpu
