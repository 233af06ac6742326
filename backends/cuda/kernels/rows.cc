// The table of operations that have kernels (kernel_table.h).
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/cuda/kernel_table.h"
#include "backends/cuda/kernels/lowering.h"

namespace assay::cuda {
namespace {

std::vector<KernelRow> AllRows() {
  std::vector<KernelRow> rows = {
      {Opcode::kBitcast, PrepareBitcast},
      {Opcode::kBitcastConvert, PrepareBitcast},
      {Opcode::kBroadcast, PrepareMove},
      {Opcode::kConcatenate, PrepareMove},
      {Opcode::kCopy, PrepareMove},
      {Opcode::kDynamicSlice, PrepareDynamicSlice},
      {Opcode::kDynamicUpdateSlice, PrepareDynamicUpdateSlice},
      {Opcode::kGather, PrepareGather},
      {Opcode::kIota, PrepareIota},
      {Opcode::kMap, PrepareMap},
      {Opcode::kPad, PrepareMove},
      {Opcode::kReshape, PrepareMove},
      {Opcode::kReverse, PrepareMove},
      {Opcode::kSlice, PrepareMove},
      {Opcode::kTranspose, PrepareMove},
  };
  for (const OpInfo& info : Catalogue()) {
    if (info.elementwise()) rows.push_back({info.opcode, PrepareElementwise, true});
  }
  return rows;
}

}  // namespace

absl::Span<const KernelRow> KernelRows() {
  static const auto& rows = *new std::vector<KernelRow>(AllRows());
  return rows;
}

KernelPlanOr PrepareCollectiveKernels(const Instruction& collective, int64_t /*members*/,
                                      int64_t /*position*/) {
  return absl::UnimplementedError(
      absl::StrCat("the cuda backend has no kernel for ", collective.Describe()));
}

absl::StatusOr<EffectPlan> PrepareEffectKernels(const Instruction& instruction) {
  return absl::UnimplementedError(
      absl::StrCat("the cuda backend has no kernel for ", instruction.Describe()));
}

absl::Status CheckCustomCall(const Instruction& custom_call) {
  return absl::UnimplementedError(
      absl::StrCat("the cuda backend does not know ", custom_call.Describe()));
}

}  // namespace assay::cuda
