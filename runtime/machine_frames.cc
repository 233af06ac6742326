// The values of a machine: frames, what goes from one to another, and what the host reads and
// writes. Tests: interpreter/plan_values_test.cc, plan_memory_test.cc.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/copy_runs.h"
#include "runtime/machine.h"
#include "runtime/world.h"

namespace assay::runtime {

absl::Status Machine::PlaceConstants() {
  if (values_ == nullptr || !constants_.empty()) return absl::OkStatus();
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

absl::StatusOr<Frame*> Machine::TakeFrame(const ComputationPlan& plan) {
  std::vector<Frame*>& free = free_frames_[plan.number];
  if (free.empty()) return NewFrame(plan);
  Frame* const frame = free.back();
  free.pop_back();
  return frame;
}

absl::StatusOr<Frame*> Machine::NewFrame(const ComputationPlan& plan) {
  // Frames live as long as the run; local values are counted while they live.
  if (absl::Status status = memory_->ReserveSmall(plan.small_bytes); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat(status.message(), ", in computation ",
                                                    plan.computation->name()));
  }
  const int64_t local_bytes = plan.arena_bytes - plan.small_bytes;
  if (local_bytes > 0 && !process_.world().MayHold(local_bytes)) {
    if (absl::Status status = memory_->Reserve(local_bytes); !status.ok()) return status;
  }
  Frame& frame = *frames_.emplace_back(std::make_unique<Frame>());
  frame.arena = NewArena(plan.arena_bytes);
  if (frame.arena == nullptr && plan.arena_bytes > 0) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for the values of computation ", plan.computation->name()));
  }
  frame.buffers.resize(plan.buffer_count);
  for (size_t i = 0; i < plan.constants.size(); ++i) {
    const Slot& slot = plan.slots[plan.constants[i].first];
    if (!slot.in_frame) {
      frame.buffers[slot.place] = ConstantStorage(plan, i);
    } else if (slot.bytes > 0) {
      std::memcpy(frame.arena.get() + slot.place, plan.constants[i].second.data(), slot.bytes);
    }
  }
  frame.is_bound =
      process_.world().MayBind(plan.operand_count * static_cast<int64_t>(sizeof(ArrayRef)) +
                               plan.result_count * static_cast<int64_t>(sizeof(MutableArrayRef)));
  if (frame.is_bound) BindFrame(plan, frame);
  return &frame;
}

void Machine::BindFrame(const ComputationPlan& plan, Frame& frame) {
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
}

void Machine::ReturnFrame(const ComputationPlan& plan, Frame* frame) {
  if (!frame->buffers.empty()) {
    std::fill(frame->buffers.begin(), frame->buffers.end(), nullptr);
    for (size_t i = 0; i < plan.constants.size(); ++i) {
      const Slot& slot = plan.slots[plan.constants[i].first];
      if (!slot.in_frame) frame->buffers[slot.place] = ConstantStorage(plan, i);
    }
  }
  free_frames_[plan.number].push_back(frame);
}

std::byte* Machine::Data(const ComputationPlan& plan, Frame& frame, int32_t slot) {
  const Slot& info = plan.slots[slot];
  return info.in_frame ? frame.arena.get() + info.place : frame.buffers[info.place].get();
}

void Machine::Transfer(const ComputationPlan& from_plan, Frame& from, int32_t from_slot, bool move,
                       const ComputationPlan& to_plan, Frame& to, int32_t to_slot) {
  const Slot& source = from_plan.slots[from_slot];
  const Slot& target = to_plan.slots[to_slot];
  if (target.sizes >= 0) {
    WriteSizes(target, to,
               source.sizes >= 0 ? ReadSizes(source, from) : source.shape->dimensions());
  }
  if (source.in_frame) {
    if (source.bytes == 0) return;  // a token, in a frame that may have nothing else
    std::memcpy(to.arena.get() + target.place, from.arena.get() + source.place, source.bytes);
  } else if (move) {
    to.buffers[target.place] = std::move(from.buffers[source.place]);
  } else {
    to.buffers[target.place] = from.buffers[source.place];
  }
}

void Machine::WriteSizes(const Slot& slot, Frame& frame, absl::Span<const int64_t> sizes) {
  std::memcpy(frame.arena.get() + slot.sizes, sizes.data(), sizes.size() * sizeof(int64_t));
}

// Aligned: places in a frame are multiples of 8.
absl::Span<const int64_t> Machine::ReadSizes(const Slot& slot, const Frame& frame) {
  return {reinterpret_cast<const int64_t*>(frame.arena.get() + slot.sizes),
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
  if (!info.in_frame) frame.buffers[info.place] = nullptr;
}

void Machine::CopyRuns(const Handover& handover, const Frame& from, Frame& to) {
  runtime::CopyRuns(handover, from.arena.get(), to.arena.get());
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
  if (info.sizes >= 0) WriteSizes(info, frame, leaf.current_sizes());
  if (info.in_frame) {
    if (info.bytes > 0) std::memcpy(frame.arena.get() + info.place, leaf.data(), info.bytes);
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
  Literal literal = info.in_frame ? Literal::Zeros(*info.shape)
                                  : Literal::FromBuffer(*info.shape, frame.buffers[info.place]);
  if (info.in_frame && info.bytes > 0) {
    std::memcpy(literal.mutable_data(), frame.arena.get() + info.place, info.bytes);
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

}  // namespace assay::runtime
