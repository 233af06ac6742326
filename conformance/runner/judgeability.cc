#include "conformance/runner/judgeability.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace assay {
namespace {

bool IsWholeTier(const RunResult& run) {
  return !run.tier.empty() && run.filter.empty() && run.case_files.empty() && run.shards == 1 &&
         !run.interrupted;
}

}  // namespace

std::vector<std::string> JudgeabilityComplaints(const RunResult& run) {
  std::vector<std::string> complaints;
  if (!IsWholeTier(run)) return complaints;
  int64_t elements = 0, not_judgeable = 0;
  for (const CaseResult& result : run.cases) {
    if (result.probes.size() != 1) continue;
    const Judgement& judgement = result.probes.front().judgement;
    const int64_t own = judgement.counts[static_cast<int>(Verdict::kNotJudgeable)];
    elements += judgement.elements();
    not_judgeable += own;
    if (own > 0 && judgement.rule == "exact") {
      complaints.push_back(absl::StrCat(result.id, " is exact, but ", own, " of its ",
                                        judgement.elements(), " elements are not judgeable"));
    }
  }
  if (static_cast<double>(not_judgeable) > kNotJudgeableShare * static_cast<double>(elements)) {
    complaints.push_back(absl::StrFormat(
        "%d of the %d elements of single operations are not judgeable, which is over %g%%",
        not_judgeable, elements, kNotJudgeableShare * 100));
  }
  return complaints;
}

}  // namespace assay
