// The engine of a device for a handler that runs on the host: its kernels read and write arrays of
// the host, which they copy to the device and back. Tests: backends/factory/custom_call_test.cc.
#ifndef ASSAY_RUNTIME_CUSTOM_CALLS_HOST_ENGINE_H_
#define ASSAY_RUNTIME_CUSTOM_CALLS_HOST_ENGINE_H_

#include <memory>

#include "runtime/engine.h"
#include "runtime/value_memory.h"

namespace assay::runtime::custom_calls {

class HostEngine : public Engine {
 public:
  // `engine` computes on values in `memory`. Both must outlive this object and its kernels.
  HostEngine(const Engine& engine, ValueMemory& memory) : engine_(engine), memory_(memory) {}

  bool AppliesRegion(const Computation& region) const override {
    return engine_.AppliesRegion(region);
  }
  KernelOr Prepare(const Instruction& instruction) const override;
  KernelOr PrepareCollective(const Instruction& collective, int64_t members,
                             int64_t position) const override;
  // UNIMPLEMENTED: a handler starts no effects.
  EffectOr PrepareEffect(const Instruction& instruction) const override;
  std::unique_ptr<EngineState> NewState(bool counted) const override {
    return engine_.NewState(counted);
  }

 private:
  const Engine& engine_;
  ValueMemory& memory_;
};

}  // namespace assay::runtime::custom_calls

#endif  // ASSAY_RUNTIME_CUSTOM_CALLS_HOST_ENGINE_H_
