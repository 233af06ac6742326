// Runs a kernel on the processor: every thread of a block is a fiber, blocks run one after the
// other, and a schedule decides which thread goes on when one waits. A launch that CUDA would
// reject, that would hang a GPU, or whose behaviour is undefined ends in an error with its place in
// the source. The emulator does not model relaxed memory, pre-emption, registers, banks and
// occupancy. Tests: emulator_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_EMULATOR_LAUNCH_H_
#define ASSAY_BACKENDS_CUDA_EMULATOR_LAUNCH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "backends/cuda/dialect/entry.h"
#include "backends/cuda/emulator/calls.h"

namespace assay::cuda::emulator {

class AccessTrace;  // access_trace.h

// The rule that selects the next thread. A thread always runs until it waits or ends.
enum class Schedule : uint8_t {
  kForward,   // blocks and threads in ascending order, round after round
  kBackward,  // in descending order
  kRandom,    // in an order that is drawn for each launch, and for threads in each round
  kRunAhead,  // warps have random priorities, and the first that can run does: it runs far ahead
};
absl::string_view Name(Schedule schedule);
std::optional<Schedule> ScheduleFromName(absl::string_view name);

// The launch limits that all GPUs from compute capability 8.0 on share.
struct Limits {
  int64_t block_threads = 1024;
  int64_t static_shared_bytes = 48 << 10;
  int64_t shared_bytes = 48 << 10;  // static and dynamic together
  int64_t parameter_bytes = 4096;
  // For checked kernels: a thread that makes more memory accesses than this without waiting is
  // assumed to wait for another thread in a loop.
  int64_t thread_accesses = int64_t{1} << 27;
};

struct LaunchConfig {
  Extent grid, block;
  int64_t shared_bytes = 0;  // dynamic
};

struct LaunchOptions {
  Schedule schedule = Schedule::kForward;
  uint64_t seed = 0;  // the seed of kRandom and kRunAhead
  Limits limits = {};
  // A barrier (__syncthreads and its siblings, __syncwarp) that threads pass without waiting, as
  // "file:line" with the file's last path component: barrier mutants.
  std::string omitted_barrier = {};
  // True for kernels of the checked build (checker/).
  bool checked = false;
  // Records the memory accesses of checked kernels. Null for none.
  AccessTrace* trace = nullptr;
};

// Returns OK if CUDA would accept the launch, otherwise INVALID_ARGUMENT with the limit that it
// exceeds.
absl::Status CheckLaunch(const Entry& entry, const LaunchConfig& config, const Limits& limits);

// Runs a launch. Returns INVALID_ARGUMENT beyond the limits, and FAILED_PRECONDITION if the kernel
// breaks a rule of synchronisation or of shared memory; its earlier writes to memory remain.
absl::Status Launch(const Entry& entry, const LaunchConfig& config, void** parameters,
                    const LaunchOptions& options);

// Returns the barriers that launches of this host thread have passed since the last call, as
// "file:line".
std::vector<std::string> TakeBarrierSites();

}  // namespace assay::cuda::emulator

#endif  // ASSAY_BACKENDS_CUDA_EMULATOR_LAUNCH_H_
