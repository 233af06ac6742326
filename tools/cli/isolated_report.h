// Summarises the verdicts on a program's instructions and on the whole as counts, as one sentence,
// and as JSON, for `assay diff --isolate` and the Python package. Tests: judge_cli_test.py,
// python/tests/diff_test.py.
#ifndef ASSAY_TOOLS_CLI_ISOLATED_REPORT_H_
#define ASSAY_TOOLS_CLI_ISOLATED_REPORT_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "conformance/diagnose/instruction_report.h"
#include "nlohmann/json_fwd.hpp"
#include "spec/ir/module.h"
#include "tools/cli/exit_code.h"

namespace assay::cli {

// All verdicts together.
struct Verdicts {
  int64_t counts[conformance::kVerdicts] = {};  // the number of instructions that ran, by verdict
  int64_t not_run = 0;
  int64_t groups = 0;
  bool whole_is_wrong = false;
  bool nothing_judged = false;
  // kExitMismatch if something is wrong, otherwise the code of the worst failure to run.
  ExitCode exit_code = kExitOk;

  int64_t Count(conformance::Verdict verdict) const { return counts[static_cast<int>(verdict)]; }
  const char* Word() const {
    if (exit_code == kExitOk) return "right";
    if (nothing_judged) return "not judged";
    return exit_code == kExitMismatch ? "wrong" : "not run";
  }
};

Verdicts Summarise(absl::Span<const conformance::InstructionVerdict> verdicts,
                   const conformance::WholeVerdict& whole);

// Returns the closing sentence: what is wrong, or that nothing is and what was tested.
std::string ClosingSentence(absl::Span<const conformance::InstructionVerdict> verdicts,
                            const conformance::WholeVerdict& whole, const Verdicts& summary,
                            const std::string& profile);

// Adds the members of a judgement: verdict, rule, elements by verdict, permitted deviations,
// evidence.
void AddJudgement(const conformance::Judgement& judgement, nlohmann::json* to);
// Returns the whole report. `right` is the implementation that was judged.
nlohmann::json IsolatedReportJson(const Module& module,
                                  absl::Span<const conformance::InstructionVerdict> verdicts,
                                  const conformance::WholeVerdict& whole, const Verdicts& summary,
                                  const std::string& right, const std::string& profile);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_ISOLATED_REPORT_H_
