// Computations as graphs.
//   graph_c1 a module has an entry, one of its computations
//   graph_c2 a computation has instructions
//   graph_c3 its root is one of them
//   graph_c4 operands are instructions of the same computation
//   graph_c5 so are control predecessors
//   graph_c6 neither makes a cycle
// Source: reference ops_control_and_collectives.md 1, 14.1. Tests: verifier_test.cc.
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

std::string Whereabouts(const Instruction* other) {
  if (other == nullptr) return "none";
  return absl::StrCat(other->name(), " in ",
                      other->parent() == nullptr ? "no computation" : other->parent()->name());
}

bool CheckEdges(const Computation& computation, Findings& findings, bool* in_order) {
  bool sound = true;
  for (const auto& instruction : computation.instructions()) {
    for (const Instruction* operand : instruction->operands()) {
      if (operand == nullptr || operand->parent() != &computation) {
        findings.Add("graph_c4", *instruction, "operands must be in the same computation",
                     Whereabouts(operand));
        sound = false;
      } else if (operand->index() >= instruction->index()) {
        *in_order = false;
      }
    }
    for (const Instruction* predecessor : instruction->control_predecessors()) {
      if (predecessor == nullptr || predecessor->parent() != &computation) {
        findings.Add("graph_c5", *instruction,
                     "control predecessors must be in the same computation",
                     Whereabouts(predecessor));
        sound = false;
      } else if (predecessor->index() >= instruction->index()) {
        *in_order = false;
      }
    }
  }
  return sound;
}

// Takes away instructions whose needs are met until none is left; one that stays is on a cycle, or
// behind one.
void CheckCycles(const Computation& computation, Findings& findings) {
  const int64_t count = computation.instruction_count();
  std::vector<int64_t> unmet(count, 0);
  std::vector<std::vector<int32_t>> users(count);
  for (const auto& instruction : computation.instructions()) {
    auto need = [&](const Instruction* other) {
      ++unmet[instruction->index()];
      users[other->index()].push_back(static_cast<int32_t>(instruction->index()));
    };
    for (const Instruction* operand : instruction->operands()) need(operand);
    for (const Instruction* predecessor : instruction->control_predecessors()) need(predecessor);
  }
  std::vector<int64_t> ready;
  for (int64_t i = 0; i < count; ++i) {
    if (unmet[i] == 0) ready.push_back(i);
  }
  int64_t done = 0;
  while (!ready.empty()) {
    const int64_t i = ready.back();
    ready.pop_back();
    ++done;
    for (int32_t user : users[i]) {
      if (--unmet[user] == 0) ready.push_back(user);
    }
  }
  if (done == count) return;
  // Back along what is unmet until an instruction comes again: that one is on a cycle.
  int64_t at = 0;
  while (unmet[at] == 0) ++at;
  std::vector<bool> seen(count, false);
  while (!seen[at]) {
    seen[at] = true;
    const Instruction& instruction = *computation.instruction(at);
    auto go = [&](const Instruction* other) {
      if (unmet[other->index()] == 0) return false;
      at = other->index();
      return true;
    };
    bool moved = false;
    for (const Instruction* operand : instruction.operands()) {
      if ((moved = go(operand))) break;
    }
    for (const Instruction* predecessor : instruction.control_predecessors()) {
      if (moved || (moved = go(predecessor))) break;
    }
  }
  findings.Add("graph_c6", *computation.instruction(at),
               "no instruction may depend on its own result",
               absl::StrCat("a cycle through ", computation.instruction(at)->name()));
}

}  // namespace

bool CheckGraph(const Module& module, Findings& findings) {
  bool sound = true;
  const Computation* entry = module.entry();
  if (entry == nullptr || entry->parent() != &module) {
    findings.Add("graph_c1", module, "a module must have an entry computation of its own",
                 entry == nullptr ? "none" : entry->name());
    sound = false;
  }
  for (const auto& computation : module.computations()) {
    const Instruction* root = computation->root();
    if (root == nullptr) {
      findings.Add("graph_c2", *computation, "a computation must have instructions", "none");
      sound = false;
      continue;
    }
    if (root->parent() != computation.get()) {
      findings.Add("graph_c3", *computation, "the root must be an instruction of the computation",
                   Whereabouts(root));
      sound = false;
    }
    bool in_order = true;
    if (!CheckEdges(*computation, findings, &in_order)) {
      sound = false;
    } else if (!in_order) {
      CheckCycles(*computation, findings);
    }
  }
  return sound;
}

}  // namespace assay
