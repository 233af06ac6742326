// Loops on few elements: the state stays in registers from one iteration to the next.
// Tests: native_test.cc.
#include <memory>
#include <utility>

#include "backends/cpu/vector/native/native_frame.h"
#include "backends/defect.h"

namespace assay::cpu {
namespace native {
namespace {

// Groups of registers that are left to the values of an iteration.
constexpr int kWorkGroups = 5;

class LoopEmitter {
 public:
  LoopEmitter(LaneLoop loop, int vectors, std::unique_ptr<VectorAssembler> assembler)
      : loop_(std::move(loop)),
        assembler_(std::move(assembler)),
        out_(*assembler_),
        vectors_(vectors),
        end_(static_cast<int32_t>(loop_.code.steps.size())),
        frame_(out_),
        allocator_(loop_.code, vectors, out_, /*indexed=*/false) {}

  std::unique_ptr<const NativeCode> Run() {
    AddUses();
    allocator_.LoadBases(ArrayCount(loop_.code));
    out_.xor_(Reg64(kIndex), Reg64(kIndex));
    LoadState();
    Xbyak::Label head, exhausted, done;
    const Places canonical = Now();
    out_.align(32);
    out_.L(head);
    out_.cmp(Reg64(kIndex), Reg64(kCount));
    out_.jge(exhausted, Xbyak::CodeGenerator::T_NEAR);
    for (int32_t i = 0; i < loop_.condition_steps; ++i) allocator_.EmitStep(i);
    EmitBranch(done);
    const Places at_branch = Now();
    allocator_.ForgetDead(loop_.condition, loop_.condition_steps);
    for (const Changing& changing : changing_) {
      allocator_.ForgetDead(loop_.state[changing.leaf], loop_.condition_steps);
    }
    for (int32_t i = loop_.condition_steps + 1; i < end_; ++i) allocator_.EmitStep(i);
    if (!EmitHandover()) return nullptr;
    out_.inc(Reg64(kIndex));
    out_.jmp(head, Xbyak::CodeGenerator::T_NEAR);
    out_.L(exhausted);
    EmitExit(canonical);
    out_.L(done);
    EmitExit(ASSAY_DEFECT(59, at_branch, Places()));
    frame_.SetRoom(allocator_.room());
    if (allocator_.failed()) return nullptr;
    auto compiled =
        std::make_unique<CompiledCode>(std::move(assembler_), vectors_ * out_.elements());
    compiled->Finish(frame_.pool_offset());
    return compiled;
  }

 private:
  // Where the leaves that change are at some point of the code.
  struct Place {
    int group, slot;
  };
  using Places = std::vector<Place>;

  // What an iteration hands on unchanged is read where it lies.
  bool Changes(size_t leaf) const { return loop_.next[leaf] != loop_.state[leaf]; }

  void AddUses() {
    for (int32_t i = 0; i <= end_; ++i) {
      if (i == loop_.condition_steps) {
        allocator_.AddUse(loop_.condition, i);
        // The loop may end here with this state.
        for (size_t leaf = 0; leaf < loop_.state.size(); ++leaf) {
          if (Changes(leaf)) allocator_.AddUse(loop_.state[leaf], i);
        }
      }
      if (i == end_ || i == loop_.condition_steps) continue;
      const LaneStep& step = loop_.code.steps[i];
      for (int32_t k = 0; k < step.operand_count; ++k) allocator_.AddUse(step.operands[k], i);
    }
    const int most = allocator_.groups() - kWorkGroups;
    for (size_t leaf = 0; leaf < loop_.state.size(); ++leaf) {
      if (!Changes(leaf)) continue;
      const int group = static_cast<int>(changing_.size());
      changing_.push_back({leaf, group < most ? group : RegisterAllocator::kNone});
      allocator_.AddUse(loop_.next[leaf], end_);
      if (group < most) {
        allocator_.Prefer(loop_.next[leaf], group);
      } else {
        allocator_.AddUse(loop_.state[leaf], end_);  // its slot is its own
      }
    }
  }

  void LoadLeaf(size_t leaf, int group) {
    const int32_t bytes = Bytes(leaf);
    for (int u = 0; u < vectors_; ++u) {
      out_.Load(allocator_.Register(group, u), bytes, out_.ptr[LeafAddress(leaf, u)]);
    }
  }

  void LoadState() {
    for (const auto& [leaf, group] : changing_) {
      if (group == RegisterAllocator::kNone) {
        homes_.push_back(allocator_.NewSlot());
        LoadLeaf(leaf, 0);
        allocator_.StoreGroup(0, homes_.back());
        allocator_.AssignSlot(loop_.state[leaf], homes_.back());
      } else {
        homes_.push_back(RegisterAllocator::kNone);
      }
    }
    for (const auto& [leaf, group] : changing_) {
      if (group == RegisterAllocator::kNone) continue;
      LoadLeaf(leaf, group);
      allocator_.Assign(loop_.state[leaf], group);
    }
  }

  Places Now() const {
    Places places;
    for (const auto& [leaf, group] : changing_) {
      places.push_back(
          {allocator_.group_of(loop_.state[leaf]), allocator_.slot_of(loop_.state[leaf])});
    }
    return places;
  }

  void EmitBranch(Xbyak::Label& done) {
    const int32_t now = loop_.condition_steps;
    const int group = allocator_.Hold(loop_.condition, now);
    // The lowest bit, of a value and of a mask alike.
    out_.vmovd(out_.eax, Xbyak::Xmm(allocator_.Register(group, 0)));
    out_.test(out_.al, 1);
    out_.jz(done, Xbyak::CodeGenerator::T_NEAR);
  }

  // Where the state was at that point.
  void EmitExit(const Places& places) {
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i].group != RegisterAllocator::kNone)
        StoreLeaf(changing_[i].leaf, places[i].group);
    }
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i].group != RegisterAllocator::kNone) continue;
      for (int u = 0; u < vectors_; ++u) {
        out_.vmovups(out_.Whole(allocator_.Register(0, u)),
                     out_.ptr[allocator_.Slot(places[i].slot, u)]);
      }
      StoreLeaf(changing_[i].leaf, 0);
    }
    out_.mov(out_.rax, Reg64(kIndex));
    frame_.Return();
  }

  // Bytes are packed in the register itself, which nobody needs any more.
  void StoreLeaf(size_t leaf, int group) {
    for (int u = 0; u < vectors_; ++u) {
      const int number = allocator_.Register(group, u);
      out_.Store(LeafAddress(leaf, u), Bytes(leaf), number, /*is_mask=*/false, number);
    }
  }

  Xbyak::RegExp LeafAddress(size_t leaf, int u) {
    return allocator_.ArrayAddress(static_cast<int32_t>(leaf), Bytes(leaf), false, u) +
           u * out_.elements() * Bytes(leaf);
  }
  int32_t Bytes(size_t leaf) const { return loop_.code.values[loop_.state[leaf]].bytes; }

  // The values of the next iteration go to the places of this one's.
  bool EmitHandover() {
    for (const auto& [leaf, group] : changing_) {
      if (allocator_.is_mask(loop_.next[leaf])) allocator_.MaskToValue(loop_.next[leaf], end_);
    }
    for (size_t i = 0; i < changing_.size(); ++i) {
      if (homes_[i] == RegisterAllocator::kNone) continue;
      const int32_t next = loop_.next[changing_[i].leaf];
      if (allocator_.group_of(next) == RegisterAllocator::kNone && IsHome(next)) return false;
      const int source = allocator_.Hold(next, end_);
      for (size_t j = 0; j < changing_.size(); ++j) {
        const int32_t other = loop_.next[changing_[j].leaf];
        const bool needs = j != i && other == loop_.state[changing_[i].leaf];
        if (needs && allocator_.group_of(other) == RegisterAllocator::kNone) return false;
      }
      allocator_.StoreGroup(source, homes_[i]);
      allocator_.AssignSlot(loop_.state[changing_[i].leaf], RegisterAllocator::kNone);
    }
    return EmitMoves();
  }

  bool IsHome(int32_t value) const {
    const int slot = allocator_.slot_of(value);
    for (const int home : homes_) {
      if (home != RegisterAllocator::kNone && home == slot) return true;
    }
    return false;
  }

  // Moves into registers that no pending move reads come first; a cycle is opened by a slot.
  bool EmitMoves() {
    std::vector<std::pair<int, int32_t>> pending;  // a group, and the value that it gets
    for (const auto& [leaf, group] : changing_) {
      if (group == RegisterAllocator::kNone) continue;
      if (allocator_.group_of(loop_.next[leaf]) != group)
        pending.push_back({group, loop_.next[leaf]});
    }
    while (!pending.empty()) {
      auto ready = pending.begin();
      while (ready != pending.end() && IsRead(ready->first, pending)) ++ready;
      if (ready == pending.end()) {
        allocator_.PutAway(pending.front().first);
        continue;
      }
      if (ASSAY_DEFECT(60, true, pending.size() > 1))
        allocator_.CopyInto(ready->second, ready->first);
      pending.erase(ready);
    }
    return true;
  }

  bool IsRead(int group, const std::vector<std::pair<int, int32_t>>& pending) const {
    for (const auto& [target, value] : pending) {
      if (allocator_.group_of(value) == group) return true;
    }
    return false;
  }

  struct Changing {
    size_t leaf;
    int group;  // at the head of the loop; none: a slot
  };
  LaneLoop loop_;
  std::unique_ptr<VectorAssembler> assembler_;
  VectorAssembler& out_;
  const int vectors_;
  const int32_t end_;
  Frame frame_;
  Allocator allocator_;
  std::vector<Changing> changing_;
  std::vector<int> homes_;
};

}  // namespace
}  // namespace native

std::unique_ptr<const NativeCode> CompileLoop(const LaneLoop& loop, int vectors) {
  if (!NativeCodeRuns() || loop.code.steps.size() > native::kMostSteps) return nullptr;
  LaneLoop copy = loop;
  for (size_t leaf = 0; leaf < copy.state.size(); ++leaf) {
    if (copy.next[leaf] == copy.state[leaf]) {
      copy.code.values[copy.state[leaf]].kind = LaneValue::kArray;
    }
  }
  // The branch has a place among the steps.
  copy.code.steps.insert(copy.code.steps.begin() + copy.condition_steps, LaneStep{});
  auto assembler = VectorAssembler::Make(native::IsWide(copy.code));
  try {
    return native::LoopEmitter(std::move(copy), vectors, std::move(assembler)).Run();
  } catch (const Xbyak::Error&) {
    return nullptr;
  }
}

}  // namespace assay::cpu
