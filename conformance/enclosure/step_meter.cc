#include "conformance/enclosure/step_meter.h"

#include "absl/strings/str_cat.h"
#include "runtime/interrupt.h"

namespace assay::conformance {

absl::Status StepMeter::Charge(const Instruction& instruction, int64_t steps) {
  if (steps == kTooMany) return instruction.shape().ByteSize().status();
  steps_ += steps;
  if (budget_.steps >= 0 && steps_ > budget_.steps) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the budget of steps is spent at ", instruction.Describe()));
  }
  if (budget_.seconds < 0 || steps_ < next_look_) return absl::OkStatus();
  constexpr int64_t kStepsBetweenLooks = 4096;
  next_look_ = steps_ + kStepsBetweenLooks;
  if (absl::Status interrupted = runtime::CheckInterrupt(); !interrupted.ok()) return interrupted;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (seconds > budget_.seconds) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the budget of time is spent at ", instruction.Describe()));
  }
  return absl::OkStatus();
}

}  // namespace assay::conformance
