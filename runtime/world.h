// All processes of a run. They take turns in order, each until it waits for another or is done, so
// that runs are deterministic; where nobody can go on it is a deadlock, and the error says who
// waits for whom. Nothing ever waits by the clock.
// Source: reference ops_control_and_collectives.md 6. Tests: world_test.cc.
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
  World(absl::Span<const Program> programs, const RunOptions& options, RunStats* stats);
  ~World();

  // The value of the entry's root by program and process.
  absl::StatusOr<std::vector<std::vector<Literal>>> Run();

  const RunOptions& options() const { return options_; }
  // Shared by the processes, of which one runs at a time.
  WorkerPool& workers() { return workers_; }
  Rendezvous& rendezvous() { return rendezvous_; }
  Channels& channels() { return channels_; }
  // Whether a frame may keep references of so many bytes, which are not counted as values: a few
  // frames do, those of very many processes do without.
  bool MayBind(int64_t bytes) {
    constexpr int64_t kMost = int64_t{16} << 20;
    if (bytes > kMost - bound_bytes_) return false;
    bound_bytes_ += bytes;
    return true;
  }
  // Whether a frame may have an arena of so many bytes that are not counted: the values in them
  // are. Those of very many processes are counted as a whole.
  bool MayHold(int64_t bytes) {
    constexpr int64_t kMost = int64_t{64} << 20;
    if (bytes > kMost - held_bytes_) return false;
    held_bytes_ += bytes;
    return true;
  }
  // Where the values of a process lie; null: in the host's memory. Set before the process runs.
  ValueMemory* ValuesOf(const Process& process) const {
    const auto found = values_.find(&process);
    return found == values_.end() ? nullptr : found->second;
  }
  void SetValuesOf(const Process& process, ValueMemory& memory) { values_[&process] = &memory; }
  // An array where the values of the process lie: itself, or a copy if it came from elsewhere.
  absl::StatusOr<Literal> OwnedBy(const Process& process, const Literal& array) const;
  // Processes in all.
  int64_t process_count() const { return static_cast<int64_t>(runners_.size()); }
  // Whether a process has run to its end.
  bool IsFinished(const ProcessId& id) const;
  // "replica 1, partition 0 of program b": as much as it takes to tell processes apart.
  std::string Name(const ProcessId& id) const;

 private:
  struct Runner;  // a process and its machine
  absl::Status RunAll();
  absl::Status Deadlock() const;
  // What must not be left over.
  absl::Status CheckEnd() const;
  absl::Status InProcess(const absl::Status& status, const Runner& runner) const;
  void WriteStats();

  absl::Span<const Program> programs_;
  const RunOptions& options_;
  RunStats* stats_;
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
