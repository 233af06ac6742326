#include "spec/analysis/call_order.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace assay::analysis {

CallOrder FindCallOrder(absl::Span<const Computation* const> roots, CalleesOf callees_of) {
  enum class State : uint8_t { kOpen, kDone };
  struct Visit {
    const Computation* computation;
    std::vector<const Computation*> callees;
    size_t next = 0;
    bool circular = false;
  };
  CallOrder found;
  absl::flat_hash_map<const Computation*, State> states;
  std::vector<Visit> stack;
  const auto enter = [&](const Computation* computation) {
    if (computation == nullptr || !states.try_emplace(computation, State::kOpen).second) return;
    stack.push_back({computation, callees_of(*computation)});
  };
  for (const Computation* root : roots) {
    enter(root);
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next < top.callees.size()) {
        const Computation* callee = top.callees[top.next++];
        const auto state = states.find(callee);
        if (state == states.end()) {
          enter(callee);
        } else if (state->second == State::kOpen) {
          top.circular = true;
          if (found.recursive == nullptr) found.recursive = callee;
        } else if (found.circular.contains(callee)) {
          top.circular = true;
        }
        continue;
      }
      const Visit done = std::move(top);
      stack.pop_back();
      states[done.computation] = State::kDone;
      found.callees_first.push_back(done.computation);
      if (!done.circular) continue;
      found.circular.insert(done.computation);
      if (!stack.empty()) stack.back().circular = true;
    }
  }
  return found;
}

std::vector<const Computation*> AllCallees(const Computation& computation) {
  std::vector<const Computation*> callees;
  for (const auto& instruction : computation.instructions()) {
    for (const Computation* callee : instruction->called_computations()) callees.push_back(callee);
  }
  return callees;
}

}  // namespace assay::analysis
