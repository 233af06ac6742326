#include "runtime/plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/analysis/effects.h"
#include "spec/analysis/running_order.h"
#include "spec/analysis/trip_count.h"
#include "spec/ir/entry.h"

namespace assay::runtime {
namespace {

// How the runtime treats an operation. Everything else is a kernel.
enum class Role {
  kKernel,
  kParameter,
  kConstant,
  kTuple,
  kElement,
  kForward,
  kToken,
  kStep,
  kEffect,
  kStart,
  kDone,
};

Role RoleOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
      return Role::kParameter;
    case Opcode::kConstant:
      return Role::kConstant;
    case Opcode::kTuple:
      return Role::kTuple;
    case Opcode::kGetTupleElement:
      return Role::kElement;
    case Opcode::kCopy:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAddDependency:
    case Opcode::kDomain:
      return Role::kForward;
    case Opcode::kAfterAll:
      return Role::kToken;
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kWhile:
    case Opcode::kConditional:
      return Role::kStep;
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduceStart:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCopyStart:
    case Opcode::kRecv:
    case Opcode::kSend:
      return Role::kStart;
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAsyncDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCopyDone:
    case Opcode::kRecvDone:
    case Opcode::kSendDone:
      return Role::kDone;
    default:
      return analysis::IsEffect(opcode) ? Role::kEffect : Role::kKernel;
  }
}

bool IsControlStep(Opcode opcode) { return RoleOf(opcode) == Role::kStep; }

std::vector<const Computation*> ControlCallees(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kWhile) {
    return {instruction.GetComputation(Attr::kCondition), instruction.GetComputation(Attr::kBody)};
  }
  auto callees = instruction.called_computations();
  return {callees.begin(), callees.end()};
}

// Values are carried on with their sizes; what computes has to look at them.
bool RunsOnCurrentSizes(const Instruction& instruction) {
  return RoleOf(instruction.opcode()) == Role::kKernel && analysis::HasDynamicSizes(instruction);
}

bool AllArrays(const Shape& shape) {
  for (const Shape* leaf : Leaves(shape)) {
    if (!leaf->is_array() || leaf->is_dynamic()) return false;
  }
  return true;
}

}  // namespace

bool IsRunByRuntime(Opcode opcode) {
  switch (opcode) {
    case Opcode::kDynamicReshape:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
      return true;
    default:
      return RoleOf(opcode) != Role::kKernel;
  }
}

std::vector<const Computation*> PlannedCallees(const Instruction& instruction,
                                               const Engine& engine) {
  if (IsControlStep(instruction.opcode())) return ControlCallees(instruction);
  const Instruction* applying = &instruction;
  if (instruction.opcode() == Opcode::kAsyncStart) {
    applying = analysis::WrappedCollective(instruction);
    if (applying == nullptr) return {instruction.GetComputation(Attr::kCalls)};
  }
  std::vector<const Computation*> planned;
  for (const Computation* callee : applying->called_computations()) {
    if (!engine.AppliesRegion(*callee)) planned.push_back(callee);
  }
  return planned;
}

PlanBuilder::PlanBuilder(const Computation& computation, const ModulePlan& module,
                         const PlanMap& plans, Budget& budget)
    : computation_(computation),
      module_(module),
      options_(module.options()),
      engine_(module.engine()),
      device_(dynamic_cast<const DeviceEngine*>(&engine_)),
      plans_(plans),
      budget_(budget),
      plan_(std::make_unique<ComputationPlan>()) {
  plan_->computation = &computation;
}

absl::StatusOr<std::unique_ptr<ComputationPlan>> PlanBuilder::Build() && {
  FindLive();
  // Observers see every value.
  if (!options_.observed && engine_.ReadsViews()) view_choice_.emplace(computation_, live_);
  slots_of_.resize(computation_.instruction_count());
  if (absl::Status status = CheckParameters(computation_); !status.ok()) return status;
  for (const Instruction* parameter : computation_.parameters()) {
    SlotList slots = NewSlots(parameter->shape());
    slots_of_[parameter->index()] = slots;
    plan_->parameters.insert(plan_->parameters.end(), slots->begin(), slots->end());
  }
  for (const Instruction* instruction : analysis::RunningOrder(computation_)) {
    if (!live_[instruction->index()]) continue;
    // Regions take long to compile, all else little.
    const bool calls = !instruction->called_computations().empty();
    absl::Status status = calls ? budget_.ChargeCostly(1) : budget_.Charge(1);
    if (status.ok()) status = Visit(*instruction);
    if (status.ok()) status = refusal_;
    if (!status.ok()) return status;
  }
  FindDying();
  FindRoots();
  AssignPlaces();
  PrepareFrames();
  return std::move(plan_);
}

void PlanBuilder::FindLive() {
  live_.assign(computation_.instruction_count(), false);
  std::vector<const Instruction*> pending = {computation_.root()};
  live_[computation_.root()->index()] = true;
  if (module_.effectful().contains(&computation_)) {
    for (const auto& instruction : computation_.instructions()) {
      if (!analysis::HasEffect(*instruction, module_.effectful())) continue;
      live_[instruction->index()] = true;
      pending.push_back(instruction.get());
    }
  }
  while (!pending.empty()) {
    const Instruction* instruction = pending.back();
    pending.pop_back();
    for (const Instruction* operand : instruction->operands()) {
      if (live_[operand->index()]) continue;
      live_[operand->index()] = true;
      pending.push_back(operand);
    }
  }
}

const PlanBuilder::SlotList& PlanBuilder::SlotsOf(const Instruction& instruction) const {
  return slots_of_[instruction.index()];
}

int32_t PlanBuilder::NewSlot(const Shape& shape) {
  Slot slot;
  slot.shape = &shape;
  // Shapes whose size overflows are refused when their storage is asked for.
  slot.bytes = shape.ByteSize().value_or(-1);
  // Values on their way are known by their buffers, and a frame lies in the host's memory.
  slot.in_frame = slot.bytes >= 0 && slot.bytes <= kSmallBytes && !module_.has_transfers() &&
                  device_ == nullptr;
  if (!shape.is_array()) slot.in_frame = true;
  plan_->slots.push_back(slot);
  return static_cast<int32_t>(plan_->slots.size()) - 1;
}

PlanBuilder::SlotList PlanBuilder::NewSlots(const Shape& shape) {
  auto slots = std::make_shared<std::vector<int32_t>>();
  for (const Shape* leaf : Leaves(shape)) slots->push_back(NewSlot(*leaf));
  return slots;
}

absl::Status PlanBuilder::Visit(const Instruction& instruction) {
  SlotList& slots = slots_of_[instruction.index()];
  switch (RoleOf(instruction.opcode())) {
    case Role::kParameter:
      break;
    case Role::kConstant: {
      absl::Status status = VisitConstant(instruction);
      if (!status.ok()) return status;
      break;
    }
    case Role::kTuple: {
      auto all = std::make_shared<std::vector<int32_t>>();
      for (const Instruction* operand : instruction.operands()) {
        const SlotList& part = SlotsOf(*operand);
        all->insert(all->end(), part->begin(), part->end());
      }
      slots = std::move(all);
      break;
    }
    case Role::kElement: {
      const Instruction& tuple = *instruction.operand(0);
      const int64_t index = instruction.GetInt(Attr::kIndex);
      int64_t first = 0;
      for (int64_t i = 0; i < index; ++i) first += tuple.shape().tuple_shape(i).leaf_count();
      const std::vector<int32_t>& all = *SlotsOf(tuple);
      const int64_t count = instruction.shape().leaf_count();
      slots =
          std::make_shared<std::vector<int32_t>>(all.begin() + first, all.begin() + first + count);
      break;
    }
    case Role::kForward:
      slots = SlotsOf(*instruction.operand(0));
      break;
    case Role::kToken:
      slots = NewSlots(instruction.shape());
      break;
    case Role::kKernel:
      if (view_choice_.has_value() && ViewChoice::MayBeView(instruction) &&
          !RunsOnCurrentSizes(instruction)) {
        return VisitMovement(instruction);
      }
      return VisitStep(instruction, Step());
    case Role::kStep:
    case Role::kEffect:
      return VisitStep(instruction, Step());
    case Role::kStart:
    case Role::kDone: {
      const bool start = RoleOf(instruction.opcode()) == Role::kStart;
      absl::Status status = start ? VisitStart(instruction) : VisitDone(instruction);
      if (!status.ok()) return status;
      break;
    }
  }
  if (!options_.observed) return absl::OkStatus();
  Step step;
  step.kind = StepKind::kObserve;
  return VisitStep(instruction, std::move(step));
}

absl::Status PlanBuilder::VisitConstant(const Instruction& instruction) {
  if (instruction.literal() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("constant without elements: ", instruction.Describe(),
                     " was elided ({...}) when its module was printed; print the module with large "
                     "constants to run it"));
  }
  SlotList slots = NewSlots(instruction.shape());
  std::vector<Literal> leaves = Flatten(*instruction.literal());
  for (size_t i = 0; i < leaves.size(); ++i) {
    AddConstant((*slots)[i], std::move(leaves[i]));
  }
  slots_of_[instruction.index()] = std::move(slots);
  return absl::OkStatus();
}

void PlanBuilder::AddConstant(int32_t slot, Literal literal) {
  constant_of_slot_.emplace(slot, plan_->constants.size());
  plan_->constants.emplace_back(slot, std::move(literal));
}

absl::Status PlanBuilder::VisitStep(const Instruction& instruction, Step step) {
  step.instruction = &instruction;
  if (step.kind == StepKind::kObserve) {
    // Reads its own slots, so that they live until observers have seen them.
    const SlotList& slots = SlotsOf(instruction);
    step.operands.assign(slots->begin(), slots->end());
    plan_->steps.push_back(std::move(step));
    return absl::OkStatus();
  }
  KernelOr kernel = nullptr;
  if (!RunsOnCurrentSizes(instruction)) kernel = PrepareOnViews(instruction, &step.operands);
  if (!kernel.ok()) return kernel.status();
  if (*kernel != nullptr) {
    step.kernel = *std::move(kernel);
  } else {
    for (const Instruction* operand : instruction.operands()) {
      if (IsView(*operand)) StoreView(*operand);
      const SlotList& part = SlotsOf(*operand);
      step.operands.insert(step.operands.end(), part->begin(), part->end());
    }
    absl::Status status = PrepareStep(instruction, &step);
    if (!status.ok()) return status;
  }
  const auto operands = static_cast<int64_t>(step.operands.size());
  if (step.kernel != nullptr && step.kernel->in_place_operand() >= operands) {
    return absl::InternalError(absl::StrCat("a kernel asks for the storage of operand ",
                                            step.kernel->in_place_operand(), " of the ", operands,
                                            " that it reads: ", instruction.Describe()));
  }
  AddStep(instruction, std::move(step));
  return absl::OkStatus();
}

void PlanBuilder::AddStep(const Instruction& instruction, Step step) {
  step.instruction = &instruction;
  SlotList results = NewSlots(instruction.shape());
  step.results = *results;
  if (step.kind == StepKind::kKernel) {
    for (int32_t slot : step.results) step.stored_bytes += plan_->slots[slot].bytes;
  }
  slots_of_[instruction.index()] = std::move(results);
  plan_->steps.push_back(std::move(step));
}

absl::Status PlanBuilder::PrepareStep(const Instruction& instruction, Step* step) const {
  const bool dynamic = RunsOnCurrentSizes(instruction);
  if (dynamic || RoleOf(instruction.opcode()) == Role::kEffect) {
    step->kind = StepKind::kEffect;
    EffectOr effect =
        dynamic ? PrepareDynamicEffect(instruction, engine_) : PrepareEffect(instruction, engine_);
    if (!effect.ok()) return effect.status();
    step->effect = *std::move(effect);
    return absl::OkStatus();
  }
  if (instruction.opcode() == Opcode::kFusion && !options_.observed && !module_.has_transfers() &&
      !analysis::HasEffect(instruction, module_.effectful())) {
    KernelOr kernel = engine_.PrepareFusion(instruction);
    if (!kernel.ok()) return kernel.status();
    if (*kernel != nullptr) {
      step->kind = StepKind::kKernel;
      step->kernel = *std::move(kernel);
      return absl::OkStatus();
    }
  }
  if (!IsControlStep(instruction.opcode())) {
    step->kind = StepKind::kKernel;
    KernelOr kernel = engine_.Prepare(instruction);
    if (!kernel.ok()) return kernel.status();
    step->kernel = *std::move(kernel);
    return absl::OkStatus();
  }
  for (const Computation* callee : ControlCallees(instruction)) {
    step->callees.push_back(plans_.at(callee));
  }
  if (instruction.opcode() == Opcode::kWhile) return PrepareWhile(instruction, step);
  step->kind =
      instruction.opcode() == Opcode::kConditional ? StepKind::kConditional : StepKind::kCall;
  return absl::OkStatus();
}

absl::Status PlanBuilder::PrepareWhile(const Instruction& instruction, Step* step) const {
  step->kind = StepKind::kWhile;
  // The host needs not wait for conditions whose values are known.
  const Computation* const condition = instruction.GetComputation(Attr::kCondition);
  if (device_ != nullptr && !options_.observed && !module_.effectful().contains(condition)) {
    step->trips = analysis::TripCount(instruction).value_or(-1);
  }
  // A kernel leaves out what the result does not need, effects too.
  if (options_.observed || module_.has_transfers() ||
      analysis::HasEffect(instruction, module_.effectful()) || !AllArrays(instruction.shape())) {
    return absl::OkStatus();
  }
  KernelOr kernel = engine_.PrepareLoop(instruction);
  if (!kernel.ok()) return kernel.status();
  if (*kernel == nullptr) return absl::OkStatus();
  step->kind = StepKind::kKernel;
  step->kernel = *std::move(kernel);
  step->callees.clear();
  return absl::OkStatus();
}

void PlanBuilder::FindDying() {
  std::vector<bool> read_later(plan_->slots.size(), false);
  for (int32_t slot : *SlotsOf(*computation_.root())) read_later[slot] = true;
  // Constants belong to the plan.
  for (const auto& [slot, literal] : plan_->constants) read_later[slot] = true;
  std::vector<int32_t> occurrences(plan_->slots.size(), 0);
  for (size_t i = plan_->steps.size(); i-- > 0;) {
    Step& step = plan_->steps[i];
    auto dies = [&](int32_t slot) {
      if (read_later[slot]) return false;
      read_later[slot] = true;
      step.dying.push_back(slot);
      return true;
    };
    for (int32_t slot : step.results) dies(slot);  // results that nobody reads
    step.uses.assign(step.operands.size(), OperandUse::kKeep);
    for (int32_t slot : step.operands) ++occurrences[slot];
    for (size_t k = step.operands.size(); k-- > 0;) {
      const int32_t slot = step.operands[k];
      if (!dies(slot)) continue;
      step.uses[k] = occurrences[slot] == 1 ? OperandUse::kSole : OperandUse::kLast;
    }
    for (int32_t slot : step.operands) occurrences[slot] = 0;
  }
  for (int32_t slot : plan_->parameters) plan_->is_unread.push_back(!read_later[slot]);
}

void PlanBuilder::FindRoots() {
  std::vector<bool> constant(plan_->slots.size(), false);
  for (const auto& [slot, literal] : plan_->constants) constant[slot] = true;
  const std::vector<int32_t>& roots = *SlotsOf(*computation_.root());
  std::vector<bool> seen(plan_->slots.size(), false);
  plan_->roots.resize(roots.size());
  for (size_t i = roots.size(); i-- > 0;) {
    plan_->roots[i] = {roots[i], !constant[roots[i]] && !seen[roots[i]]};
    seen[roots[i]] = true;
  }
}

}  // namespace assay::runtime
