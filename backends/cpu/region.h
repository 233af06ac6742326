// The computation that a reduce, map, sort or similar operation applies. A flat computation
// (spec/analysis/flat_region.h) runs as a block program on many independent elements at a time; any
// other runs in the runtime, element by element. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_REGION_H_
#define ASSAY_BACKENDS_CPU_REGION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/cpu/vector/block_function.h"
#include "backends/cpu/vector/block_program.h"
#include "runtime/context.h"
#include "spec/ir/module.h"

namespace assay::cpu {

// The number of elements of a block. A block stays in the first-level cache.
inline constexpr int64_t kBlockElements = 1024;

// Returns true if kernels apply the region themselves.
bool IsFlatRegion(const Computation& computation);

class Region {
 public:
  // The computation must outlive the region. `given` has the types of Run's inputs if they differ
  // from the parameters' types, to which they are converted.
  explicit Region(const Computation& computation, absl::Span<const ElementType> given = {});

  bool flat() const { return program_ != nullptr; }
  // The types of the leaves of the parameters and of the root.
  absl::Span<const ElementType> inputs() const { return inputs_; }
  absl::Span<const ElementType> outputs() const { return outputs_; }
  // The scratch size of Run for any n up to kBlockElements. The memory must be aligned to 64 bytes.
  int64_t scratch_bytes() const { return scratch_bytes_; }
  // Computes n elements. Outputs do not overlap inputs. A region that is not flat needs
  // Context::caller, so that no other thread may share the loop.
  absl::Status Run(absl::Span<const std::byte* const> inputs, absl::Span<std::byte* const> outputs,
                   int64_t n, std::byte* scratch, runtime::Context& context) const;
  // The work of one element, for Context::Charge and for the size of parallel blocks.
  int64_t cost() const { return cost_; }

 private:
  absl::Status RunConverted(absl::Span<const std::byte* const> inputs,
                            absl::Span<std::byte* const> outputs, int64_t n, std::byte* scratch,
                            runtime::Context& context) const;
  absl::Status Call(absl::Span<const std::byte* const> inputs, absl::Span<std::byte* const> outputs,
                    int64_t n, runtime::Context& context) const;

  const Computation& computation_;
  std::vector<ElementType> inputs_, outputs_;
  std::vector<std::optional<BlockFunction>> conversions_;  // by input; empty if none is converted
  int64_t cost_, scratch_bytes_ = 0;
  std::unique_ptr<BlockProgram> program_;
};

// Returns the block function of a binary operation, without an instruction.
absl::StatusOr<BlockFunction> BinaryFunction(Opcode opcode, ElementType type);
absl::StatusOr<BlockFunction> ConvertFunction(ElementType from, ElementType to);

// Returns the type in which sums and products of `type` are accumulated: f32 for narrower floats.
ElementType WideType(ElementType type);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_REGION_H_
