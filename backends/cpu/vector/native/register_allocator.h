// Assigns registers to the values of lane code, step by step, and emits the steps. A value takes
// one register (a group) for each vector that is computed in parallel. If registers run out, the
// value whose next use is farthest is spilled to its place in memory or to the stack. Tests:
// native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_REGISTER_ALLOCATOR_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_REGISTER_ALLOCATOR_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "backends/cpu/vector/native/vector_assembler.h"

namespace assay::cpu {

class RegisterAllocator {
 public:
  static constexpr int kNone = -1;

  // `array_of` gives the address of vector u of an array.
  RegisterAllocator(const LaneCode& code, int vectors, VectorAssembler& out);
  virtual ~RegisterAllocator() = default;

  int groups() const { return out_.registers() / vectors_; }
  int Register(int group, int u) const { return group * vectors_ + u; }

  // The value is used at a step, which is called in the order of the steps.
  void AddUse(int32_t value, int32_t step);
  // Emits step i of the code.
  void EmitStep(int32_t i);
  // Returns a group that holds the value.
  int Hold(int32_t value, int32_t now);
  // Returns a group for a new value; may spill values that are not pinned.
  int Take(int32_t now);
  void Pin(int group) { pinned_[group] = true; }
  void UnpinAll() { pinned_ = {}; }
  void Assign(int32_t value, int group);
  void Forget(int32_t value);
  // Forgets the value if its last use was before or at `now`.
  void ForgetDead(int32_t value, int32_t now);

  int group_of(int32_t value) const { return where_[value].group; }
  int slot_of(int32_t value) const { return where_[value].slot; }
  bool is_mask(int32_t value) const { return is_mask_[value]; }
  void LoadSlot(int32_t value, int group);
  void AssignSlot(int32_t value, int slot) { where_[value].slot = slot; }
  // Converts a mask to the values 0 and 1.
  void MaskToValue(int32_t value, int32_t now);
  // Spills the value in the group.
  void PutAway(int group);
  // Copies the value into the group from wherever it is.
  void CopyInto(int32_t value, int group);
  void MoveGroup(int from, int to);
  void StoreGroup(int group, int slot);
  int NewSlot();
  bool failed() const { return failed_; }
  bool spilled() const { return spilled_; }
  // Sets the group that a result gets if it is free then (kNone for any group).
  void Prefer(int32_t value, int group) { preferred_[value] = group; }

  Xbyak::RegExp Slot(int slot, int u) const {
    return Xbyak::util::rsp + out_.vector_bytes() * (slot * vectors_ + u);
  }
  // The bytes of all slots.
  int64_t room() const { return int64_t{out_.vector_bytes()} * slots_ * vectors_; }

 protected:
  // Returns the address of vector u of an array or of a uniform value.
  virtual Xbyak::RegExp Address(const LaneValue& value, int u) = 0;
  // Called when a value has been computed into its group.
  virtual void Defined(int32_t /*value*/, int32_t /*now*/) {}

  const LaneCode& code_;
  const int vectors_;
  VectorAssembler& out_;

 private:
  static constexpr int kMostRegisters = 32;
  struct Where {
    int group = kNone;
    int slot = kNone;
  };
  int32_t NextUse(int32_t value, int32_t now);
  bool InMemory(const LaneValue& value) const {
    return value.kind == LaneValue::kArray || value.kind == LaneValue::kUniform ||
           value.kind == LaneValue::kConstant;
  }
  void LoadInto(int32_t value, int group);
  bool MakesMask(const LaneStep& step) const;

  std::vector<Where> where_;
  std::vector<bool> is_mask_;
  std::vector<int> preferred_;
  std::vector<std::vector<int32_t>> uses_;
  std::vector<size_t> next_;
  std::array<int32_t, kMostRegisters> held_;
  std::array<bool, kMostRegisters> pinned_{};
  std::vector<int> free_slots_;
  int slots_ = 0;
  bool failed_ = false, spilled_ = false;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_REGISTER_ALLOCATOR_H_
