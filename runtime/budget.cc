#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include <limits>

#include "absl/strings/str_cat.h"
#include "runtime/budget.h"

namespace assay::runtime {
namespace {
// Looking at the clock costs tens of nanoseconds: once in so many steps is often enough.
constexpr int64_t kStepsBetweenClockChecks = 1 << 16;
// The total after `steps` more. A process with one thread need not pay for an atomic addition,
// which would be a good part of what a step on few elements takes.
int64_t AddTo(std::atomic<int64_t>& total, int64_t steps) {
#if __has_include(<sys/single_threaded.h>)
  if (__libc_single_threaded != 0) {
    const int64_t sum = total.load(std::memory_order_relaxed) + steps;
    total.store(sum, std::memory_order_relaxed);
    return sum;
  }
#endif
  return total.fetch_add(steps, std::memory_order_relaxed) + steps;
}

// Longer than anybody waits; the clock counts nanoseconds in 63 bits.
constexpr double kForever = 1e9;
}  // namespace

Budget::Budget(int64_t steps, double seconds)
    : limit_(steps < 0 ? std::numeric_limits<int64_t>::max() : steps),
      seconds_(seconds < kForever ? seconds : -1) {
  if (seconds_ >= 0) {
    deadline_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
}

absl::Status Budget::Charge(int64_t steps) {
  const int64_t spent = AddTo(spent_, steps);
  if (spent > limit_ || spent < 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the budget of ", limit_, " element steps is spent"));
  }
  if (seconds_ >= 0 && spent >= next_clock_check_.load(std::memory_order_relaxed)) {
    next_clock_check_.store(spent + kStepsBetweenClockChecks, std::memory_order_relaxed);
    return CheckClock();
  }
  return absl::OkStatus();
}

absl::Status Budget::ChargeCostly(int64_t steps) {
  absl::Status status = Charge(steps);
  return status.ok() ? CheckClock() : status;
}

absl::Status Budget::CheckClock() {
  if (seconds_ < 0 || Clock::now() <= deadline_) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the budget of ", seconds_, " seconds is spent"));
}

}  // namespace assay::runtime
