#include "spec/verify/verifier.h"

#include "absl/strings/str_cat.h"
#include "spec/ops/shape_inference.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

void CheckInstructions(const Module& module, Rules rules, Findings& findings) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      findings.AddViolation(*instruction, CheckInstruction(*instruction, rules));
    }
  }
}

}  // namespace

Verification VerifyModule(const Module& module, const VerifyOptions& options) {
  Verification result;
  Findings findings(options, &result);
  // Rules look at operands and callees; they need a graph that holds together.
  if (!CheckGraph(module, findings)) return result;
  CheckNames(module, findings);
  CheckEntry(module, findings);
  CheckInstructions(module, findings.strict() ? Rules::kStrict : options.instruction_rules,
                    findings);
  CheckCalls(module, findings);
  CheckAliases(module, findings);
  CheckSchedules(module, findings);
  CheckCollectives(module, findings);
  CheckChannels(module, findings);
  CheckAsyncChains(module, findings);
  CheckFeeds(module, findings);
  CheckProducts(module, findings);
  CheckShardings(module, findings);
  CheckBuffers(module, findings);
  CheckOrigins(module, findings);
  return result;
}

absl::Status VerificationStatus(const Verification& verification) {
  if (verification.ok()) return absl::OkStatus();
  const Finding& first = verification.findings.front();
  const int64_t others =
      static_cast<int64_t>(verification.findings.size()) - 1 + verification.left_out;
  return absl::InvalidArgumentError(
      absl::StrCat("[", first.clause, "] ", first.message,
                   others > 0 ? absl::StrCat("; ", others, " more, see assay verify") : ""));
}

}  // namespace assay
