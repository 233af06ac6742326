// The context of every step of a run: the budget, the account of scratch memory, the threads that
// share long loops, and the caller of computations. Every thread has its own. Tests:
// engine_test.cc, interpreter/budgets_test.cc.
#ifndef ASSAY_RUNTIME_CONTEXT_H_
#define ASSAY_RUNTIME_CONTEXT_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/budget.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::runtime {

class WorkerPool;  // parallel.h

// Runs called computations for a step.
class ComputationCaller {
 public:
  virtual ~ComputationCaller() = default;
  // Runs a computation on literals, for regions that are not flat (spec/analysis).
  virtual absl::StatusOr<Literal> Call(const Computation& computation,
                                       absl::Span<const Literal> arguments) = 0;
};

// Counts the memory that steps allocate temporarily.
class ScratchAccount {
 public:
  virtual ~ScratchAccount() = default;
  // Returns RESOURCE_EXHAUSTED if the bytes exceed the budget.
  virtual absl::Status Reserve(int64_t bytes) = 0;
  virtual void Release(int64_t bytes) = 0;
};

struct Context {
  ComputationCaller* caller = nullptr;  // null if all regions are flat
  Budget* budget = nullptr;             // null for unlimited
  ScratchAccount* scratch = nullptr;    // null to count nothing; thread-safe
  // The threads that share the blocks of long loops (parallel.h); null for this thread alone.
  // Results do not depend on it.
  WorkerPool* workers = nullptr;

  absl::Status Charge(int64_t steps) {
    return budget == nullptr ? absl::OkStatus() : budget->Charge(steps);
  }
  absl::Status ChargeCostly(int64_t steps) {
    return budget == nullptr ? absl::OkStatus() : budget->ChargeCostly(steps);
  }

  // A loop that several threads share (parallel.h). Each thread has a context of its own.
  struct Loop;
};

struct Context::Loop {
  explicit Loop(Context& context) : context(context) {}
  struct Thread {
    explicit Thread(const Loop& loop) : context(loop.context) {
      context.caller = nullptr;
      context.workers = nullptr;
    }
    Context context;
  };
  Context& context;
};

// Charges a budget in portions, so that long runs stop in time and short ones have little overhead.
class Meter {
 public:
  explicit Meter(Context& context) : context_(context) {}
  absl::Status Add(int64_t steps) {
    pending_ += steps;
    return pending_ < kPortion ? absl::OkStatus() : Flush();
  }
  absl::Status Flush() {
    const int64_t steps = pending_;
    pending_ = 0;
    return context_.Charge(steps);
  }

 private:
  static constexpr int64_t kPortion = 1 << 13;
  Context& context_;
  int64_t pending_ = 0;
};

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_CONTEXT_H_
