#include "backends/cpu/vector/native/register_allocator.h"

#include <limits>
#include <utility>

namespace assay::cpu {

RegisterAllocator::RegisterAllocator(const LaneCode& code, int vectors, VectorAssembler& out)
    : code_(code),
      vectors_(vectors),
      out_(out),
      where_(code.values.size()),
      is_mask_(code.values.size()),
      preferred_(code.values.size(), kNone),
      uses_(code.values.size()),
      next_(code.values.size()) {
  held_.fill(kNone);
}

void RegisterAllocator::AddUse(int32_t value, int32_t step) { uses_[value].push_back(step); }

int32_t RegisterAllocator::NextUse(int32_t value, int32_t now) {
  size_t& next = next_[value];
  while (next < uses_[value].size() && uses_[value][next] < now) ++next;
  return next < uses_[value].size() ? uses_[value][next] : std::numeric_limits<int32_t>::max();
}

void RegisterAllocator::Assign(int32_t value, int group) {
  held_[group] = value;
  where_[value].group = group;
}

void RegisterAllocator::Forget(int32_t value) {
  Where& where = where_[value];
  if (where.group != kNone) held_[where.group] = kNone;
  if (where.slot != kNone) free_slots_.push_back(where.slot);
  where = {};
}

void RegisterAllocator::ForgetDead(int32_t value, int32_t now) {
  if (NextUse(value, now + 1) == std::numeric_limits<int32_t>::max()) Forget(value);
}

int RegisterAllocator::NewSlot() {
  if (free_slots_.empty()) return slots_++;
  const int slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void RegisterAllocator::StoreGroup(int group, int slot) {
  for (int u = 0; u < vectors_; ++u) {
    out_.vmovups(out_.ptr[Slot(slot, u)], out_.Whole(Register(group, u)));
  }
}

void RegisterAllocator::LoadSlot(int32_t value, int group) {
  for (int u = 0; u < vectors_; ++u) {
    out_.vmovups(out_.Whole(Register(group, u)), out_.ptr[Slot(where_[value].slot, u)]);
  }
}

void RegisterAllocator::MoveGroup(int from, int to) {
  for (int u = 0; u < vectors_; ++u) {
    out_.vmovaps(out_.Whole(Register(to, u)), out_.Whole(Register(from, u)));
  }
}

void RegisterAllocator::MaskToValue(int32_t value, int32_t now) {
  const int group = Hold(value, now);
  for (int u = 0; u < vectors_; ++u) {
    const Xbyak::Xmm words = out_.Words(Register(group, u));
    out_.vpsrld(words, words, 31);
  }
  is_mask_[value] = false;
  if (where_[value].slot != kNone) free_slots_.push_back(where_[value].slot);
  where_[value].slot = kNone;
}

void RegisterAllocator::PutAway(int group) {
  Where& where = where_[held_[group]];
  if (where.slot == kNone) {
    where.slot = NewSlot();
    StoreGroup(group, where.slot);
  }
  where.group = kNone;
  held_[group] = kNone;
}

void RegisterAllocator::CopyInto(int32_t value, int group) {
  if (held_[group] != kNone) where_[held_[group]].group = kNone;
  if (where_[value].group != kNone) return MoveGroup(where_[value].group, group);
  LoadInto(value, group);
}

int RegisterAllocator::Take(int32_t now) {
  int best = kNone;
  int32_t farthest = -1;
  for (int group = 0; group < groups(); ++group) {
    if (pinned_[group]) continue;
    if (held_[group] == kNone) return group;
    const int32_t use = NextUse(held_[group], now);
    if (use > farthest) {
      farthest = use;
      best = group;
    }
  }
  if (best == kNone) {
    failed_ = true;
    return 0;
  }
  const int32_t value = held_[best];
  Where& where = where_[value];
  const bool dead = farthest == std::numeric_limits<int32_t>::max();
  if (!dead && !InMemory(code_.values[value]) && where.slot == kNone) {
    where.slot = NewSlot();
    StoreGroup(best, where.slot);
    spilled_ = true;
  }
  where.group = kNone;
  held_[best] = kNone;
  return best;
}

void RegisterAllocator::LoadInto(int32_t value, int group) {
  const LaneValue& info = code_.values[value];
  if (where_[value].slot != kNone) return LoadSlot(value, group);
  if (!InMemory(info)) {
    failed_ = true;
    return;
  }
  for (int u = 0; u < vectors_; ++u) {
    const Xbyak::Address from = info.kind == LaneValue::kConstant
                                    ? out_.Constant(info.bytes, info.pattern)
                                    : out_.ptr[Address(info, u)];
    out_.Load(Register(group, u), info.bytes, from);
  }
}

int RegisterAllocator::Hold(int32_t value, int32_t now) {
  if (where_[value].group != kNone) return where_[value].group;
  const int group = Take(now);
  LoadInto(value, group);
  Assign(value, group);
  return group;
}

// Comparisons make masks, and so do connectives of masks.
bool RegisterAllocator::MakesMask(const LaneStep& step) const {
  const LaneOperation& operation = step.operation;
  switch (operation.kind) {
    case LaneOperation::kCompare:
    case LaneOperation::kIsNonzero:
      return true;
    case LaneOperation::kConvert:
      return false;
    default:
      break;
  }
  if (operation.lane != Lane::kU8) return operation.to == Lane::kU8;  // is-finite
  for (int32_t k = operation.kind == LaneOperation::kSelect ? 1 : 0; k < step.operand_count; ++k) {
    if (!is_mask_[step.operands[k]]) return false;
  }
  if (operation.kind != LaneOperation::kArithmetic || operation.opcode != KernelOp::kNot) {
    return true;
  }
  // The complement of a pred is one only once it is wrapped; it may also be seen as a number.
  for (const auto& [value, array] : code_.stores) {
    if (value == step.result) return false;
  }
  for (const int32_t use : uses_[step.result]) {
    if (use >= static_cast<int32_t>(code_.steps.size())) return false;
    const LaneStep& user = code_.steps[use];
    if (user.operation.kind != LaneOperation::kWrapByte || user.bits != 1) return false;
  }
  return true;
}

void RegisterAllocator::EmitStep(int32_t i) {
  LaneStep step = code_.steps[i];
  LaneOperation& operation = step.operation;
  const bool commutes =
      operation.opcode == KernelOp::kAdd || operation.opcode == KernelOp::kMultiply;
  if (operation.kind == LaneOperation::kArithmetic && operation.swapped && commutes) {
    std::swap(step.operands[0], step.operands[1]);
  }
  // A sum or product of integers takes either operand from memory.
  std::array<int, 3> groups = {kNone, kNone, kNone};
  std::array<bool, 3> in_memory{};
  for (int32_t k = 0; k < step.operand_count; ++k) {
    const int32_t operand = step.operands[k];
    const LaneValue& value = code_.values[operand];
    const bool last = NextUse(operand, i + 1) == std::numeric_limits<int32_t>::max();
    in_memory[k] = out_.TakesMemory(step, k) && where_[operand].group == kNone &&
                   where_[operand].slot == kNone && InMemory(value) && value.bytes > 1 &&
                   (last || value.kind == LaneValue::kConstant);
    if (in_memory[k]) continue;
    groups[k] = Hold(operand, i);
    Pin(groups[k]);
  }
  const int count = out_.Temporaries(step);
  std::array<int, 3> temporaries = {kNone, kNone, kNone};
  for (int t = 0; t < count; ++t) {
    temporaries[t] = Take(i);
    Pin(temporaries[t]);
  }
  // An operation of one instruction may overwrite an operand that nobody needs any more.
  if (count == 0) {
    for (int32_t k = 0; k < step.operand_count; ++k) {
      if (NextUse(step.operands[k], i + 1) != std::numeric_limits<int32_t>::max()) continue;
      if (groups[k] != kNone) pinned_[groups[k]] = false;
      Forget(step.operands[k]);
    }
  }
  const int wished = preferred_[step.result];
  const bool granted = wished != kNone && held_[wished] == kNone && !pinned_[wished];
  const int result = granted ? wished : Take(i);
  const bool is_mask = MakesMask(step);
  is_mask_[step.result] = is_mask;
  for (int u = 0; u < vectors_; ++u) {
    std::array<Xbyak::Xmm, 3> registers;
    std::array<Xbyak::Address, 3> addresses = {
        out_.ptr[Xbyak::util::rsp], out_.ptr[Xbyak::util::rsp], out_.ptr[Xbyak::util::rsp]};
    std::array<VectorAssembler::Vector, 3> operands;
    for (int32_t k = 0; k < step.operand_count; ++k) {
      const LaneValue& value = code_.values[step.operands[k]];
      if (in_memory[k]) {
        addresses[k] = value.kind == LaneValue::kConstant
                           ? out_.Constant(value.bytes, value.pattern)
                           : out_.ptr[Address(value, u)];
        operands[k].operand = &addresses[k];
      } else {
        registers[k] = out_.Whole(Register(groups[k], u));
        operands[k].operand = &registers[k];
      }
      operands[k].is_mask = is_mask_[step.operands[k]];
    }
    std::array<int, 3> numbers{};
    for (int t = 0; t < count; ++t) numbers[t] = Register(temporaries[t], u);
    out_.Apply(step, operands, Register(result, u), is_mask, numbers);
  }
  for (int32_t k = 0; k < step.operand_count; ++k) ForgetDead(step.operands[k], i);
  UnpinAll();
  Assign(step.result, result);
  Pin(result);
  Defined(step.result, i);
  UnpinAll();
  ForgetDead(step.result, i);
}

}  // namespace assay::cpu
