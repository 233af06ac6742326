// Repeats runs of a module on devices without issuing their kernels one by one. A run whose work is
// the same for all arguments, but for the course of its loops and branches (ModulePlan::repeats),
// is recorded once: the machines go through the module without computing anything. Later runs copy
// their arguments to the places of the record, execute it and copy the results from their places.
// Tests: backends/cuda/cuda_graphs_test.cc, cuda_records_test.cc.
#ifndef ASSAY_RUNTIME_REPLAY_H_
#define ASSAY_RUNTIME_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/budget.h"
#include "runtime/engine.h"
#include "runtime/run.h"
#include "spec/element/element.h"
#include "spec/ir/literal.h"

namespace assay::runtime {

// The places of the values of one device, by leaf; null for tokens. They stay valid as long as the
// record.
struct RecordedPlaces {
  struct Place {
    std::byte* data = nullptr;
    int64_t bytes = 0;
  };
  std::vector<Place> arguments, results;
};

// What a run has used so far.
struct RunTotals {
  int64_t steps = 0;         // that the budget counts
  int64_t stored_bytes = 0;  // that kernels have written
};

// Returns the branch that a conditional runs for the value of its selector.
int64_t SelectedBranch(ElementType type, Element selector, int64_t branches);

// Records the course of a run: parts without decisions, loops and branches. A machine that records
// goes once through the body of each loop and through each branch.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // Returns true if loops and branches may be recorded whose course depends on values.
  virtual bool RecordsDecisions() const = 0;
  // Records a copy of a scalar to the host, which reads it before it goes on. The copy goes to
  // `to`, or if that is null to a place that is returned.
  virtual absl::StatusOr<std::byte*> RecordDecision(const std::byte* scalar, int64_t bytes,
                                                    std::byte* to) = 0;
  // Starts the body of a loop. It runs as long as the predicate at `condition` is true, or `trips`
  // times if `condition` is null.
  virtual absl::Status BeginLoop(const std::byte* condition, int64_t trips) = 0;
  virtual absl::Status EndLoop() = 0;
  virtual absl::Status BeginBranches(const std::byte* selector, ElementType type) = 0;
  // Called before each branch, in their order.
  virtual absl::Status BeginBranch() = 0;
  virtual absl::Status EndBranches() = 0;
};

// The replayer of one run, which may be on several devices.
class Replayer {
 public:
  virtual ~Replayer() = default;
  enum class Mode : uint8_t {
    kRun,     // the machines issue their kernels
    kRecord,  // the run is recorded, and then replayed
    kReplay,
  };
  // Selects the mode of the run that is about to start.
  virtual Mode Begin() = 0;
  // Returns the state of device number `device` for a machine that runs or records.
  virtual std::unique_ptr<EngineState> NewState(int64_t device) = 0;
  // Tells that the machines have run without an error.
  virtual void AfterRun() = 0;
  // Starts a record. `totals` are those of the machines that record. At most `staged_bytes` of
  // arguments and results are copied in each run.
  virtual absl::StatusOr<Recorder*> StartRecording(std::function<RunTotals()> totals,
                                                   int64_t staged_bytes) = 0;
  // Ends the record. `places` are by device.
  virtual absl::Status EndRecording(std::vector<RecordedPlaces> places, int64_t peak_bytes) = 0;
  // Drops the record: this run and all later ones issue their kernels.
  virtual void RefuseRecord() = 0;
  // Drops the record: this run issues its kernels, and a later one is recorded.
  virtual void DropRecord() = 0;
  // Returns the peak of live values of the record, without what the host holds.
  virtual int64_t peak_bytes() const = 0;
  // Executes the record, charges the budget, and returns the values of the root by device. Adds the
  // bytes that kernels have written to `stored_bytes`.
  virtual absl::StatusOr<std::vector<Literal>> Replay(
      absl::Span<const std::vector<Literal>> arguments, const Shape& result, Budget& budget,
      int64_t* stored_bytes) = 0;
  virtual void AddStats(RunStats& stats) const = 0;
};

// Returns the replayer of a run, or null if its work may differ from run to run or nothing can
// repeat it.
std::unique_ptr<Replayer> ReplayerOf(absl::Span<const Program> programs, const RunOptions& options);
// Records a run of one program. Returns an error if it cannot be recorded.
absl::Status Record(absl::Span<const Program> programs, const RunOptions& options,
                    Replayer& replayer);
// Runs the record of a program. Results and errors are those of RunPrograms.
absl::StatusOr<std::vector<std::vector<Literal>>> ReplayRun(const Program& program,
                                                            const RunOptions& options,
                                                            Replayer& replayer, RunStats* stats);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_REPLAY_H_
