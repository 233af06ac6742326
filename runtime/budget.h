// The budget of a run, and the count of the steps and time that it has used. Tests:
// interpreter/budgets_test.cc.
#ifndef ASSAY_RUNTIME_BUDGET_H_
#define ASSAY_RUNTIME_BUDGET_H_

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <atomic>
#include <chrono>
#include <cstdint>

#include "absl/status/status.h"

namespace assay::runtime {

// The limits of one run. The defaults suit a laptop. Exceeding a limit returns RESOURCE_EXHAUSTED
// with the name of the instruction. A negative limit means unlimited.
struct RunBudget {
  int64_t bytes = int64_t{4} << 30;  // of live values, including arguments
  int64_t elements = -1;             // of any one value
  int64_t steps = -1;                // element operations
  int64_t call_depth = 20000;        // nested calls, loops and branches
  double seconds = 600;              // wall time
  // The number of threads, 1 to kMostThreads; negative for one per processor, at most 16. Results
  // do not depend on it.
  int64_t threads = -1;
  static constexpr int64_t kMostThreads = 1024;
};

// Counts element steps and wall time over nested calls.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  // A negative limit means unlimited, and so do 10^9 seconds or more.
  Budget(int64_t steps, double seconds);
  Budget() : Budget(-1, -1) {}

  // Charges `steps` element operations. Returns RESOURCE_EXHAUSTED if steps or time have run out.
  // Cheap enough for every instruction and for every few thousand elements. Thread-safe. Reads the
  // clock once in 65536 steps.
  absl::Status Charge(int64_t steps) {
    const int64_t spent = Add(steps);
    if (spent >= 0 && spent < next_check_.load(std::memory_order_relaxed)) return absl::OkStatus();
    return Check(spent);
  }
  // Like Charge, but always reads the clock, for steps that may take milliseconds each.
  absl::Status ChargeCostly(int64_t steps);
  int64_t spent() const { return spent_.load(std::memory_order_relaxed); }

 private:
  // Adds the steps and returns the total. A process with one thread avoids the atomic addition,
  // which would take a large part of the time of a step on few elements.
  int64_t Add(int64_t steps) {
#if __has_include(<sys/single_threaded.h>)
    if (__libc_single_threaded != 0) {
      const int64_t sum = spent_.load(std::memory_order_relaxed) + steps;
      spent_.store(sum, std::memory_order_relaxed);
      return sum;
    }
#endif
    return spent_.fetch_add(steps, std::memory_order_relaxed) + steps;
  }
  absl::Status Check(int64_t spent);
  absl::Status CheckClock();

  std::atomic<int64_t> spent_{0};
  std::atomic<int64_t> next_check_{0};  // the total at which the limits are checked next
  int64_t limit_;
  double seconds_;
  Clock::time_point deadline_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_BUDGET_H_
