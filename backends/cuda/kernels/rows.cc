// The table of operations that have kernels (kernel_table.h).
#include "absl/strings/str_cat.h"
#include "backends/cuda/kernel_table.h"

namespace assay::cuda {

absl::Span<const KernelRow> KernelRows() { return {}; }

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
