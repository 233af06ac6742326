// Counts the steps and seconds of an enclosure against its budget. Tests: enclosure_test.cc and the
// tests of budgets.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_STEP_METER_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_STEP_METER_H_

#include <chrono>
#include <cstdint>
#include <limits>

#include "absl/status/status.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

class StepMeter {
 public:
  // The number of steps of an instruction whose result has more bytes than can be counted.
  static constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();

  explicit StepMeter(const RunBudget& budget) : budget_(budget), start_(Clock::now()) {}

  // Adds steps. Returns RESOURCE_EXHAUSTED, with the instruction's name, beyond the budget.
  absl::Status Charge(const Instruction& instruction, int64_t steps);

 private:
  using Clock = std::chrono::steady_clock;

  const RunBudget budget_;
  const Clock::time_point start_;
  int64_t steps_ = 0, next_look_ = 0;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_STEP_METER_H_
