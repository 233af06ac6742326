#include "backends/cpu/vector/block_function.h"

#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/vector/program_builder.h"

namespace assay::cpu {

void BlockFunction::operator()(absl::Span<const std::byte* const> operands, std::byte* result,
                               int64_t n) const {
  // What one instruction needs: a few registers of a block.
  constexpr int64_t kStackBytes = 48 << 10;
  alignas(64) std::byte scratch[kStackBytes];
  if (program_->scratch_bytes() <= kStackBytes) {
    program_->Run(operands, {&result, 1}, n, scratch);
    return;
  }
  const auto storage = std::make_unique<std::byte[]>(program_->scratch_bytes() + 64);
  const auto address = reinterpret_cast<uintptr_t>(storage.get());
  program_->Run(operands, {&result, 1}, n, storage.get() + (64 - address % 64) % 64);
}

absl::StatusOr<BlockFunction> FindBlockFunction(const Instruction& instruction) {
  ProgramBuilder builder(BestKernels());
  absl::InlinedVector<ProgramBuilder::Value, 3> operands;
  for (const Instruction* operand : instruction.operands()) {
    const bool uniform = operand->shape().is_scalar() && !instruction.shape().is_scalar();
    operands.push_back(builder.AddInput(operand->shape().element_type(), uniform));
  }
  absl::StatusOr<ProgramBuilder::Value> result = builder.AddInstruction(instruction, operands);
  if (!result.ok()) return result.status();
  builder.AddOutput(*result);
  return BlockFunction(builder.Build());
}

}  // namespace assay::cpu
