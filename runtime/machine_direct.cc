// Calls, loops and branches on small values without activations: a loop over the steps of a callee,
// which the planner has found to be nothing but kernels on values in frames (plan_frames.cc). A
// loop on arrays of a few elements spends most of its time on what leads from step to step.
// Charges and messages are those of activations. Tests: interpreter/plan_values_test.cc,
// budgets_test.cc.
#include <algorithm>
#include <new>

#include "runtime/copy_runs.h"
#include "runtime/machine.h"

namespace assay::runtime {
namespace {

absl::Status NoScratch() {
  return absl::ResourceExhaustedError("the machine has no memory left for the scratch it needs");
}

}  // namespace

bool Machine::RunsDirectly(const Step& step) const {
  if (!step.is_direct || !options_.observers.empty() || values_ != nullptr) return false;
  if (options_.budget.call_depth < 0) return true;
  int64_t levels = 0;
  for (const ComputationPlan* callee : step.callees) {
    levels = std::max<int64_t>(levels, callee->direct_levels);
  }
  return static_cast<int64_t>(stack_.size()) + levels - 1 <= options_.budget.call_depth;
}

// What RunKernel does, for steps of which nothing changes from run to run, without its questions.
absl::Status Machine::RunSteps(const ComputationPlan& plan, Frame& frame) {
  const bool is_bound = frame.is_bound && options_.budget.elements < 0;
  const Step* running = nullptr;
  try {
    for (const Step& step : plan.steps) {
      running = &step;
      if (absl::Status status = context_.Charge(1); !status.ok()) return Locate(status, step);
      if (is_bound && step.kind == StepKind::kKernel && !step.makes_local) {
        stored_bytes_ += step.stored_bytes;
        const absl::Status status = step.kernel->Execute(
            {frame.operands.data() + step.first_operand, step.operands.size()},
            {frame.results.data() + step.first_result, step.results.size()}, context_);
        if (stats_ != nullptr) state_->AfterStep(*step.instruction);
        if (!status.ok()) return Locate(status, step);
      } else {
        const absl::Status status = step.kind == StepKind::kKernel ? RunKernel(plan, frame, step)
                                                                   : RunDirect(plan, frame, step);
        if (!status.ok()) return Locate(status, step);
      }
      if (step.released_bytes > 0) memory_->Release(step.released_bytes);
    }
  } catch (const std::bad_alloc&) {  // scratch that nobody counts
    return Locate(NoScratch(), *running);
  }
  return absl::OkStatus();
}

absl::Status Machine::RunDirect(const ComputationPlan& plan, Frame& frame, const Step& step) {
  if (step.kind == StepKind::kWhile) return RunDirectLoop(plan, frame, step);
  int64_t callee = 0;
  if (step.kind == StepKind::kConditional) {
    const absl::StatusOr<int64_t> branch = SelectedBranch(plan, frame, step);
    if (!branch.ok()) return branch.status();
    callee = *branch;
  }
  const ComputationPlan& called = *step.callees[callee];
  const absl::StatusOr<Frame*> inner = TakeFrame(called);
  if (!inner.ok()) return inner.status();
  runtime::CopyRuns(step.given[callee], frame.arena.get(), (*inner)->arena.get());
  absl::Status status = RunSteps(called, **inner);
  if (!status.ok()) return status;
  runtime::CopyRuns(step.returned[callee], (*inner)->arena.get(), frame.arena.get());
  ReturnFrame(called, *inner);
  return absl::OkStatus();
}

absl::Status Machine::RunDirectLoop(const ComputationPlan& plan, Frame& frame, const Step& step) {
  const ComputationPlan& condition = *step.callees[0];
  const ComputationPlan& body = *step.callees[1];
  // The state lives in the result slots.
  for (size_t i = 0; i < step.operands.size(); ++i) {
    Transfer(plan, frame, step.operands[i], /*move=*/false, plan, frame, step.results[i]);
  }
  const absl::StatusOr<Frame*> condition_frame = TakeFrame(condition);
  if (!condition_frame.ok()) return condition_frame.status();
  const absl::StatusOr<Frame*> body_frame = TakeFrame(body);
  if (!body_frame.ok()) return body_frame.status();
  std::byte* const state = frame.arena.get();
  std::byte* const asked = (*condition_frame)->arena.get();
  std::byte* const changed = (*body_frame)->arena.get();
  const std::byte* const go = Data(condition, **condition_frame, condition.roots[0].slot);
  while (true) {
    runtime::CopyRuns(step.given[0], state, asked);
    absl::Status status = RunSteps(condition, **condition_frame);
    if (!status.ok()) return status;
    if ((*go & std::byte{1}) == std::byte{0}) break;
    runtime::CopyRuns(step.given[1], state, changed);
    status = RunSteps(body, **body_frame);
    if (!status.ok()) return status;
    runtime::CopyRuns(step.returned[1], changed, state);
    if (status = context_.Charge(1); !status.ok()) return status;
  }
  ReturnFrame(condition, *condition_frame);
  ReturnFrame(body, *body_frame);
  return absl::OkStatus();
}

}  // namespace assay::runtime
