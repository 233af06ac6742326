// The computation that a reduce, a map, a sort or their like applies: as a block program on many
// independent elements at a time where it is flat (spec/analysis/flat_region.h), else by the
// runtime, element after element. Tests: kernels_test.cc.
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

// Elements that are computed at a time: blocks of them stay in the first-level cache.
inline constexpr int64_t kBlockElements = 1024;

// Returns true if kernels apply the region themselves.
bool IsFlatRegion(const Computation& computation);

class Region {
 public:
  // The computation must outlive the region. `given`: the types of the inputs that Run gets, where
  // they are not those of the parameters, to which they are converted.
  explicit Region(const Computation& computation, absl::Span<const ElementType> given = {});

  bool flat() const { return program_ != nullptr; }
  // The leaves of the parameters and of the root.
  absl::Span<const ElementType> inputs() const { return inputs_; }
  absl::Span<const ElementType> outputs() const { return outputs_; }
  // Room that Run needs, aligned to 64 bytes, for any n up to kBlockElements.
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
  std::vector<std::optional<BlockFunction>> conversions_;  // by input; empty: none is converted
  int64_t cost_, scratch_bytes_ = 0;
  std::unique_ptr<BlockProgram> program_;
};

// Block functions that no instruction of a module asks for.
absl::StatusOr<BlockFunction> BinaryFunction(Opcode opcode, ElementType type);
absl::StatusOr<BlockFunction> ConvertFunction(ElementType from, ElementType to);

// The type in which sums and products of `type` are accumulated: f32 for narrower floats.
ElementType WideType(ElementType type);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_REGION_H_
