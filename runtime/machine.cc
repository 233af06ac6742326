#include "runtime/machine.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "runtime/float_environment.h"
#include "runtime/world.h"

namespace assay::runtime {
namespace {

// Regions that are computations of their own run inside a kernel, on the machine's stack.
constexpr int kMaxNestedRuns = 32;

ValueMemory* MemoryOf(EngineState& state) {
  auto* const on_device = dynamic_cast<DeviceState*>(&state);
  return on_device == nullptr ? nullptr : &on_device->memory();
}

}  // namespace

Machine::Machine(const ModulePlan& module, const RunOptions& options, Process& process,
                 Budget& budget, std::shared_ptr<MemoryAccount> memory, RunStats* stats)
    : module_(module),
      options_(options),
      process_(process),
      stats_(stats),
      memory_(std::move(memory)),
      state_(process.world().replayer() == nullptr
                 ? module.engine().NewState(stats != nullptr)
                 : process.world().replayer()->NewState(process.number())),
      context_(state_->context()),
      values_(MemoryOf(*state_)),
      free_frames_(module.plan_count()) {
  context_.caller = this;
  context_.budget = &budget;
  context_.scratch = memory_.get();
  context_.workers = &process_.world().workers();
  if (values_ != nullptr) process_.world().SetValuesOf(process_, *values_);
}

void Machine::AddStats() const {
  if (stats_ == nullptr) return;
  stats_->stored_bytes += stored_bytes_;
  state_->AddStats(*stats_);
}

absl::Status Machine::Start(const Computation& computation, absl::Span<const Literal> arguments) {
  recorder_ = process_.world().recorder();
  if (absl::Status status = PlaceConstants(); !status.ok()) return status;
  int64_t reserved = 0;  // until the run ends
  absl::Status status = Begin(*module_.plan_of(computation), arguments, &reserved);
  if (!status.ok() || recorder_ == nullptr) return status;
  const Activation& top = stack_.back();
  for (const int32_t slot : top.plan->parameters) {
    argument_places_.push_back(PlaceOf(*top.plan, *top.frame, slot));
  }
  return status;
}

absl::Status Machine::Advance() {
  absl::Status status = RunUntil(1);
  if (!status.ok()) {
    stack_.clear();
    pending_ = nullptr;
    return status;
  }
  finished_ = waits_for() == nullptr;
  return status;
}

absl::StatusOr<Literal> Machine::TakeResult() {
  Literal result = End();
  if (values_ == nullptr) return result;
  return ToHost(result);
}

const Pending* Machine::waits_for() const { return pending_.get(); }

std::vector<const Instruction*> Machine::Path() const {
  std::vector<const Instruction*> path;
  for (const Activation& activation : stack_) {
    if (activation.next == activation.plan->steps.size()) continue;
    path.push_back(activation.plan->steps[activation.next].instruction);
  }
  return path;
}

absl::StatusOr<Literal> Machine::Call(const Computation& computation,
                                      absl::Span<const Literal> arguments) {
  const ComputationPlan* plan = module_.plan_of(computation);
  if (plan == nullptr) {
    return absl::InternalError(absl::StrCat(computation.name(), " was not planned"));
  }
  if (nested_runs_ == kMaxNestedRuns) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "regions are nested deeper than ", kMaxNestedRuns, " levels at ", computation.name()));
  }
  ++nested_runs_;
  const size_t floor = stack_.size();
  int64_t reserved = 0;
  absl::Status status = Begin(*plan, arguments, &reserved);
  if (status.ok()) status = RunUntil(floor + 1);
  if (status.ok() && waits_for() != nullptr) {
    status = absl::InvalidArgumentError(
        absl::StrCat("computation ", computation.name(),
                     " is applied element by element and must not wait for other devices"));
  }
  absl::StatusOr<Literal> result =
      status.ok() ? TakeResult() : absl::StatusOr<Literal>(std::move(status));
  stack_.resize(floor);
  pending_ = nullptr;
  memory_->Release(reserved);
  --nested_runs_;
  return result;
}

absl::Status Machine::Begin(const ComputationPlan& plan, absl::Span<const Literal> arguments,
                            int64_t* reserved) {
  const absl::StatusOr<Frame*> taken = TakeFrame(plan);
  if (!taken.ok()) return taken.status();
  Frame* const frame = *taken;
  size_t next = 0;
  for (const Literal& argument : arguments) {
    for (const Literal& leaf : Flatten(argument)) {
      const int32_t slot = plan.parameters[next++];
      absl::Status status = WriteSlot(plan, *frame, slot, leaf);
      const Slot& info = plan.slots[slot];
      // A copy on a device counts by itself.
      const bool shared = !info.in_frame && values_ == nullptr;
      if (status.ok() && shared) status = memory_->Reserve(info.bytes, *info.shape);
      if (!status.ok()) return status;
      if (shared) *reserved += info.bytes;
    }
  }
  return Push(plan, frame);
}

Literal Machine::End() {
  const Activation top = stack_.back();
  const ComputationPlan& plan = *top.plan;
  std::vector<Literal> leaves;
  leaves.reserve(plan.roots.size());
  for (const RootSlot& root : plan.roots) leaves.push_back(ReadSlot(plan, *top.frame, root.slot));
  ReturnFrame(plan, top.frame);
  stack_.pop_back();
  return Unflatten(plan.computation->root()->shape(), leaves);
}

absl::Status Machine::RunUntil(size_t floor) {
  const bool observed = !options_.observers.empty();
  while (true) {
    Activation& top = stack_.back();
    if (top.next == top.plan->steps.size()) {
      if (stack_.size() == floor) return absl::OkStatus();
      absl::Status status = Finish();
      if (!status.ok()) return status;
      continue;
    }
    const Step& step = top.plan->steps[top.next];
    absl::Status status = context_.Charge(1);
    if (status.ok() && step.kind == StepKind::kKernel && !observed) {  // nearly all
      status = RunKernel(*top.plan, *top.frame, step);
      if (status.ok()) PassOver(stack_.back(), step);
    } else if (status.ok()) {
      status = RunStep(step);
    }
    if (!status.ok()) return Locate(status, step);
    if (pending_ != nullptr) return absl::OkStatus();
  }
}

absl::Status Machine::RunStep(const Step& step) {
  if (!options_.observers.empty() && pending_ == nullptr && !step.hidden) {
    absl::Status status = Observe(stack_.back(), step, /*after=*/false);
    if (!status.ok()) return status;
  }
  absl::Status status;
  switch (step.kind) {
    case StepKind::kKernel:
      status = RunKernel(*stack_.back().plan, *stack_.back().frame, step);
      break;
    case StepKind::kAsyncStart:
      status = Depart(step);
      if (pending_ != nullptr) return status;
      break;
    case StepKind::kObserve:
      break;
    case StepKind::kEffect:
      return RunEffect(step);
    case StepKind::kAsyncDone:
      return Await(step);
    case StepKind::kCall:
    case StepKind::kWhile:
    case StepKind::kConditional:
      if (RecordsControl(step)) return RecordControl(step);
      if (RunsDirectly(step)) {
        status = RunDirect(*stack_.back().plan, *stack_.back().frame, step);
        break;
      }
      return StartControl(step);
  }
  if (!status.ok()) return status;
  return FinishStep(stack_.back(), step);
}

absl::Status Machine::RunKernel(const ComputationPlan& plan, Frame& frame, const Step& step) {
  if (!frame.is_bound) return RunUnbound(plan, frame, step);
  ArrayRef* const operands = frame.operands.data() + step.first_operand;
  MutableArrayRef* const results = frame.results.data() + step.first_result;
  absl::Status status;
  if (!step.is_fixed || options_.budget.elements >= 0) {
    status = PlaceAll(plan, frame, step, operands, results);
  } else if (step.makes_local) {
    status = ReserveLocals(plan, step);
  }
  if (!status.ok()) return status;
  return Execute(step, {operands, step.operands.size()}, {results, step.results.size()});
}

absl::Status Machine::RunUnbound(const ComputationPlan& plan, Frame& frame, const Step& step) {
  absl::InlinedVector<ArrayRef, 4> operands(step.operands.size());
  absl::InlinedVector<MutableArrayRef, 2> results(step.results.size());
  absl::Status status = PlaceAll(plan, frame, step, operands.data(), results.data());
  return status.ok() ? Execute(step, operands, results) : status;
}

absl::Status Machine::Execute(const Step& step, absl::Span<const ArrayRef> operands,
                              absl::Span<const MutableArrayRef> results) {
  stored_bytes_ += step.stored_bytes;
  try {
    absl::Status status = step.kernel->Execute(operands, results, context_);
    if (stats_ != nullptr) state_->AfterStep(*step.instruction);
    return status;
  } catch (const std::bad_alloc&) {  // scratch that nobody counts
    return absl::ResourceExhaustedError("the machine has no memory left for the scratch it needs");
  }
}

absl::Status Machine::PlaceAll(const ComputationPlan& plan, Frame& frame, const Step& step,
                               ArrayRef* operands, MutableArrayRef* results) {
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const int32_t slot = step.operands[i];
    operands[i] = {plan.slots[slot].shape, Data(plan, frame, slot)};
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    const int32_t slot = step.results[i];
    const Shape* const shape = plan.slots[slot].shape;
    absl::Status status = CheckElements(options_.budget, *shape);
    if (status.ok()) status = PlaceResult(plan, frame, step, i);
    if (!status.ok()) return status;
    results[i] = {shape, Data(plan, frame, slot)};
  }
  return absl::OkStatus();
}

absl::Status Machine::PlaceResult(const ComputationPlan& plan, Frame& frame, const Step& step,
                                  size_t i) {
  const int32_t slot = step.results[i];
  const Slot& info = plan.slots[slot];
  if (info.is_local) {
    return i == 0 && step.takes_place ? absl::OkStatus()
                                      : memory_->Reserve(info.bytes, *info.shape);
  }
  if (info.in_frame) return absl::OkStatus();
  const int in_place = i == 0 ? step.kernel->in_place_operand() : -1;
  if (in_place >= 0 && step.uses[in_place] == OperandUse::kSole) {
    // A buffer that only this slot holds, and nobody reads after this step, may be overwritten.
    const Slot& donor = plan.slots[step.operands[in_place]];
    if (!donor.in_frame && donor.bytes == info.bytes &&
        frame.buffers[donor.place].use_count() == 1) {
      frame.buffers[info.place] = frame.buffers[donor.place];
      return absl::OkStatus();
    }
  }
  return GiveBuffer(plan, frame, slot);
}

absl::Status Machine::ReserveLocals(const ComputationPlan& plan, const Step& step) {
  for (size_t i = step.takes_place ? 1 : 0; i < step.results.size(); ++i) {
    const Slot& slot = plan.slots[step.results[i]];
    if (!slot.is_local) continue;
    absl::Status status = memory_->Reserve(slot.bytes, *slot.shape);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Machine::FinishStep(Activation& activation, const Step& step) {
  if (!options_.observers.empty() && !step.hidden) {
    absl::Status status = Observe(activation, step, /*after=*/true);
    if (!status.ok()) return Locate(status, step);
  }
  PassOver(activation, step);
  return absl::OkStatus();
}

void Machine::PassOver(Activation& activation, const Step& step) {
  for (int32_t slot : step.dying) ReleaseSlot(*activation.plan, *activation.frame, slot);
  if (step.released_bytes > 0) memory_->Release(step.released_bytes);
  ++activation.next;
}

absl::Status Machine::Push(const ComputationPlan& plan, Frame* frame) {
  if (options_.budget.call_depth >= 0 &&
      static_cast<int64_t>(stack_.size()) > options_.budget.call_depth) {
    return absl::ResourceExhaustedError(absl::StrCat("computations call each other deeper than ",
                                                     options_.budget.call_depth, " levels"));
  }
  Activation& activation = stack_.emplace_back();
  activation.plan = &plan;
  activation.frame = frame;
  return absl::OkStatus();
}

absl::Status Machine::Observe(const Activation& activation, const Step& step, bool after) {
  const int64_t depth = static_cast<int64_t>(stack_.size()) - 1;
  if (!after) {
    for (Observer* observer : options_.observers) {
      absl::Status status = observer->Before(*step.instruction, depth);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  const auto& slots = step.kind == StepKind::kObserve
                          ? absl::MakeConstSpan(step.operands.data(), step.operands.size())
                          : absl::MakeConstSpan(step.results.data(), step.results.size());
  std::vector<Literal> leaves;
  for (int32_t slot : slots) leaves.push_back(ReadSlot(*activation.plan, *activation.frame, slot));
  const absl::StatusOr<Literal> value = ToHost(Unflatten(step.instruction->shape(), leaves));
  if (!value.ok()) return value.status();
  for (Observer* observer : options_.observers) {
    absl::Status status = observer->After(*step.instruction, depth, *value);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Machine::Locate(const absl::Status& status, const Step& step) const {
  // Outer steps pass on what an inner one has located.
  constexpr absl::string_view kMark = ", while running ";
  if (absl::string_view(status.message()).find(kMark) != absl::string_view::npos) return status;
  return absl::Status(status.code(),
                      absl::StrCat(status.message(), kMark, step.instruction->Describe()));
}

}  // namespace assay::runtime
