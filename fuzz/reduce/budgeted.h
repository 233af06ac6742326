// The remaining number of runs of a reduction. Private to fuzz/reduce. Tests: reducer_test.cc.
#ifndef ASSAY_FUZZ_REDUCE_BUDGETED_H_
#define ASSAY_FUZZ_REDUCE_BUDGETED_H_

#include <chrono>

#include "fuzz/reduce/reducer.h"

namespace assay::fuzz {

class Questions {
 public:
  explicit Questions(const ReduceLimits& limits) : limits_(limits) {}
  // Counts a run. Returns false if none is left.
  bool Ask() {
    const std::chrono::duration<double> spent = Clock::now() - start_;
    if (asked_ >= limits_.questions || (limits_.seconds >= 0 && spent.count() > limits_.seconds) ||
        (limits_.stop != nullptr && limits_.stop->load())) {
      refused_ = true;
      return false;
    }
    ++asked_;
    return true;
  }
  int64_t asked() const { return asked_; }
  // Returns true if a limit was in the way of a run.
  bool refused() const { return refused_; }

 private:
  using Clock = std::chrono::steady_clock;
  const ReduceLimits limits_;
  const Clock::time_point start_ = Clock::now();
  int64_t asked_ = 0;
  bool refused_ = false;
};

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_BUDGETED_H_
