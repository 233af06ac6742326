#include "fuzz/reduce/reduction.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "fuzz/reduce/answers.h"
#include "fuzz/reduce/artifacts.h"

namespace assay::fuzz {
namespace {

// The element type of a signature's operation, "add f32"; empty if it has none.
absl::string_view TypeOf(const Signature& signature) {
  const size_t space = signature.operation.rfind(' ');
  return space == std::string::npos ? absl::string_view()
                                    : absl::string_view(signature.operation).substr(space + 1);
}

bool HasSameError(const Examination& found, const Examination& first) {
  return found.outcome == Outcome::kFinding && found.signature.kind == first.signature.kind &&
         found.signature.error == first.signature.error &&
         (first.signature.kind != FindingKind::kWrong ||
          TypeOf(found.signature) == TypeOf(first.signature));
}

// Asks the target about each candidate, unless an earlier run has asked.
class Asker {
 public:
  Asker(Examiner& examiner, const ReductionOptions& options)
      : examiner_(examiner), options_(options) {}

  absl::Status OpenAnswers(const Module& module, absl::Span<const DeviceInputs> inputs) {
    if (options_.answers.empty()) return absl::OkStatus();
    return answers_.Open(options_.answers,
                         absl::StrCat(options_.identity, "\n", QuestionHash(module, inputs)));
  }

  // The finding of the module that is to be reduced.
  bool Start(const Module& module, absl::Span<const DeviceInputs> inputs) {
    bool shows = false;
    for (int64_t left = options_.tries; left > 0 && !shows; --left) {
      first_ = examiner_.AskTarget(module, inputs);
      shows = first_.outcome == Outcome::kFinding &&
              (!options_.keep || first_.signature.kind == *options_.keep);
    }
    SetSmallest(module, inputs);
    return shows;
  }

  bool Keeps(const Module& module, absl::Span<const DeviceInputs> inputs) {
    const std::string question = answers_.is_open() ? QuestionHash(module, inputs) : "";
    const std::optional<ReductionAnswers::Answer> known = answers_.Find(question);
    const bool shows = known ? known->shows : Ask(module, inputs);
    if (known && known->is_earlier) ++progress_.known;
    if (!known && answers_.is_open()) answers_.Add(question, shows);
    ++progress_.questions;
    if (shows) SetSmallest(module, inputs);
    if (options_.progress) options_.progress(progress_);
    return shows;
  }

  const Examination& first() const { return first_; }
  void End() {
    if (answers_.is_open()) answers_.Remove();
  }

 private:
  bool Ask(const Module& module, absl::Span<const DeviceInputs> inputs) {
    int64_t shown = 0;
    for (int64_t left = options_.tries; left > 0; --left) {
      if (shown >= options_.needs || shown + left < options_.needs) break;
      shown += HasSameError(examiner_.AskTarget(module, inputs), first_) ? 1 : 0;
    }
    return shown >= options_.needs;
  }

  void SetSmallest(const Module& module, absl::Span<const DeviceInputs> inputs) {
    progress_.instructions = module.instruction_count();
    progress_.elements = progress_.bytes = 0;
    for (const DeviceInputs& own : inputs) {
      for (const Literal& argument : own.arguments) {
        for (const Literal& leaf : Flatten(argument)) {
          if (!leaf.is_array()) continue;
          progress_.elements += leaf.element_count();
          progress_.bytes += leaf.byte_size();
        }
      }
    }
  }

  Examiner& examiner_;
  const ReductionOptions& options_;
  ReductionAnswers answers_;
  Examination first_;
  ReductionProgress progress_;
};

}  // namespace

absl::StatusOr<Reduction> ReduceFinding(const Module& module, absl::Span<const DeviceInputs> inputs,
                                        const ReductionOptions& options) {
  ExaminerOptions examiner_options;
  examiner_options.budget = options.budget;
  examiner_options.ways = examiner_options.relations = false;
  examiner_options.repeat =
      options.keep == FindingKind::kUnstable || options.keep == FindingKind::kLeak;
  Examiner examiner(options.target, *options.profile, examiner_options);
  Asker asker(examiner, options);
  if (!asker.Start(module, inputs)) {
    const Examination& first = asker.first();
    return absl::FailedPreconditionError(absl::StrCat(
        "the module shows nothing to keep: the target ",
        first.outcome == Outcome::kFinding ? first.signature.Text() : OutcomeName(first.outcome),
        first.detail.empty() ? "" : ", ", first.detail,
        ". --inputs, --profile and --keep say what to look for"));
  }
  if (absl::Status status = asker.OpenAnswers(module, inputs); !status.ok()) return status;
  const auto keeps = [&](const Module& candidate, absl::Span<const DeviceInputs> values) {
    return asker.Keeps(candidate, values);
  };
  Reduction reduction{ReduceModule(module, inputs, keeps, options.limits), {}};
  for (int64_t left = options.tries; left > 0; --left) {
    reduction.last = examiner.AskTarget(*reduction.reduced.module, reduction.reduced.inputs);
    if (HasSameError(reduction.last, asker.first())) break;
  }
  if (reduction.reduced.complete) asker.End();
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
