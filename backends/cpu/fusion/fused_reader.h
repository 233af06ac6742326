// Reads the results of a fused computation block by block, in any order of its dimensions, as if
// they were arrays in memory. Tests: fusion_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FUSION_FUSED_READER_H_
#define ASSAY_BACKENDS_CPU_FUSION_FUSED_READER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "backends/cpu/fusion/fused_program.h"
#include "backends/cpu/fusion/row_reader.h"
#include "runtime/arrays.h"
#include "runtime/view_reader.h"

namespace assay::cpu {

class FusedReader {
 public:
  // So many inputs take no allocation.
  static constexpr size_t kFew = 8;
  using SourceList = absl::InlinedVector<runtime::ArrayRef, kFew>;

  // Reads in the row-major order of the program's elements.
  explicit FusedReader(FusedProgram fused);
  // Dimension order[d] of the elements comes d-th. Every input that is not uniform must have the
  // program's dimensions (FusedProgram::dimensions).
  FusedReader(FusedProgram fused, absl::Span<const int64_t> order);

  const FusedProgram& fused() const { return fused_; }
  // Returns the operands of a run, followed by the literals.
  SourceList Sources(absl::Span<const runtime::ArrayRef> operands) const;

  // Returns the scratch size of a thread that reads at most `most` elements at a time. The memory
  // must be aligned to 64 bytes.
  int64_t RoomBytes(int64_t most) const;
  // Returns true if all inputs are read in place. No block is copied, and `most` may be 0.
  bool direct() const { return direct_; }

  // Returns the size, at most n, of a block from `first` on that ends where long rows of inputs
  // end.
  int64_t BlockFrom(int64_t first, int64_t n) const {
    return row_ == 0 ? n : std::min(n, row_ - first % row_);
  }

  // The state of a thread between blocks.
  struct Room {
    std::byte* scratch = nullptr;
    absl::InlinedVector<std::byte*, kFew> copies;
    absl::InlinedVector<const std::byte*, kFew> inputs;
    absl::InlinedVector<RowReader::Filled, kFew> filled;
  };
  // `storage` has RoomBytes(most).
  Room Start(runtime::Sources sources, int64_t most, std::byte* storage) const;
  // Computes the elements [first, first + n) of every output.
  void Read(runtime::Sources sources, int64_t first, int64_t n,
            absl::Span<std::byte* const> outputs, Room& room) const;

 private:
  void AddReaders(absl::Span<const int64_t> order);

  FusedProgram fused_;
  std::vector<runtime::ViewReader> readers_;
  std::vector<std::optional<RowReader>> rows_;  // replace readers that are not direct
  int64_t row_ = 0;  // the shortest row that is worth a block of its own; 0 if none is
  bool direct_ = true;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FUSION_FUSED_READER_H_
