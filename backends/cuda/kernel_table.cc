#include "backends/cuda/kernel_table.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/cuda/kernel_groups.h"
#include "backends/cuda/kernels/lowering.h"
#include "spec/analysis/mixed_move.h"

namespace assay::cuda {
namespace {

// The first leaf whose type is not among `types`; null if there is none.
const Shape* FindOtherType(const Shape& shape, uint64_t types) {
  for (const Shape* leaf : Leaves(shape)) {
    if (leaf->is_array() && (TypeBit(leaf->element_type()) & types) == 0) return leaf;
  }
  return nullptr;
}

absl::Status Refuse(const Instruction& instruction, absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat("the cuda backend has no kernel for ", what, instruction.Describe()));
}

}  // namespace

const KernelRow* FindKernelRow(Opcode opcode) {
  for (const KernelRow& row : KernelRows()) {
    if (row.opcode == opcode) return &row;
  }
  return nullptr;
}

const Entry* FindEntry(const Entry* const* groups, const char* name) {
  for (; *groups != nullptr; ++groups) {
    for (const Entry* entry = *groups; entry->name != nullptr; ++entry) {
      if (std::strcmp(entry->name, name) == 0) return entry;
    }
  }
  return nullptr;
}

KernelPlanOr PrepareKernels(const Instruction& instruction, absl::Span<const View> views) {
  const KernelRow* const row = FindKernelRow(instruction.opcode());
  if (row == nullptr) return Refuse(instruction, "");
  const Shape* other = FindOtherType(instruction.shape(), row->types);
  for (const Instruction* operand : instruction.operands()) {
    if (other == nullptr) other = FindOtherType(operand->shape(), row->types);
  }
  if (other != nullptr) {
    return Refuse(instruction, absl::StrCat("elements of ", Name(other->element_type()), ": "));
  }
  if (const auto split = analysis::SplitMixedMove(instruction)) return PrepareMixedMove(*split);
  return row->prepare(instruction, views);
}

}  // namespace assay::cuda
