// Depth-first orders with explicit stacks: chains of a million instructions and thousands of nested
// calls must not recurse. Tests: printer_order_test.cc.
#include "spec/text/printer_order.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "spec/analysis/call_order.h"

namespace assay::printing {
namespace {

using ComputationSet = absl::flat_hash_set<const Computation*>;

// Ids count in the order of creation; the stored order of a module read from a proto may be
// another. Items of which one has no id stay as they are stored.
template <typename Item>
void SortByCreation(std::vector<const Item*>* items) {
  const auto has_no_id = [](const Item* item) { return item->id() == 0; };
  if (std::any_of(items->begin(), items->end(), has_no_id)) return;
  std::stable_sort(items->begin(), items->end(),
                   [](const Item* a, const Item* b) { return a->id() < b->id(); });
}

std::vector<const Computation*> CalleesByCreationOfTheirCallers(const Computation& computation) {
  std::vector<const Instruction*> callers;
  for (const auto& instruction : computation.instructions()) {
    if (!instruction->called_computations().empty()) callers.push_back(instruction.get());
  }
  SortByCreation(&callers);
  std::vector<const Computation*> callees;
  for (const Instruction* caller : callers) {
    for (const Computation* callee : caller->called_computations()) callees.push_back(callee);
  }
  return callees;
}

bool CalleesComeFirst(const Module& module) {
  ComputationSet seen;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* callee : instruction->called_computations()) {
        if (!seen.contains(callee)) return false;
      }
    }
    seen.insert(computation.get());
  }
  return true;
}

bool OperandsComeFirst(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    const auto is_later = [&](const Instruction* other) {
      return other->index() >= instruction->index();
    };
    for (const Instruction* operand : instruction->operands()) {
      if (is_later(operand)) return false;
    }
    for (const Instruction* predecessor : instruction->control_predecessors()) {
      if (is_later(predecessor)) return false;
    }
  }
  return true;
}

class PostOrder {
 public:
  explicit PostOrder(const Computation& computation)
      : computation_(computation), states_(computation.instruction_count(), State::kNew) {
    order_.reserve(states_.size());
  }

  std::vector<const Instruction*> Compute() {
    std::vector<bool> used(states_.size(), false);
    for (const auto& instruction : computation_.instructions()) {
      for (const Instruction* operand : instruction->operands()) used[operand->index()] = true;
    }
    std::vector<const Instruction*> unused;
    for (const auto& instruction : computation_.instructions()) {
      if (!used[instruction->index()]) unused.push_back(instruction.get());
    }
    SortByCreation(&unused);
    for (const Instruction* instruction : unused) Visit(instruction);
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  void Visit(const Instruction* start) {
    stack_.push_back(start);
    while (!stack_.empty()) {
      const Instruction* top = stack_.back();
      State& state = states_[top->index()];
      if (state == State::kNew) {
        state = State::kOpen;
        Push(*top);
        continue;
      }
      stack_.pop_back();
      if (state == State::kDone) continue;
      state = State::kDone;
      order_.push_back(top);
    }
  }

  void Push(const Instruction& instruction) {
    const auto push = [this](const Instruction* other) {
      if (states_[other->index()] == State::kNew) stack_.push_back(other);
    };
    for (int64_t i = instruction.operand_count(); i-- > 0;) push(instruction.operand(i));
    for (const Instruction* predecessor : instruction.control_predecessors()) push(predecessor);
  }

  const Computation& computation_;
  std::vector<State> states_;
  std::vector<const Instruction*> stack_;
  std::vector<const Instruction*> order_;
};

}  // namespace

std::vector<const Computation*> ComputationOrder(const Module& module, bool stored) {
  std::vector<const Computation*> order;
  order.reserve(module.computations().size());
  if (stored && CalleesComeFirst(module)) {
    for (const auto& computation : module.computations()) order.push_back(computation.get());
    return order;
  }
  ComputationSet called;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* callee : instruction->called_computations()) called.insert(callee);
    }
  }
  std::vector<const Computation*> uncalled;
  for (const auto& computation : module.computations()) {
    if (!called.contains(computation.get())) uncalled.push_back(computation.get());
  }
  SortByCreation(&uncalled);
  std::vector<const Computation*> roots = std::move(uncalled);
  // Computations that only call themselves make no valid module, but they are shown all the same.
  for (const auto& computation : module.computations()) roots.push_back(computation.get());
  return analysis::FindCallOrder(roots, CalleesByCreationOfTheirCallers).callees_first;
}

std::vector<const Instruction*> InstructionOrder(const Computation& computation, bool stored,
                                                 bool scheduled) {
  if (scheduled && !computation.schedule().empty()) {
    return {computation.schedule().begin(), computation.schedule().end()};
  }
  if (stored && OperandsComeFirst(computation)) {
    std::vector<const Instruction*> order;
    order.reserve(computation.instruction_count());
    for (const auto& instruction : computation.instructions()) order.push_back(instruction.get());
    return order;
  }
  return PostOrder(computation).Compute();
}

}  // namespace assay::printing
