// What a run may use, and the count of what it has used. Tests: interpreter/budgets_test.cc.
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

// The limits of one run; the defaults suit a laptop. Exceeding one is RESOURCE_EXHAUSTED and names
// the instruction. Negative: unlimited.
struct RunBudget {
  int64_t bytes = int64_t{4} << 30;  // live values, arguments included
  int64_t elements = -1;             // of any one value
  int64_t steps = -1;                // element operations
  int64_t call_depth = 20000;        // calls, loops and branches inside each other
  double seconds = 600;              // wall time
  // Threads that compute together, 1 to kMostThreads; negative: one for each processor, 16 at most.
  // No result depends on it.
  int64_t threads = -1;
  static constexpr int64_t kMostThreads = 1024;
};

// Element steps and wall time, counted together over nested calls.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  // Negative: unlimited, and so are 10^9 seconds or more.
  Budget(int64_t steps, double seconds);
  Budget() : Budget(-1, -1) {}

  // Charges `steps` element operations. RESOURCE_EXHAUSTED when steps or time have run out. Cheap
  // enough for every instruction and for every few thousand elements; safe from several threads.
  // Looks at the clock once in 65536 steps.
  absl::Status Charge(int64_t steps) {
    const int64_t spent = Add(steps);
    if (spent >= 0 && spent < next_check_.load(std::memory_order_relaxed)) return absl::OkStatus();
    return Check(spent);
  }
  // As Charge, and looks at the clock: for steps that may take milliseconds each.
  absl::Status ChargeCostly(int64_t steps);
  int64_t spent() const { return spent_.load(std::memory_order_relaxed); }

 private:
  // The total after `steps` more. A process with one thread need not pay for an atomic addition,
  // which would be a good part of what a step on few elements takes.
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
  std::atomic<int64_t> next_check_{0};  // steps that may be spent before the next one
  int64_t limit_;
  double seconds_;
  Clock::time_point deadline_;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_BUDGET_H_
