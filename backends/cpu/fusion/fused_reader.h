// Reads what a fused computation gives, block by block and in an order of its dimensions, as if it
// were an array that lay there. Tests: fusion_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FUSION_FUSED_READER_H_
#define ASSAY_BACKENDS_CPU_FUSION_FUSED_READER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "backends/cpu/fusion/fused_program.h"
#include "backends/cpu/fusion/row_reader.h"
#include "runtime/arrays.h"
#include "runtime/view_reader.h"

namespace assay::cpu {

class FusedReader {
 public:
  // In the row-major order of the program's elements.
  explicit FusedReader(FusedProgram fused);
  // Dimension order[d] of the elements comes d-th. Every input that is not uniform must have the
  // program's dimensions (FusedProgram::dimensions).
  FusedReader(FusedProgram fused, absl::Span<const int64_t> order);

  const FusedProgram& fused() const { return fused_; }
  // The operands of a run, and the literals after them.
  std::vector<runtime::ArrayRef> Sources(absl::Span<const runtime::ArrayRef> operands) const;

  // Room for one thread that reads at most `most` elements at a time, aligned to 64 bytes.
  int64_t RoomBytes(int64_t most) const;
  // All inputs lie as they are read: no block is copied, and `most` may be 0.
  bool direct() const { return direct_; }

  // At most n: the elements from `first` on that a block should have, so that it ends where long
  // rows of inputs do.
  int64_t BlockFrom(int64_t first, int64_t n) const {
    return row_ == 0 ? n : std::min(n, row_ - first % row_);
  }

  // What one thread keeps between blocks.
  struct Room {
    std::byte* scratch = nullptr;
    std::vector<std::byte*> copies;
    std::vector<const std::byte*> inputs;
    std::vector<RowReader::Filled> filled;
  };
  // `storage` has RoomBytes(most).
  Room Start(runtime::Sources sources, int64_t most, std::byte* storage) const;
  // The elements [first, first + n) of every output.
  void Read(runtime::Sources sources, int64_t first, int64_t n,
            absl::Span<std::byte* const> outputs, Room& room) const;

 private:
  void AddReaders(absl::Span<const int64_t> order);

  FusedProgram fused_;
  std::vector<runtime::ViewReader> readers_;
  std::vector<std::optional<RowReader>> rows_;  // in place of readers that are not direct
  int64_t row_ = 0;  // the shortest row that is worth a block of its own; 0: none
  bool direct_ = true;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FUSION_FUSED_READER_H_
