// A computation of elementwise operations that runs on blocks of elements: every step works on a
// block that fits the first-level cache, and intermediate values never reach memory.
//
// Every instruction rounds to its type, so that a program gives the bits of its instructions run
// one after the other. Tests: block_program_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_BLOCK_PROGRAM_H_
#define ASSAY_BACKENDS_CPU_VECTOR_BLOCK_PROGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cpu/vector/native/native_program.h"
#include "backends/cpu/vector/step.h"
#include "spec/analysis/flat_region.h"
#include "spec/ir/module.h"

namespace assay::cpu {

// Immutable once made; safe from several threads.
class BlockProgram {
 public:
  // The number of elements of a block where registers are few; fewer where they are many.
  static constexpr int64_t kBlockElements = 1024;

  // A program of a computation on scalars (analysis::FlattenRegion), which is applied to each of n
  // independent elements. Inputs and outputs are the leaves of parameters and root. The computation
  // need not outlive the program. UNIMPLEMENTED where the computation is not elementwise.
  // With `lanes`, arrays of these dimensions count as scalars too (analysis::FlattenRegion).
  static absl::StatusOr<std::unique_ptr<BlockProgram>> Create(const Computation& computation,
                                                              absl::Span<const int64_t> lanes = {});
  // The same for a region that is flat already.
  static absl::StatusOr<std::unique_ptr<BlockProgram>> Create(const analysis::FlatRegion& region);

  // The number of bytes that Run needs at `scratch`, for any n.
  int64_t scratch_bytes() const { return scratch_bytes_; }

  // Computes n elements of every output from n elements of every input (one element of an input
  // that is uniform). Arrays are dense in the storage of their types and need not be aligned.
  // `scratch` must be aligned to 64 bytes. An output may be exactly the storage of an input if the
  // program has one output; outputs must not overlap inputs otherwise.
  void Run(absl::Span<const std::byte* const> inputs, absl::Span<std::byte* const> outputs,
           int64_t n, std::byte* scratch) const;

  // Run in two parts, for callers that have the elements in pieces: Start once, with the number of
  // elements of the largest piece or more, then Continue for each piece, with the same uniform
  // inputs and the same scratch.
  void Start(absl::Span<const std::byte* const> inputs, int64_t n, std::byte* scratch) const;
  void Continue(absl::Span<const std::byte* const> inputs, absl::Span<std::byte* const> outputs,
                int64_t n, std::byte* scratch) const;

  // The steps of Continue for one block of n elements, at fixed addresses: for callers that run
  // them very often. Start comes first.
  struct Call {
    BlockKernel kernel;
    std::array<const std::byte*, 3> operands;
    std::byte* result;
    int64_t n;
    KernelParameters parameters;
    void operator()() const { kernel(operands.data(), result, n, parameters); }
  };
  std::vector<Call> Calls(absl::Span<const std::byte* const> inputs,
                          absl::Span<std::byte* const> outputs, int64_t n,
                          std::byte* scratch) const;

  // The steps that the second tier compiles; null where there are none.
  const NativeProgram* native() const { return native_.get(); }
  // Where Continue finds or puts the block of a place of native() that is neither input nor output.
  const std::byte* ScratchAddress(const Place& place, const std::byte* scratch) const {
    return scratch + place.position * block_elements_;
  }
  int64_t step_count() const { return static_cast<int64_t>(steps_.size()); }

  // The number of elements that steps work on at a time.
  int64_t block_elements() const { return block_elements_; }
  int64_t input_count() const { return static_cast<int64_t>(inputs_.size()); }
  int64_t output_count() const { return static_cast<int64_t>(outputs_.size()); }

 private:
  friend class ProgramBuilder;
  BlockProgram() = default;
  struct Input {
    int32_t bytes = 0;     // of an element
    bool uniform = false;  // one element stands for all
  };
  struct Output {
    int32_t bytes = 0;
  };
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<BoundStep> prologue_;   // once per run: what depends on uniform inputs only
  std::vector<BoundStep> steps_;      // once per block
  std::vector<std::byte> constants_;  // 16 bytes each
  std::vector<std::shared_ptr<const PrecisionRule>> rules_;  // that steps point at
  std::unique_ptr<const NativeProgram> native_;
  int64_t block_elements_ = kBlockElements;
  int64_t scratch_bytes_ = 0;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_BLOCK_PROGRAM_H_
