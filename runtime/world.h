// All devices of a run. They run in turn, each until it waits for another or has finished, so that
// runs are deterministic. If no device can continue, the error of the deadlock tells who waits for
// whom. Nothing waits by the clock. Source: reference ops_control_and_collectives.md 6. Tests:
// world_test.cc.
#ifndef ASSAY_RUNTIME_WORLD_H_
#define ASSAY_RUNTIME_WORLD_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/channels.h"
#include "runtime/machine.h"
#include "runtime/memory.h"
#include "runtime/parallel.h"
#include "runtime/process.h"
#include "runtime/rendezvous.h"
#include "runtime/run.h"
#include "runtime/value_memory.h"

namespace assay::runtime {

class World {
 public:
  // `replayer` provides the devices' states and outlives the world; null for the engine's own.
  World(absl::Span<const Program> programs, const RunOptions& options, RunStats* stats,
        Replayer* replayer = nullptr);
  ~World();

  // Returns the value of the entry's root by program and device.
  absl::StatusOr<std::vector<std::vector<Literal>>> Run();
  // Records the run with the replayer instead. See Replayer::StartRecording for `staged_bytes`.
  absl::Status Record(int64_t staged_bytes);

  const RunOptions& options() const { return options_; }
  Replayer* replayer() const { return replayer_; }
  Recorder* recorder() const { return recorder_; }  // null unless the run is recorded
  // Shared by the devices, of which one runs at a time.
  WorkerPool& workers() { return workers_; }
  Rendezvous& rendezvous() { return rendezvous_; }
  Channels& channels() { return channels_; }
  // Returns true if a frame may keep references of this size, which are not counted as values. The
  // total is limited, so that the frames of very many devices do without.
  bool MayBind(int64_t bytes) {
    constexpr int64_t kMost = int64_t{16} << 20;
    if (bytes > kMost - bound_bytes_) return false;
    bound_bytes_ += bytes;
    return true;
  }
  // Returns true if a frame may have an arena of this size that is not counted; the values in it
  // are. Beyond a total limit, arenas are counted as a whole.
  bool MayHold(int64_t bytes) {
    constexpr int64_t kMost = int64_t{64} << 20;
    if (bytes > kMost - held_bytes_) return false;
    held_bytes_ += bytes;
    return true;
  }
  // Returns the memory of a device's values, or null for host memory. Set before the device runs.
  ValueMemory* ValuesOf(const Process& process) const {
    const auto found = values_.find(&process);
    return found == values_.end() ? nullptr : found->second;
  }
  void SetValuesOf(const Process& process, ValueMemory& memory) { values_[&process] = &memory; }
  // Returns the array in the memory of the device's values: itself, or a copy.
  absl::StatusOr<Literal> OwnedBy(const Process& process, const Literal& array) const;
  // Returns an array of zeros on the host that is counted against the budget of bytes, wherever the
  // values of devices are.
  absl::StatusOr<Literal> ZeroHostArray(const Shape& shape) const;
  // Returns true if a device has finished.
  bool IsFinished(const ProcessId& id) const;
  // Returns "replica 1, partition 0 of program b", without the parts that all devices share.
  std::string Name(const ProcessId& id) const;

 private:
  struct Runner;  // a device and its machine
  absl::Status RunAll();
  absl::Status Deadlock() const;
  // Returns an error for unused messages and feeds at the end of a run.
  absl::Status CheckEnd() const;
  absl::Status InProcess(const absl::Status& status, const Runner& runner) const;
  void WriteStats();

  absl::Span<const Program> programs_;
  const RunOptions& options_;
  RunStats* stats_;
  Replayer* const replayer_;
  Recorder* recorder_ = nullptr;
  Budget budget_;
  WorkerPool workers_;
  std::shared_ptr<MemoryAccount> memory_;
  RandomStates own_random_;
  int64_t bound_bytes_ = 0;
  int64_t held_bytes_ = 0;
  absl::flat_hash_map<const Process*, ValueMemory*> values_;
  Rendezvous rendezvous_;
  Channels channels_;
  std::vector<std::unique_ptr<Runner>> runners_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_WORLD_H_
