// Interrupts running work: the caller of the work provides a predicate, which all code that counts
// a budget checks. Python's Ctrl-C uses it. Tests: interpreter/budgets_test.cc,
// python/tests/bad_input_test.py.
#ifndef ASSAY_RUNTIME_INTERRUPT_H_
#define ASSAY_RUNTIME_INTERRUPT_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace assay::runtime {

// A scope in which work of this thread calls `wanted` and ends with CANCELLED if it returns true.
// Only this thread calls it, and often. Scopes nest; the innermost one applies.
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

// Returns CANCELLED if this thread shall end its work, otherwise OK. Cheap.
absl::Status CheckInterrupt();

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_INTERRUPT_H_
