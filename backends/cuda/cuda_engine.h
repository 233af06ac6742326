// The engine of the CUDA backend under the runtime: a kernel of the runtime enqueues the launches
// that the table (kernel_table.h) prepares. Values are in the memory of the device (cuda_values.h),
// and the host waits when it reads one. Tests: cuda_backend_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CUDA_ENGINE_H_
#define ASSAY_BACKENDS_CUDA_CUDA_ENGINE_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/cuda/cuda_values.h"
#include "backends/cuda/device_pool.h"
#include "backends/cuda/graph_replayer.h"
#include "backends/cuda/kernel_table.h"
#include "backends/cuda/libraries/provider.h"
#include "backends/cuda/text/text_kernels.h"
#include "runtime/custom_calls/custom_call.h"
#include "runtime/value_memory.h"

namespace assay::cuda {

class CudaEngine : public runtime::DeviceEngine {
 public:
  // `graphs` keeps runs as graphs (graph_replayer.h); null for none. `texts` has generated kernels;
  // null for none. `provider` calls libraries; null for none. `custom_calls` has targets beside the
  // well-known ones; null for none. It must outlive the engine.
  CudaEngine(std::shared_ptr<DevicePool> pool, std::shared_ptr<GraphCache> graphs,
             std::shared_ptr<text::TextKernels> texts = nullptr,
             std::shared_ptr<libraries::LibraryProvider> provider = nullptr,
             const runtime::CustomCallRegistry* custom_calls = nullptr)
      : pool_(std::move(pool)),
        texts_(std::move(texts)),
        provider_(std::move(provider)),
        graphs_(std::move(graphs)),
        custom_calls_(custom_calls) {}

  bool AppliesRegion(const Computation& region) const override;
  bool ReadsViews() const override { return true; }
  runtime::KernelOr Prepare(const Instruction& instruction) const override;
  runtime::KernelOr PrepareOnViews(const Instruction& instruction,
                                   absl::Span<const View> views) const override;
  runtime::KernelOr PrepareFusion(const Instruction& fusion) const override;
  runtime::KernelOr PrepareViewCopy(const View& view, ElementType type) const override;
  runtime::KernelOr PrepareCollective(const Instruction& collective, int64_t members,
                                      int64_t position) const override;
  bool RunsTogether(const Instruction& collective,
                    absl::Span<runtime::ValueMemory* const> memories) const override;
  absl::Status RunTogether(const Instruction& collective,
                           absl::Span<const runtime::MemberValues> members,
                           runtime::Context& context) const override;
  runtime::EffectOr PrepareEffect(const Instruction& instruction) const override;
  std::unique_ptr<runtime::EngineState> NewState(bool counted) const override;
  std::unique_ptr<runtime::Replayer> NewReplayer(int64_t devices) const override;

 private:
  // Returns the kernel of a plan.
  runtime::KernelOr MakeKernel(absl::StatusOr<KernelPlan> plan,
                               const Instruction& instruction) const;

  const std::shared_ptr<DevicePool> pool_;
  const std::shared_ptr<text::TextKernels> texts_;
  const std::shared_ptr<libraries::LibraryProvider> provider_;
  const std::shared_ptr<ConstantCache> constants_ = std::make_shared<ConstantCache>();
  const std::shared_ptr<GraphCache> graphs_;  // null if runs are not recorded
  const runtime::CustomCallRegistry* const custom_calls_;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_CUDA_ENGINE_H_
