// Repeats runs of a module on a device without issuing their kernels one by one. A run whose work
// is always the same (ModulePlan::repeats) is recorded once. Later runs copy their arguments to the
// places of the recorded run, execute the record and copy the results from their places. Tests:
// backends/cuda/cuda_graphs_test.cc.
#ifndef ASSAY_RUNTIME_REPLAY_H_
#define ASSAY_RUNTIME_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"

namespace assay::runtime {

// The places of a recorded run's values in the memory of the device, and the counts of the run. The
// places stay valid as long as the record.
struct RecordedRun {
  std::vector<std::byte*> arguments;  // by leaf; null for tokens
  std::vector<std::byte*> results;    // by leaf; null for tokens
  int64_t steps = 0;                  // that the budget counts
  int64_t stored_bytes = 0;
  int64_t peak_bytes = 0;
};

class Replayer {
 public:
  virtual ~Replayer() = default;
  enum class Mode : uint8_t {
    kRun,     // issues its kernels
    kRecord,  // issues its kernels to the record, which is executed once it is complete
    kReplay,  // executes the record
  };
  // Selects the mode of a run that is about to start.
  virtual Mode Begin() = 0;
  // Tells that a run that is not a replay has ended without an error, and its steps.
  virtual void End(int64_t steps) = 0;
  // Starts the record, after the arguments have been copied.
  virtual absl::Status StartRecording() = 0;
  // Ends the record and executes it. `run` becomes recorded().
  virtual absl::Status EndRecording(RecordedRun run) = 0;
  virtual const RecordedRun& recorded() const = 0;
  virtual absl::Status Replay() = 0;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_REPLAY_H_
