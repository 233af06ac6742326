// Which item an infeed takes, or where in the queue an outfeed puts its own, follows from their
// order.
//   feed_c1 (strict) paths of operands and control edges order the infeeds of a module totally, and
//       so its outfeeds; what calls a computation with a feed counts as a feed
// Source: reference ops_control_and_collectives.md 8.3, decision 20 of 16. Tests:
// verify_cases_test.cc.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/verify/feed_order.h"
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

using Computations = absl::flat_hash_set<const Computation*>;

// The computations that contain a feed, or call one that does.
Computations WithFeed(const Module& module, Opcode feed) {
  absl::flat_hash_map<const Computation*, std::vector<const Computation*>> callers;
  Computations with_feed;
  std::vector<const Computation*> pending;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == feed && with_feed.insert(computation.get()).second) {
        pending.push_back(computation.get());
      }
      for (const Computation* callee : instruction->called_computations()) {
        callers[callee].push_back(computation.get());
      }
    }
  }
  while (!pending.empty()) {
    const Computation* callee = pending.back();
    pending.pop_back();
    for (const Computation* caller : callers[callee]) {
      if (with_feed.insert(caller).second) pending.push_back(caller);
    }
  }
  return with_feed;
}

// How many feeds lie on the longest path to each instruction, itself included, tells them apart
// just when they are in a total order: two of the same number are not joined by a path.
void FindUnordered(const Computation& computation, Opcode feed, const Computations& with_feed,
                   std::vector<UnorderedFeeds>* found) {
  const auto feeds_here = [&](const Instruction& instruction) {
    if (instruction.opcode() == feed) return true;
    for (const Computation* callee : instruction.called_computations()) {
      if (with_feed.contains(callee)) return true;
    }
    return false;
  };
  int64_t feeds = 0;
  for (const auto& instruction : computation.instructions()) feeds += feeds_here(*instruction);
  if (feeds < 2) return;
  std::vector<int64_t> longest(computation.instruction_count(), 0);
  std::vector<const Instruction*> at(feeds + 1);
  for (const Instruction* instruction : Ordered(computation)) {
    int64_t& length = longest[instruction->index()];
    for (const auto& list : {instruction->operands(), instruction->control_predecessors()}) {
      for (const Instruction* before : list) length = std::max(length, longest[before->index()]);
    }
    if (!feeds_here(*instruction)) continue;
    const Instruction*& other = at[++length];
    if (other == nullptr) {
      other = instruction;
      continue;
    }
    found->push_back({other, instruction});
  }
}

}  // namespace

std::vector<UnorderedFeeds> FindUnorderedFeeds(const Module& module, Opcode feed) {
  std::vector<UnorderedFeeds> found;
  const Computations with_feed = WithFeed(module, feed);
  if (with_feed.empty()) return found;
  for (const auto& computation : module.computations()) {
    if (with_feed.contains(computation.get())) {
      FindUnordered(*computation, feed, with_feed, &found);
    }
  }
  return found;
}

void CheckFeeds(const Module& module, Findings& findings) {
  if (!findings.strict()) return;
  for (Opcode feed : {Opcode::kInfeed, Opcode::kOutfeed}) {
    for (const auto& [first, second] : FindUnorderedFeeds(module, feed)) {
      findings.Add("feed_c1", *second,
                   absl::StrCat("tokens, data or control edges must order the ", Name(feed),
                                "s of a module"),
                   absl::StrCat("no path between it and ", first->name()));
    }
  }
}

}  // namespace assay
