// A way to end work that has begun: whoever starts it says when it should end, and everything that
// counts a budget asks. Ctrl-C of a Python user comes in this way. Tests:
// interpreter/budgets_test.cc, python/tests/bad_input_test.py.
#ifndef ASSAY_RUNTIME_INTERRUPT_H_
#define ASSAY_RUNTIME_INTERRUPT_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace assay::runtime {

// While it lives, `wanted` is asked by what this thread does: true ends the work with CANCELLED.
// It is asked often, and only by this thread. Scopes nest; the innermost one counts.
class ScopedInterrupt {
 public:
  explicit ScopedInterrupt(absl::FunctionRef<bool()> wanted);
  ~ScopedInterrupt();
  ScopedInterrupt(const ScopedInterrupt&) = delete;
  ScopedInterrupt& operator=(const ScopedInterrupt&) = delete;

 private:
  friend absl::Status CheckInterrupt();
  const absl::FunctionRef<bool()> wanted_;
  ScopedInterrupt* const outer_;
};

// CANCELLED if this thread is to end its work; OK where nobody asked for that. Cheap.
absl::Status CheckInterrupt();

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_INTERRUPT_H_
