// The table of functions (api.h) over emulated devices. Streams execute nothing until the host
// waits. The seed then selects the next operation among the streams that are ready, so that a
// program that does not wait for an event or does not synchronise gives wrong results for some
// seeds. Memory is poisoned when it is allocated, when it is freed in stream order, and host memory
// when a copy to it is enqueued. Calls can be made to fail. An instance is thread-safe and runs one
// call at a time. Tests: device_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_RUNTIME_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_RUNTIME_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "backends/cuda/device/api.h"
#include "backends/cuda/emulator/access_trace.h"
#include "backends/cuda/emulator/launch.h"

namespace assay::cuda {

struct EmulatorOptions {
  emulator::Schedule schedule = emulator::Schedule::kForward;
  uint64_t seed = 0;
  int devices = 1;
  int64_t device_bytes = int64_t{8} << 30;
  // The kernels; null for those of the plain build.
  const Entry* const* groups = nullptr;
  // The number, from 1, of the call that fails with `fault`; 0 if none does. Later calls succeed
  // again unless the error is sticky.
  int64_t failing_call = 0;
  Error fault = Error::kSuccess;
  int driver_version = 13000;  // 0 emulates a missing driver
  std::string omitted_barrier = {};
  // The maximum number of blocks of a launch; 0 for no limit. With few blocks, kernels that loop
  // over the grid do so on small arrays too.
  int64_t most_blocks = 0;
  // True if the kernels are of the checked build. Memory then has a shadow, and copying
  // uninitialised memory to the host is an error.
  bool checked = false;
  // Traces the accesses to memory of checked kernels (emulator/access_trace.h).
  bool traced = false;
};

// The counts of an instance.
struct EmulatorCounts {
  int64_t calls = 0, launches = 0, copies = 0, copied_bytes = 0, synchronisations = 0;
  int64_t graph_launches = 0;
  int64_t live_bytes = 0, peak_bytes = 0;  // of all devices
  int64_t live_allocations = 0, live_streams = 0, live_events = 0, live_graphs = 0;
  int64_t live_host_blocks = 0;  // page-locked memory
};

class EmulatedRuntime : public Api {
 public:
  static std::unique_ptr<EmulatedRuntime> Create(const EmulatorOptions& options);
  virtual EmulatorCounts counts() const = 0;
  // Returns the traces of the kernels that have run since the last call, in the order of their
  // names.
  virtual std::vector<emulator::KernelTrace> TakeTraces() = 0;
  // Makes the call with this number, counted from now on, fail.
  virtual void Inject(int64_t failing_call, Error fault) = 0;
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_RUNTIME_H_
