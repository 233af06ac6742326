// The vectorised engine: a kernel for every operation, under the runtime. Elementwise operations
// and regions run as block functions and block programs (vector/), contractions as blocked matrix
// products (contract/), everything else as the kernels of this folder (kernels.h).
// Tests: kernels_test.cc, conformance/runner/cpu_suite_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CPU_ENGINE_H_
#define ASSAY_BACKENDS_CPU_CPU_ENGINE_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "runtime/custom_calls/custom_call.h"
#include "runtime/engine.h"
#include "spec/ir/module.h"
#include "spec/views/view.h"

namespace assay::cpu {

class CpuEngine : public runtime::Engine {
 public:
  // `custom_calls` has targets beside the well-known ones; null for none. It must outlive the
  // engine.
  explicit CpuEngine(const runtime::CustomCallRegistry* custom_calls = nullptr)
      : custom_calls_(custom_calls) {}

  bool AppliesRegion(const Computation& region) const override;
  bool ReadsViews() const override { return true; }
  runtime::KernelOr Prepare(const Instruction& instruction) const override;
  runtime::KernelOr PrepareOnViews(const Instruction& instruction,
                                   absl::Span<const View> views) const override;
  runtime::KernelOr PrepareLoop(const Instruction& loop) const override;
  runtime::KernelOr PrepareFusion(const Instruction& fusion) const override;
  runtime::KernelOr PrepareCollective(const Instruction& collective, int64_t members,
                                      int64_t position) const override;
  runtime::EffectOr PrepareEffect(const Instruction& instruction) const override;
  std::unique_ptr<runtime::EngineState> NewState(bool counted) const override;

 private:
  const runtime::CustomCallRegistry* const custom_calls_;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CPU_ENGINE_H_
