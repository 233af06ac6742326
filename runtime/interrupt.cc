#include "runtime/interrupt.h"

namespace assay::runtime {
namespace {
thread_local ScopedInterrupt* innermost = nullptr;
}  // namespace

ScopedInterrupt::ScopedInterrupt(absl::FunctionRef<bool()> wanted)
    : wanted_(wanted), outer_(innermost) {
  innermost = this;
}

ScopedInterrupt::~ScopedInterrupt() { innermost = outer_; }

absl::Status CheckInterrupt() {
  if (innermost == nullptr || !innermost->wanted_()) return absl::OkStatus();
  return absl::CancelledError("interrupted");
}

}  // namespace assay::runtime
