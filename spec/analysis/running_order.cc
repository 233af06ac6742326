#include "spec/analysis/running_order.h"

#include <cstdint>

namespace assay::analysis {

std::vector<const Instruction*> RunningOrder(const Computation& computation) {
  std::vector<const Instruction*> order;
  if (!computation.schedule().empty()) {
    order.assign(computation.schedule().begin(), computation.schedule().end());
    return order;
  }
  // Depth first, so that what others wait for comes right before them.
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  std::vector<Mark> marks(computation.instruction_count(), Mark::kNew);
  std::vector<const Instruction*> stack;
  order.reserve(marks.size());
  for (const auto& first : computation.instructions()) {
    stack.push_back(first.get());
    while (!stack.empty()) {
      const Instruction* top = stack.back();
      Mark& mark = marks[top->index()];
      if (mark == Mark::kNew) {
        mark = Mark::kOpen;
        for (const auto& list : {top->operands(), top->control_predecessors()}) {
          for (const Instruction* before : list) {
            if (marks[before->index()] == Mark::kNew) stack.push_back(before);
          }
        }
        if (stack.back() != top) continue;
      }
      stack.pop_back();
      if (mark == Mark::kDone) continue;
      mark = Mark::kDone;
      order.push_back(top);
    }
  }
  return order;
}

}  // namespace assay::analysis
