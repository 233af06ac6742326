// Names tell instructions and computations apart.
//   name_c1 computations have names of their own
//   name_c2 so do instructions, in the whole module
// A text may repeat an instruction's name in another computation; its reader makes them unique.
// Source: reference ops_control_and_collectives.md 1.4. Tests: verifier_test.cc.
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "spec/verify/module_checks.h"

namespace assay {

void CheckNames(const Module& module, Findings& findings) {
  absl::flat_hash_map<absl::string_view, const Computation*> computations;
  absl::flat_hash_map<absl::string_view, const Instruction*> instructions;
  instructions.reserve(module.instruction_count());
  for (const auto& computation : module.computations()) {
    if (!computations.try_emplace(computation->name(), computation.get()).second) {
      findings.Add("name_c1", *computation, "computations must have different names",
                   absl::StrCat(computation->name(), " twice"));
    }
    for (const auto& instruction : computation->instructions()) {
      const auto [first, is_new] = instructions.try_emplace(instruction->name(), instruction.get());
      if (!is_new) {
        findings.Add(
            "name_c2", *instruction, "instructions must have different names",
            absl::StrCat("another ", instruction->name(), " in ", first->second->parent()->name()));
      }
    }
  }
}

}  // namespace assay
