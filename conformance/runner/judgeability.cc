#include "conformance/runner/judgeability.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace assay::conformance {
namespace {

bool IsWholeTier(const RunResult& run) {
  return !run.tier.empty() && run.filter.empty() && run.case_files.empty() && run.shards == 1 &&
         !run.interrupted;
}

}  // namespace

std::vector<std::string> NothingJudged(const RunResult& run) {
  int64_t judged = 0, refused = 0, not_run = 0, not_supported = 0, open = 0, failed = 0;
  std::string first;
  for (const CaseResult& result : run.cases) {
    switch (result.outcome) {
      case Outcome::kNotRun:
      case Outcome::kNotSupported:
        ++(result.outcome == Outcome::kNotRun ? not_run : not_supported);
        if (first.empty()) first = result.message;
        break;
      case Outcome::kNotJudgeable:
        ++open;
        if (first.empty()) first = result.message;
        break;
      case Outcome::kRefused:
        ++refused;
        break;
      case Outcome::kFailed:
      case Outcome::kInvalid:
        ++failed;
        break;
      default:
        ++judged;
    }
  }
  // Failures make the run fail by themselves, or are waived. If all cases are illegal modules,
  // refusals are the expected results.
  const bool left_out = not_supported > 0 || not_run > 0 || open > 0;
  const bool only_refusals = refused > 0 && not_supported == 0 && open == 0;
  if (judged > 0 || failed > 0 || !left_out || only_refusals) return {};
  return {absl::StrCat("no result was judged: of ", run.cases.size(), " cases ", not_supported,
                       " are not supported and ", not_run, " not run",
                       open == 0 ? "" : absl::StrCat(", ", open, " not judgeable"),
                       first.empty() ? "" : absl::StrCat("; the first: ", first))};
}

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

}  // namespace assay::conformance
