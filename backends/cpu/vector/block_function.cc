#include "backends/cpu/vector/block_function.h"

#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/vector/program_builder.h"
#include "runtime/float_environment.h"
#include "runtime/kept_bytes.h"

namespace assay::cpu {

void BlockFunction::operator()(absl::Span<const std::byte* const> operands, std::byte* result,
                               int64_t n) const {
  if (table_ != nullptr) {
    const std::byte* x = operands[0];
    for (int64_t i = 0; i < n; ++i) result[i] = (*table_)[static_cast<uint8_t>(x[i])];
    return;
  }
  // What one instruction needs: a few registers of a block.
  constexpr int64_t kStackBytes = 48 << 10;
  alignas(64) std::byte scratch[kStackBytes];
  if (program_->scratch_bytes() <= kStackBytes) {
    program_->Run(operands, {&result, 1}, n, scratch);
    return;
  }
  const runtime::KeptBytes storage(program_->scratch_bytes());
  program_->Run(operands, {&result, 1}, n, storage.data());
}

void BlockFunction::MakeTable() {
  const runtime::FloatEnvironmentGuard guard;
  std::array<std::byte, 256> patterns;
  for (int i = 0; i < 256; ++i) patterns[i] = static_cast<std::byte>(i);
  const std::byte* operand = patterns.data();
  auto table = std::make_shared<std::array<std::byte, 256>>();
  (*this)({&operand, 1}, table->data(), 256);
  table_ = std::move(table);
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
  BlockFunction function(builder.Build());
  const ElementType type = instruction.shape().element_type();
  if (instruction.operand_count() == 1 && instruction.info().accuracy == Accuracy::kFunction &&
      IsFloat(type) && Info(type).bits <= 8) {
    function.MakeTable();
  }
  return function;
}

}  // namespace assay::cpu
