// Reads what a fused computation gives, block by block and in an order of its dimensions, as if it
// were an array that lay there. Tests: fusion_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FUSION_FUSED_READER_H_
#define ASSAY_BACKENDS_CPU_FUSION_FUSED_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "backends/cpu/fusion/fused_program.h"
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

  // What one thread keeps between blocks.
  struct Room {
    std::byte* scratch = nullptr;
    std::vector<std::byte*> copies;
    std::vector<const std::byte*> inputs;
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
  bool direct_ = true;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FUSION_FUSED_READER_H_
