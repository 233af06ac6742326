// Which item an infeed takes, or where in the queue an outfeed puts its own, follows from their
// order.
//   feed_c1 (strict) paths of operands and control edges order the infeeds of a computation
//   totally,
//           and so its outfeeds
// Source: reference ops_control_and_collectives.md 8.3, decision 20 of 16. Tests:
// verify_cases_test.cc.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

// Instructions after their operands and control predecessors, however the module lists them. Those
// on cycles are left out.
std::vector<const Instruction*> Ordered(const Computation& computation) {
  const int64_t count = computation.instruction_count();
  std::vector<int64_t> unmet(count, 0);
  std::vector<std::vector<int32_t>> users(count);
  std::vector<const Instruction*> order;
  for (const auto& instruction : computation.instructions()) {
    for (const auto& list : {instruction->operands(), instruction->control_predecessors()}) {
      unmet[instruction->index()] += static_cast<int64_t>(list.size());
      for (const Instruction* before : list) {
        users[before->index()].push_back(static_cast<int32_t>(instruction->index()));
      }
    }
  }
  for (const auto& instruction : computation.instructions()) {
    if (unmet[instruction->index()] == 0) order.push_back(instruction.get());
  }
  for (size_t next = 0; next < order.size(); ++next) {
    for (const int32_t user : users[order[next]->index()]) {
      if (--unmet[user] == 0) order.push_back(computation.instruction(user));
    }
  }
  return order;
}

// How many feeds lie on the longest path to each instruction, itself included, tells them apart
// just when they are in a total order: two of the same number are not joined by a path.
void CheckOrder(const Computation& computation, Opcode feed, Findings& findings) {
  int64_t feeds = 0;
  for (const auto& instruction : computation.instructions()) feeds += instruction->opcode() == feed;
  if (feeds < 2) return;
  std::vector<int64_t> longest(computation.instruction_count(), 0);
  std::vector<const Instruction*> at(feeds + 1);
  for (const Instruction* instruction : Ordered(computation)) {
    int64_t& length = longest[instruction->index()];
    for (const auto& list : {instruction->operands(), instruction->control_predecessors()}) {
      for (const Instruction* before : list) length = std::max(length, longest[before->index()]);
    }
    if (instruction->opcode() != feed) continue;
    const Instruction*& other = at[++length];
    if (other == nullptr) {
      other = instruction;
      continue;
    }
    findings.Add(
        "feed_c1", *instruction,
        absl::StrCat("tokens or control edges must order the ", Name(feed), "s of a computation"),
        absl::StrCat("no path between it and ", other->name()));
  }
}

}  // namespace

void CheckFeeds(const Module& module, Findings& findings) {
  if (!findings.strict()) return;
  for (const auto& computation : module.computations()) {
    CheckOrder(*computation, Opcode::kInfeed, findings);
    CheckOrder(*computation, Opcode::kOutfeed, findings);
  }
}

}  // namespace assay
