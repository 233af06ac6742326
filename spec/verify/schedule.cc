// The order in which a scheduled module runs.
//   schedule_c1 a computation of a scheduled module has a schedule (fused ones need none)
//   schedule_c2 of all its instructions, each once
//   schedule_c3 that come after their operands and control predecessors
// Source: reference ops_control_and_collectives.md 1.2; hlo_text_format.md 2.2. Tests:
// verifier_test.cc, verify_cases_test.cc.
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

void CheckOrder(const Computation& computation, Findings& findings) {
  std::vector<int64_t> place(computation.instruction_count(), -1);
  for (size_t i = 0; i < computation.schedule().size(); ++i) {
    const Instruction* instruction = computation.schedule()[i];
    if (instruction == nullptr || instruction->parent() != &computation ||
        place[instruction->index()] >= 0) {
      findings.Add("schedule_c2", computation,
                   "a schedule must have instructions of its computation, each once",
                   instruction == nullptr ? "none" : instruction->name());
      continue;
    }
    place[instruction->index()] = static_cast<int64_t>(i);
  }
  for (const auto& instruction : computation.instructions()) {
    const int64_t own = place[instruction->index()];
    if (own < 0) {
      findings.Add("schedule_c2", *instruction, "a schedule must have every instruction",
                   "this one missing");
      continue;
    }
    auto check = [&](const Instruction* other) {
      if (place[other->index()] < own) return;
      findings.Add("schedule_c3", *instruction,
                   "a schedule must have an instruction after what it needs",
                   absl::StrCat(other->name(), " behind it"));
    };
    for (const Instruction* operand : instruction->operands()) check(operand);
    for (const Instruction* predecessor : instruction->control_predecessors()) check(predecessor);
  }
}

}  // namespace

void CheckSchedules(const Module& module, Findings& findings) {
  if (!module.is_scheduled) return;
  for (const auto& computation : module.computations()) {
    if (!computation->schedule().empty()) {
      CheckOrder(*computation, findings);
    } else if (computation.get() == module.entry()) {
      findings.Add("schedule_c1", *computation,
                   "a scheduled module must have a schedule of its entry", "none");
    }
  }
}

}  // namespace assay
