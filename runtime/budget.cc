#include "runtime/budget.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "runtime/interrupt.h"

namespace assay::runtime {
namespace {
// Looking at the clock costs tens of nanoseconds: once in so many steps is often enough.
constexpr int64_t kStepsBetweenClockChecks = 1 << 16;
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

absl::Status Budget::Check(int64_t spent) {
  if (spent > limit_ || spent < 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the budget of ", limit_, " element steps is spent"));
  }
  constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  int64_t next = limit_ == kNever ? kNever : limit_ + 1;
  if (seconds_ >= 0 && spent < kNever - kStepsBetweenClockChecks) {
    next = std::min(next, spent + kStepsBetweenClockChecks);
  }
  next_check_.store(next, std::memory_order_relaxed);
  return CheckClock();
}

absl::Status Budget::ChargeCostly(int64_t steps) {
  absl::Status status = Charge(steps);
  return status.ok() ? CheckClock() : status;
}

absl::Status Budget::CheckClock() {
  if (absl::Status interrupted = CheckInterrupt(); !interrupted.ok()) return interrupted;
  if (seconds_ < 0 || Clock::now() <= deadline_) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the budget of ", seconds_, " seconds is spent"));
}

}  // namespace assay::runtime
