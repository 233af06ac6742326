// The judgement of `assay run --expect FILE --profile P`: each expected value against the interval
// in which the profile admits the element of the program. Test: run_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_EXPECTED_JUDGEMENT_H_
#define ASSAY_TOOLS_CLI_EXPECTED_JUDGEMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/judge/verdict.h"
#include "runtime/budget.h"
#include "spec/ir/literal.h"
#include "spec/proto/module_file.h"
#include "tools/cli/options.h"

namespace assay::cli {

// How the module was run.
struct RunSetting {
  const InputOptions& inputs;
  const GridOptions& grid;
  const RunBudget& budget;
};

// Judges `expected` as the result of an implementation. `golden` is the result of the reference
// interpreter. Both hold the value of the root on each device.
absl::StatusOr<conformance::Judgement> JudgeExpected(const ModuleFile& file,
                                                     const RunSetting& setting,
                                                     const std::vector<Literal>& golden,
                                                     const std::vector<Literal>& expected,
                                                     const std::string& profile);

// The judgement in a sentence. `source` is where the values come from.
std::string JudgementSentence(const conformance::Judgement& judgement, absl::string_view profile,
                              absl::string_view source);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_EXPECTED_JUDGEMENT_H_
