// What only the documents demand of an instruction. XLA's verifier lets it pass, and what comes of
// it is up to each implementation. Source: reference ops_structural.md 0.3, 15;
// ops_control_and_collectives.md 2 to 11. Tests: verify_cases_test.cc.
#include "spec/verify/module_checks.h"

namespace assay {

void CheckStrictly(const Instruction&, Findings&) {}

}  // namespace assay
