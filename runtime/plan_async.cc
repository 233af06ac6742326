// Plans of operations in two halves. A collective leaves when it starts and is awaited when it is
// done, so that its process goes on between; any other computation runs when it starts, as a call.
// Source: reference ops_control_and_collectives.md 4. Tests: world_test.cc.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/plan.h"
#include "spec/analysis/effects.h"
#include "spec/ops/permute_slices.h"

namespace assay::runtime {
namespace {

// Which elements of a started tuple hold what.
struct Halves {
  bool has_operands;  // element 0
  int64_t result;     // the element that is yet to come; -1: the whole value
  int64_t context;    // the first element of context
};

Halves HalvesOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllReduceStart:
      return {false, -1, 0};
    case Opcode::kRecv:
      return {false, 0, 1};
    default:  // all-gather-start, collective-permute-start, async-start, async-update
      return {true, 1, 2};
  }
}

Opcode StartOf(Opcode done) {
  switch (done) {
    case Opcode::kAllReduceDone:
      return Opcode::kAllReduceStart;
    case Opcode::kRecvDone:
      return Opcode::kRecv;
    default:
      return Opcode::kAllGatherStart;
  }
}

bool HasArray(const Shape& shape) {
  const std::vector<const Shape*> leaves = Leaves(shape);
  return std::any_of(leaves.begin(), leaves.end(),
                     [](const Shape* leaf) { return leaf->is_array(); });
}

const Shape& ResultShape(const Shape& started, const Halves& halves) {
  return halves.result < 0 ? started : started.tuple_shape(halves.result);
}

}  // namespace

void PlanBuilder::AppendSlots(const Instruction& operand, std::vector<int32_t>* slots) {
  if (IsView(operand)) StoreView(operand);
  const std::vector<int32_t>& part = *SlotsOf(operand);
  slots->insert(slots->end(), part.begin(), part.end());
}

void PlanBuilder::AppendZeros(const Shape& shape, std::vector<int32_t>* slots) {
  for (const Shape* leaf : Leaves(shape)) {
    const int32_t slot = NewSlot(*leaf);
    if (leaf->is_array()) plan_->constants.emplace_back(slot, Literal::Zeros(*leaf));
    slots->push_back(slot);
  }
}

absl::Status PlanBuilder::VisitStart(const Instruction& start) {
  const Opcode opcode = start.opcode();
  if (opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate) return VisitAsync(start);
  const Shape& shape = start.shape();
  auto slots = std::make_shared<std::vector<int32_t>>();
  if (opcode == Opcode::kCopyStart) {
    AppendSlots(*start.operand(0), slots.get());
    AppendSlots(*start.operand(0), slots.get());
    for (size_t i = 2; i < shape.tuple_shapes().size(); ++i) {
      AppendZeros(shape.tuple_shape(i), slots.get());
    }
    slots_of_[start.index()] = std::move(slots);
    return absl::OkStatus();
  }
  Step step;
  step.instruction = &start;
  step.hidden = true;
  for (const Instruction* operand : start.operands()) AppendSlots(*operand, &step.operands);
  EffectOr effect = PrepareEffect(start, engine_);
  if (!effect.ok()) return effect.status();
  step.effect = *std::move(effect);
  if (opcode == Opcode::kSend) {
    step.kind = StepKind::kEffect;  // a send never waits
    AppendSlots(*start.operand(0), slots.get());
    for (size_t i = 1; i < shape.tuple_shapes().size(); ++i) {
      AppendZeros(shape.tuple_shape(i), slots.get());
    }
  } else {
    step.kind = StepKind::kAsyncStart;
    const Halves halves = HalvesOf(opcode);
    if (halves.has_operands) {
      // In place element 0 has the input alone.
      const int64_t count = IsInPlace(start) ? 1 : start.operand_count();
      for (int64_t k = 0; k < count; ++k) AppendSlots(*start.operand(k), slots.get());
    }
    const Shape& result = ResultShape(shape, halves);
    if (result.leaf_count() > 0 && !HasArray(result)) {
      return absl::UnimplementedError(absl::StrCat(
          "tokens alone are not known while they are on their way: ", start.Describe()));
    }
    step.results = *NewSlots(result);
    slots->insert(slots->end(), step.results.begin(), step.results.end());
    for (size_t i = halves.context; halves.result >= 0 && i < shape.tuple_shapes().size(); ++i) {
      AppendZeros(shape.tuple_shape(i), slots.get());
    }
  }
  plan_->steps.push_back(std::move(step));
  slots_of_[start.index()] = std::move(slots);
  return absl::OkStatus();
}

absl::Status PlanBuilder::VisitDone(const Instruction& done) {
  if (done.opcode() == Opcode::kAsyncDone) return VisitAsyncDone(done);
  const Instruction& started = *done.operand(0);
  if (done.opcode() == Opcode::kSendDone) {
    slots_of_[done.index()] = NewSlots(done.shape());
    return absl::OkStatus();
  }
  const std::vector<int32_t>& all = *SlotsOf(started);
  if (done.opcode() == Opcode::kCopyDone) {
    slots_of_[done.index()] = std::make_shared<std::vector<int32_t>>(
        all.begin(), all.begin() + done.shape().leaf_count());
    return absl::OkStatus();
  }
  const Halves halves = HalvesOf(StartOf(done.opcode()));
  const int64_t first = halves.has_operands ? started.shape().tuple_shape(0).leaf_count() : 0;
  const Shape& result = ResultShape(started.shape(), halves);
  Step step;
  step.kind = StepKind::kAsyncDone;
  step.instruction = &done;
  step.hidden = true;
  step.operands.assign(all.begin() + first, all.begin() + first + result.leaf_count());
  const Shape& value =
      done.opcode() == Opcode::kRecvDone ? done.shape().tuple_shape(0) : done.shape();
  auto slots = std::make_shared<std::vector<int32_t>>(*NewSlots(value));
  step.results = *slots;
  if (done.opcode() == Opcode::kRecvDone) slots->push_back(NewSlot(done.shape().tuple_shape(1)));
  plan_->steps.push_back(std::move(step));
  slots_of_[done.index()] = std::move(slots);
  return absl::OkStatus();
}

absl::Status PlanBuilder::VisitAsync(const Instruction& instruction) {
  AsyncChain chain;
  if (instruction.opcode() == Opcode::kAsyncStart) {
    chain.start = &instruction;
    chain.bound.assign(instruction.operands().begin(), instruction.operands().end());
  } else {
    const auto found = chains_.find(instruction.operand(0));
    if (found == chains_.end()) {  // it has come from afar, with all its operands
      if (instruction.operand_count() > 1) {
        return absl::UnimplementedError(
            absl::StrCat("operands are bound in another computation than the one that starts: ",
                         instruction.Describe()));
      }
      slots_of_[instruction.index()] = SlotsOf(*instruction.operand(0));
      return absl::OkStatus();
    }
    chain = found->second;
    const auto more = instruction.operands().subspan(1);
    chain.bound.insert(chain.bound.end(), more.begin(), more.end());
  }
  const Shape& result = instruction.shape().tuple_shape(1);
  const Computation& wrapped = *chain.start->GetComputation(Attr::kCalls);
  const bool was_started = chain.started;
  auto slots = std::make_shared<std::vector<int32_t>>();
  for (const Instruction* operand : chain.bound) AppendSlots(*operand, slots.get());
  const bool complete = chain.bound.size() == wrapped.parameters().size();
  if (complete && !was_started && Shape::Compatible(result, wrapped.root()->shape())) {
    const SlotList results = NewSlots(result);
    absl::Status status = StartWrapped(instruction, chain, results);
    if (!status.ok()) return status;
    chain.started = true;
    slots->insert(slots->end(), results->begin(), results->end());
  } else if (was_started) {
    const std::vector<int32_t>& before = *SlotsOf(*instruction.operand(0));
    const Shape& shape = instruction.operand(0)->shape();
    const auto first = before.begin() + shape.tuple_shape(0).leaf_count();
    slots->insert(slots->end(), first, first + shape.tuple_shape(1).leaf_count());
  } else {
    AppendZeros(result, slots.get());
  }
  for (size_t i = 2; i < instruction.shape().tuple_shapes().size(); ++i) {
    AppendZeros(instruction.shape().tuple_shape(i), slots.get());
  }
  slots_of_[instruction.index()] = std::move(slots);
  chains_[&instruction] = std::move(chain);
  return absl::OkStatus();
}

absl::Status PlanBuilder::VisitAsyncDone(const Instruction& done) {
  const Instruction& started = *done.operand(0);
  const SlotList results = NewSlots(done.shape());
  const auto chain = chains_.find(&started);
  if (chain != chains_.end() && !chain->second.started) {
    const Computation& wrapped = *chain->second.start->GetComputation(Attr::kCalls);
    if (chain->second.bound.size() != wrapped.parameters().size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("only ", chain->second.bound.size(), " of ", wrapped.parameters().size(),
                       " operands are bound when it is done: ", done.Describe()));
    }
    slots_of_[done.index()] = results;
    absl::Status status = StartWrapped(done, chain->second, results);
    if (!status.ok()) return status;
    // Nobody comes later to await it.
    Step& step = plan_->steps.back();
    if (step.kind == StepKind::kAsyncStart) step.kind = StepKind::kEffect;
    return absl::OkStatus();
  }
  const std::vector<int32_t>& all = *SlotsOf(started);
  const int64_t first = started.shape().tuple_shape(0).leaf_count();
  Step step;
  step.kind = StepKind::kAsyncDone;
  step.instruction = &done;
  step.hidden = true;
  step.operands.assign(all.begin() + first, all.begin() + first + done.shape().leaf_count());
  step.results = *results;
  plan_->steps.push_back(std::move(step));
  slots_of_[done.index()] = results;
  return absl::OkStatus();
}

absl::Status PlanBuilder::StartWrapped(const Instruction& by, const AsyncChain& chain,
                                       SlotList results) {
  Step step;
  step.instruction = &by;
  step.hidden = true;
  step.results = *results;
  if (const Instruction* collective = analysis::WrappedCollective(*chain.start)) {
    for (const Instruction* operand : collective->operands()) {
      AppendSlots(*chain.bound[operand->parameter_number()], &step.operands);
    }
    EffectOr effect = PrepareEffect(*collective, engine_);
    if (!effect.ok()) return effect.status();
    step.kind = StepKind::kAsyncStart;
    step.effect = *std::move(effect);
  } else {
    for (const Instruction* operand : chain.bound) AppendSlots(*operand, &step.operands);
    step.kind = StepKind::kCall;
    step.callees = {plans_.at(chain.start->GetComputation(Attr::kCalls))};
  }
  plan_->steps.push_back(std::move(step));
  return absl::OkStatus();
}

}  // namespace assay::runtime
