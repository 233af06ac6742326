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
      state_(module.engine().NewState(stats != nullptr)),
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
  if (absl::Status status = PlaceConstants(); !status.ok()) return status;
  int64_t reserved = 0;  // until the run ends
  return Begin(*module_.plan_of(computation), arguments, &reserved);
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
  absl::StatusOr<Literal> result = End();
  if (values_ == nullptr || !result.ok()) return result;
  return ToHost(*result);
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
                     " is applied element by element and must not wait for other processes"));
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
  Frame* const frame = TakeFrame(plan);
  size_t next = 0;
  for (const Literal& argument : arguments) {
    for (const Literal& leaf : Flatten(argument)) {
      const int32_t slot = plan.parameters[next++];
      absl::Status status = WriteSlot(plan, *frame, slot, leaf);
      const Slot& info = plan.slots[slot];
      // A copy on a device counts by itself.
      const bool shared = !info.small && values_ == nullptr;
      if (status.ok() && shared) status = memory_->Reserve(info.bytes, *info.shape);
      if (!status.ok()) return status;
      if (shared) *reserved += info.bytes;
    }
  }
  return Push(plan, frame);
}

absl::StatusOr<Literal> Machine::End() {
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
      status = RunKernel(step);
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
      status = RunKernel(step);
      break;
    case StepKind::kDepart:
      status = Depart(step);
      if (pending_ != nullptr) return status;
      break;
    case StepKind::kObserve:
      break;
    case StepKind::kEffect:
      return RunEffect(step);
    case StepKind::kAwait:
      return Await(step);
    case StepKind::kCall:
      return StartCall(step);
    case StepKind::kWhile:
      return StartWhile(step);
    case StepKind::kConditional:
      return StartConditional(step);
  }
  if (!status.ok()) return status;
  return FinishStep(stack_.back(), step);
}

absl::Status Machine::RunKernel(const Step& step) {
  const Activation& top = stack_.back();
  Frame& frame = *top.frame;
  if (!frame.is_bound) return RunUnbound(step);
  ArrayRef* const operands = frame.operands.data() + step.first_operand;
  MutableArrayRef* const results = frame.results.data() + step.first_result;
  if (!step.in_frame || options_.budget.elements >= 0) {
    absl::Status status = PlaceOutside(*top.plan, frame, step, operands, results);
    if (!status.ok()) return status;
  }
  return Execute(step, {operands, step.operands.size()}, {results, step.results.size()});
}

absl::Status Machine::RunUnbound(const Step& step) {
  const Activation& top = stack_.back();
  absl::InlinedVector<ArrayRef, 4> operands(step.operands.size());
  absl::InlinedVector<MutableArrayRef, 2> results(step.results.size());
  absl::Status status = PlaceOutside(*top.plan, *top.frame, step, operands.data(), results.data());
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

absl::Status Machine::PlaceOutside(const ComputationPlan& plan, Frame& frame, const Step& step,
                                   ArrayRef* operands, MutableArrayRef* results) {
  for (size_t i = 0; i < step.operands.size(); ++i) {
    const int32_t slot = step.operands[i];
    operands[i] = {plan.slots[slot].shape, Data(plan, frame, slot)};
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    const int32_t slot = step.results[i];
    const Slot& info = plan.slots[slot];
    absl::Status fits = CheckElements(options_.budget, *info.shape);
    if (!fits.ok()) return fits;
    if (!info.small) {
      const int in_place = i == 0 ? step.kernel->in_place_operand() : -1;
      const int32_t donor = in_place >= 0 ? step.operands[in_place] : -1;
      // A buffer that only this slot holds, and nobody reads after this step, may be overwritten.
      if (donor >= 0 && step.uses[in_place] == OperandUse::kSole && !plan.slots[donor].small &&
          plan.slots[donor].bytes == info.bytes &&
          frame.buffers[plan.slots[donor].place].use_count() == 1) {
        frame.buffers[info.place] = frame.buffers[plan.slots[donor].place];
      } else {
        absl::Status status = GiveBuffer(plan, frame, slot);
        if (!status.ok()) return status;
      }
    }
    results[i] = {info.shape, Data(plan, frame, slot)};
  }
  return absl::OkStatus();
}

absl::Status Machine::StartCall(const Step& step) {
  const ComputationPlan& callee = *step.callees[0];
  Frame* const frame = TakeFrame(callee);
  PassOperands(step, 0, 0, *frame);
  return Push(callee, frame);
}

absl::Status Machine::StartConditional(const Step& step) {
  Activation& top = stack_.back();
  const Slot& selector = top.plan->slots[step.operands[0]];
  const ElementType type = selector.shape->element_type();
  const absl::StatusOr<Element> value = ReadScalar(*top.plan, *top.frame, step.operands[0]);
  if (!value.ok()) return value.status();
  const auto branches = static_cast<int64_t>(step.callees.size());
  int64_t branch;
  if (type == ElementType::kPred) {
    branch = (value->bits & 1) != 0 ? 0 : 1;
  } else {
    // An index out of range selects the last branch (ops_control_and_collectives.md 2.4).
    branch = DecodeSigned(type, value->bits);
    if (branch < 0 || branch >= branches) branch = branches - 1;
  }
  size_t first = 1;
  for (int64_t i = 0; i < branch; ++i) first += step.callees[i]->parameters.size();
  const ComputationPlan& callee = *step.callees[branch];
  Frame* const frame = TakeFrame(callee);
  PassOperands(step, branch, first, *frame);
  // What only the other branches would have read.
  for (size_t i = 1; i < step.operands.size(); ++i) {
    if (step.uses[i] != OperandUse::kKeep) ReleaseSlot(*top.plan, *top.frame, step.operands[i]);
  }
  return Push(callee, frame);
}

absl::Status Machine::StartWhile(const Step& step) {
  Activation& top = stack_.back();
  const ComputationPlan& plan = *top.plan;
  // The state lives in the result slots from the first turn on.
  for (size_t i = 0; i < step.operands.size(); ++i) {
    Transfer(plan, *top.frame, step.operands[i], step.uses[i] != OperandUse::kKeep, plan,
             *top.frame, step.results[i]);
  }
  top.condition_frame = TakeFrame(*step.callees[0]);
  top.body_frame = TakeFrame(*step.callees[1]);
  return StartCondition(step);
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
    if (!parameter.small) top.condition_frame->buffers[parameter.place] = nullptr;
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
    return status.ok() ? StartCondition(step) : Locate(status, step);
  }
  const absl::StatusOr<bool> go = ReadCondition(child);
  if (!go.ok()) return Locate(go.status(), step);
  if (*go) return StartBody(step);
  ReturnFrame(*step.callees[0], parent.condition_frame);
  ReturnFrame(*step.callees[1], parent.body_frame);
  return FinishStep(parent, step);
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

absl::Status Machine::PlaceConstants() {
  if (values_ == nullptr) return absl::OkStatus();
  constants_.resize(module_.plan_count());
  for (const auto& computation : module_.module().computations()) {
    const ComputationPlan* const plan = module_.plan_of(*computation);
    if (plan == nullptr) continue;
    for (const auto& [slot, literal] : plan->constants) {
      absl::StatusOr<BufferPtr> block = values_->Constant(literal);
      if (!block.ok()) return block.status();
      std::byte* const data = block->get();
      constants_[plan->number].emplace_back(data,
                                            ValueStorage{*std::move(block), values_, nullptr, 0});
    }
  }
  return absl::OkStatus();
}

const BufferPtr& Machine::ConstantStorage(const ComputationPlan& plan, size_t i) const {
  return values_ == nullptr ? plan.constants[i].second.buffer() : constants_[plan.number][i];
}

Frame* Machine::TakeFrame(const ComputationPlan& plan) {
  std::vector<Frame*>& free = free_frames_[plan.number];
  if (free.empty()) return NewFrame(plan);
  Frame* const frame = free.back();
  free.pop_back();
  return frame;
}

Frame* Machine::NewFrame(const ComputationPlan& plan) {
  Frame& frame = *frames_.emplace_back(std::make_unique<Frame>());
  frame.small.resize(plan.small_bytes);
  memory_->Count(plan.small_bytes);  // frames live as long as the run
  frame.buffers.resize(plan.buffer_count);
  for (size_t i = 0; i < plan.constants.size(); ++i) {
    const Slot& slot = plan.slots[plan.constants[i].first];
    if (!slot.small) {
      frame.buffers[slot.place] = ConstantStorage(plan, i);
    } else if (slot.bytes > 0) {
      std::memcpy(frame.small.data() + slot.place, plan.constants[i].second.data(), slot.bytes);
    }
  }
  frame.is_bound =
      process_.world().MayBind(plan.operand_count * static_cast<int64_t>(sizeof(ArrayRef)) +
                               plan.result_count * static_cast<int64_t>(sizeof(MutableArrayRef)));
  if (!frame.is_bound) return &frame;
  frame.operands.reserve(plan.operand_count);
  frame.results.reserve(plan.result_count);
  for (const Step& step : plan.steps) {
    if (step.kind != StepKind::kKernel) continue;
    for (const int32_t slot : step.operands) {
      frame.operands.push_back({plan.slots[slot].shape, Data(plan, frame, slot)});
    }
    for (const int32_t slot : step.results) {
      frame.results.push_back({plan.slots[slot].shape, Data(plan, frame, slot)});
    }
  }
  return &frame;
}

void Machine::ReturnFrame(const ComputationPlan& plan, Frame* frame) {
  if (!frame->buffers.empty()) {
    std::fill(frame->buffers.begin(), frame->buffers.end(), nullptr);
    for (size_t i = 0; i < plan.constants.size(); ++i) {
      const Slot& slot = plan.slots[plan.constants[i].first];
      if (!slot.small) frame->buffers[slot.place] = ConstantStorage(plan, i);
    }
  }
  free_frames_[plan.number].push_back(frame);
}

std::byte* Machine::Data(const ComputationPlan& plan, Frame& frame, int32_t slot) {
  const Slot& info = plan.slots[slot];
  return info.small ? frame.small.data() + info.place : frame.buffers[info.place].get();
}

void Machine::Transfer(const ComputationPlan& from_plan, Frame& from, int32_t from_slot, bool move,
                       const ComputationPlan& to_plan, Frame& to, int32_t to_slot) {
  const Slot& source = from_plan.slots[from_slot];
  const Slot& target = to_plan.slots[to_slot];
  if (target.sizes >= 0) {
    WriteSizes(target, to,
               source.sizes >= 0 ? ReadSizes(source, from) : source.shape->dimensions());
  }
  if (source.small) {
    if (source.bytes == 0) return;  // a token, in a frame that may have nothing else
    std::memcpy(to.small.data() + target.place, from.small.data() + source.place, source.bytes);
  } else if (move) {
    to.buffers[target.place] = std::move(from.buffers[source.place]);
  } else {
    to.buffers[target.place] = from.buffers[source.place];
  }
}

void Machine::WriteSizes(const Slot& slot, Frame& frame, absl::Span<const int64_t> sizes) {
  std::memcpy(frame.small.data() + slot.sizes, sizes.data(), sizes.size() * sizeof(int64_t));
}

// Aligned: places in a frame are multiples of 8.
absl::Span<const int64_t> Machine::ReadSizes(const Slot& slot, const Frame& frame) {
  return {reinterpret_cast<const int64_t*>(frame.small.data() + slot.sizes),
          static_cast<size_t>(slot.shape->rank())};
}

void Machine::PassParameter(const ComputationPlan& from_plan, Frame& from, int32_t from_slot,
                            bool move, const ComputationPlan& callee, Frame& frame, size_t i) {
  if (!callee.is_unread[i]) {
    return Transfer(from_plan, from, from_slot, move, callee, frame, callee.parameters[i]);
  }
  if (move) ReleaseSlot(from_plan, from, from_slot);
}

void Machine::ReleaseSlot(const ComputationPlan& plan, Frame& frame, int32_t slot) {
  const Slot& info = plan.slots[slot];
  if (!info.small) frame.buffers[info.place] = nullptr;
}

void Machine::CopyRuns(const Handover& handover, const Frame& from, Frame& to) {
  for (const Handover::Run& run : handover.runs) {
    const std::byte* source = from.small.data() + run.from;
    std::byte* target = to.small.data() + run.to;
    for (int32_t i = 0; i < run.bytes; i += kPlaceBytes) {
      std::memcpy(target + i, source + i, kPlaceBytes);
    }
  }
}

void Machine::PassOperands(const Step& step, size_t callee, size_t first, Frame& frame) {
  const Activation& top = stack_.back();
  const Handover& given = step.given[callee];
  CopyRuns(given, *top.frame, frame);
  for (const int32_t i : given.others) {
    const bool last = step.uses[first + i] != OperandUse::kKeep;
    PassParameter(*top.plan, *top.frame, step.operands[first + i], last, *step.callees[callee],
                  frame, i);
  }
}

void Machine::PassState(const Step& step, size_t callee, bool move, Frame& frame) {
  const Activation& top = stack_.back();
  const Handover& given = step.given[callee];
  CopyRuns(given, *top.frame, frame);
  for (const int32_t i : given.others) {
    PassParameter(*top.plan, *top.frame, step.results[i], move, *step.callees[callee], frame, i);
  }
}

void Machine::MoveRoots(const Activation& child, const Step& step, size_t callee,
                        Activation& receiver) {
  const Handover& returned = step.returned[callee];
  CopyRuns(returned, *child.frame, *receiver.frame);
  for (const int32_t i : returned.others) {
    const RootSlot& root = child.plan->roots[i];
    Transfer(*child.plan, *child.frame, root.slot, root.movable, *receiver.plan, *receiver.frame,
             step.results[i]);
  }
}

absl::Status Machine::GiveBuffer(const ComputationPlan& plan, Frame& frame, int32_t slot) {
  const Slot& info = plan.slots[slot];
  frame.buffers[info.place] = nullptr;
  absl::StatusOr<BufferPtr> buffer = values_ == nullptr
                                         ? MemoryAccount::Allocate(memory_, *info.shape)
                                         : AllocateValue(*values_, memory_, *info.shape);
  if (!buffer.ok()) return buffer.status();
  frame.buffers[info.place] = *std::move(buffer);
  return absl::OkStatus();
}

absl::Status Machine::WriteSlot(const ComputationPlan& plan, Frame& frame, int32_t slot,
                                const Literal& leaf) {
  const Slot& info = plan.slots[slot];
  if (!info.shape->is_array()) return absl::OkStatus();
  for (int64_t d = 0; info.sizes >= 0 && d < info.shape->rank(); ++d) {
    const int64_t size = leaf.dynamic_size(d);
    std::memcpy(frame.small.data() + info.sizes + d * sizeof size, &size, sizeof size);
  }
  if (info.small) {
    if (info.bytes > 0) std::memcpy(frame.small.data() + info.place, leaf.data(), info.bytes);
    return absl::OkStatus();
  }
  if (values_ == nullptr) {
    frame.buffers[info.place] = leaf.buffer();
    return absl::OkStatus();
  }
  absl::StatusOr<BufferPtr> brought = Bring(leaf, *values_, memory_);
  if (!brought.ok()) return brought.status();
  frame.buffers[info.place] = *std::move(brought);
  return absl::OkStatus();
}

Literal Machine::ReadSlot(const ComputationPlan& plan, Frame& frame, int32_t slot) const {
  const Slot& info = plan.slots[slot];
  if (!info.shape->is_array()) return Literal::Token();
  Literal literal = info.small ? Literal::Zeros(*info.shape)
                               : Literal::FromBuffer(*info.shape, frame.buffers[info.place]);
  if (info.small && info.bytes > 0) {
    std::memcpy(literal.mutable_data(), frame.small.data() + info.place, info.bytes);
  }
  if (info.sizes >= 0) {
    const absl::Span<const int64_t> sizes = ReadSizes(info, frame);
    for (size_t d = 0; d < sizes.size(); ++d) literal.set_dynamic_size(d, sizes[d]);
  }
  return literal;
}

absl::StatusOr<bool> Machine::ReadCondition(const Activation& condition) const {
  std::byte go = {};
  const std::byte* const data =
      Data(*condition.plan, *condition.frame, condition.plan->roots[0].slot);
  if (values_ == nullptr) {
    go = *data;
  } else if (absl::Status status = values_->CopyOut({{data, &go, 1}}); !status.ok()) {
    return status;
  }
  return (go & std::byte{1}) != std::byte{0};
}

absl::StatusOr<Element> Machine::ReadScalar(const ComputationPlan& plan, Frame& frame,
                                            int32_t slot) const {
  const Slot& info = plan.slots[slot];
  const ElementType type = info.shape->element_type();
  if (values_ == nullptr) return LoadElement(type, Data(plan, frame, slot), 0);
  std::byte bytes[sizeof(Element)] = {};
  absl::Status status = values_->CopyOut({{Data(plan, frame, slot), bytes, StorageBytes(type)}});
  if (!status.ok()) return status;
  return LoadElement(type, bytes, 0);
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
