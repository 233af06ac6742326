#include "fuzz/reduce/reduction.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/reduce/artifacts.h"

namespace assay::fuzz {
namespace {

bool HasSameError(const Examination& found, const Examination& first) {
  return found.outcome == Outcome::kFinding && found.signature.kind == first.signature.kind &&
         found.signature.error == first.signature.error;
}

}  // namespace

absl::StatusOr<Reduction> ReduceFinding(const Module& module, absl::Span<const DeviceInputs> inputs,
                                        const ReductionOptions& options) {
  ExaminerOptions examiner_options;
  examiner_options.budget = options.budget;
  examiner_options.ways = examiner_options.relations = false;
  examiner_options.repeat =
      options.keep == FindingKind::kUnstable || options.keep == FindingKind::kLeak;
  Examiner examiner(options.target, *options.profile, examiner_options);
  Examination first;
  bool shows = false;
  for (int64_t left = options.tries; left > 0 && !shows; --left) {
    first = examiner.AskTarget(module, inputs);
    shows = first.outcome == Outcome::kFinding &&
            (!options.keep || first.signature.kind == *options.keep);
  }
  if (!shows) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the module shows nothing to keep: the target ",
        first.outcome == Outcome::kFinding ? first.signature.Text() : OutcomeName(first.outcome),
        first.detail.empty() ? "" : ", ", first.detail,
        ". --inputs, --profile and --keep say what to look for"));
  }
  const auto keeps = [&](const Module& candidate, absl::Span<const DeviceInputs> values) {
    int64_t shown = 0;
    for (int64_t left = options.tries; left > 0; --left) {
      if (shown >= options.needs || shown + left < options.needs) break;
      shown += HasSameError(examiner.AskTarget(candidate, values), first) ? 1 : 0;
    }
    return shown >= options.needs;
  };
  Reduction reduction{ReduceModule(module, inputs, keeps, options.limits), {}};
  reduction.last = examiner.AskTarget(*reduction.reduced.module, reduction.reduced.inputs);
  return reduction;
}

absl::Status WriteReduction(const Reduction& reduction, const std::string& target,
                            const std::string& profile, const std::string& origin,
                            const std::string& folder) {
  FindingFolder finding;
  finding.module = reduction.reduced.module.get();
  finding.inputs = reduction.reduced.inputs;
  finding.examination = &reduction.last;
  finding.target = target;
  finding.profile = profile;
  finding.origin = origin;
  return WriteFindingFolder(finding, folder);
}

}  // namespace assay::fuzz
