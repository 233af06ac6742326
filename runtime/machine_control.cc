// How a machine runs calls, loops and branches: by activations, or where a step says so by loops
// over the steps of its callees (machine_direct.cc). Tests: interpreter/plan_values_test.cc.
#include <algorithm>

#include "runtime/machine.h"

namespace assay::runtime {

absl::Status Machine::StartControl(const Step& step) {
  switch (step.kind) {
    case StepKind::kWhile:
      return StartWhile(step);
    case StepKind::kConditional:
      return StartConditional(step);
    default:
      return StartCall(step);
  }
}

absl::Status Machine::StartCall(const Step& step) {
  const ComputationPlan& callee = *step.callees[0];
  const absl::StatusOr<Frame*> frame = TakeFrame(callee);
  if (!frame.ok()) return frame.status();
  PassOperands(step, 0, 0, **frame);
  return Push(callee, *frame);
}

absl::StatusOr<int64_t> Machine::SelectedBranch(const ComputationPlan& plan, Frame& frame,
                                                const Step& step) const {
  const ElementType type = plan.slots[step.operands[0]].shape->element_type();
  const absl::StatusOr<Element> value = ReadScalar(plan, frame, step.operands[0]);
  if (!value.ok()) return value.status();
  return runtime::SelectedBranch(type, *value, static_cast<int64_t>(step.callees.size()));
}

absl::Status Machine::StartConditional(const Step& step) {
  Activation& top = stack_.back();
  const absl::StatusOr<int64_t> selected = SelectedBranch(*top.plan, *top.frame, step);
  if (!selected.ok()) return selected.status();
  const int64_t branch = *selected;
  size_t first = 1;
  for (int64_t i = 0; i < branch; ++i) first += step.callees[i]->parameters.size();
  const ComputationPlan& callee = *step.callees[branch];
  const absl::StatusOr<Frame*> frame = TakeFrame(callee);
  if (!frame.ok()) return frame.status();
  PassOperands(step, branch, first, **frame);
  // What only the other branches would have read.
  for (size_t i = 1; i < step.operands.size(); ++i) {
    if (step.uses[i] != OperandUse::kKeep) ReleaseSlot(*top.plan, *top.frame, step.operands[i]);
  }
  return Push(callee, *frame);
}

absl::Status Machine::StartWhile(const Step& step) {
  Activation& top = stack_.back();
  const ComputationPlan& plan = *top.plan;
  // The state lives in the result slots from the first turn on.
  for (size_t i = 0; i < step.operands.size(); ++i) {
    Transfer(plan, *top.frame, step.operands[i], step.uses[i] != OperandUse::kKeep, plan,
             *top.frame, step.results[i]);
  }
  const absl::StatusOr<Frame*> condition = TakeFrame(*step.callees[0]);
  if (!condition.ok()) return condition.status();
  top.condition_frame = *condition;
  const absl::StatusOr<Frame*> body = TakeFrame(*step.callees[1]);
  if (!body.ok()) return body.status();
  top.body_frame = *body;
  top.iterations = 0;
  return NextIteration(step);
}

absl::Status Machine::NextIteration(const Step& step) {
  if (step.trips < 0) return StartCondition(step);
  Activation& top = stack_.back();
  if (top.iterations++ < step.trips) return StartBody(step);
  return EndLoop(top, step);
}

absl::Status Machine::StartCondition(const Step& step) {
  Activation& top = stack_.back();
  PassState(step, 0, /*move=*/false, *top.condition_frame);
  top.in_condition = true;
  return Push(*step.callees[0], top.condition_frame);
}

absl::Status Machine::StartBody(const Step& step) {
  Activation& top = stack_.back();
  // The condition has let go of the state or will overwrite it: the body may take the buffers.
  for (const int32_t i : step.given[0].others) {
    const Slot& parameter = step.callees[0]->slots[step.callees[0]->parameters[i]];
    if (!parameter.in_frame) top.condition_frame->buffers[parameter.place] = nullptr;
  }
  PassState(step, 1, /*move=*/true, *top.body_frame);
  top.in_condition = false;
  return Push(*step.callees[1], top.body_frame);
}

absl::Status Machine::Finish() {
  const Activation child = stack_.back();
  stack_.pop_back();
  Activation& parent = stack_.back();
  const Step& step = parent.plan->steps[parent.next];
  if (step.kind != StepKind::kWhile) {
    const auto callee = std::find(step.callees.begin(), step.callees.end(), child.plan);
    MoveRoots(child, step, callee - step.callees.begin(), parent);
    ReturnFrame(*child.plan, child.frame);
    return FinishStep(parent, step);
  }
  if (!parent.in_condition) {
    MoveRoots(child, step, 1, parent);
    absl::Status status = context_.Charge(1);
    return status.ok() ? NextIteration(step) : Locate(status, step);
  }
  const absl::StatusOr<bool> go = ReadCondition(child);
  if (!go.ok()) return Locate(go.status(), step);
  return *go ? StartBody(step) : EndLoop(parent, step);
}

absl::Status Machine::EndLoop(Activation& activation, const Step& step) {
  ReturnFrame(*step.callees[0], activation.condition_frame);
  ReturnFrame(*step.callees[1], activation.body_frame);
  return FinishStep(activation, step);
}

bool Machine::RecordsControl(const Step& step) const {
  if (recorder_ == nullptr || !recorder_->RecordsDecisions()) return false;
  // A short loop is recorded iteration by iteration.
  constexpr int64_t kMostUnrolled = 32;
  if (step.kind == StepKind::kWhile) return step.trips < 0 || step.trips > kMostUnrolled;
  return step.kind == StepKind::kConditional;
}

}  // namespace assay::runtime
