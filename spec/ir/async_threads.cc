#include "spec/ir/async_threads.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace assay {
namespace {

constexpr absl::string_view kMainThread = "main";

std::string ThreadOf(const Instruction& start) {
  const auto* thread = start.attributes().Get<std::string>(Attr::kAsyncExecutionThread);
  return thread == nullptr ? std::string(kMainThread) : *thread;
}

void SetThread(const std::string& thread, Instruction* start) {
  if (thread == kMainThread) {
    start->EraseAttribute(Attr::kAsyncExecutionThread);
  } else {
    start->SetAttribute(Attr::kAsyncExecutionThread, thread);
  }
}

}  // namespace

void InheritAsyncThreads(const Module& module) {
  // From the last start on, so that every computation is looked at once.
  absl::flat_hash_set<const Computation*> done;
  std::vector<Computation*> reached;
  for (size_t c = module.computations().size(); c-- > 0;) {
    const auto instructions = module.computations()[c]->instructions();
    for (size_t i = instructions.size(); i-- > 0;) {
      if (instructions[i]->opcode() != Opcode::kAsyncStart) continue;
      const std::string thread = ThreadOf(*instructions[i]);
      if (Computation* callee = instructions[i]->GetComputation(Attr::kCalls)) {
        reached.push_back(callee);
      }
      while (!reached.empty()) {
        Computation* computation = reached.back();
        reached.pop_back();
        if (!done.insert(computation).second) continue;
        computation->set_execution_thread(thread);
        for (const auto& instruction : computation->instructions()) {
          if (instruction->opcode() == Opcode::kAsyncStart) SetThread(thread, instruction.get());
          for (Computation* callee : instruction->called_computations()) reached.push_back(callee);
        }
      }
    }
  }
}

}  // namespace assay
