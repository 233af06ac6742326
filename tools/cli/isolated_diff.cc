#include "tools/cli/isolated_diff.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "conformance/diagnose/instruction_report.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/offline/case_folder.h"
#include "conformance/report/describe.h"
#include "nlohmann/json.hpp"
#include "spec/ir/source_text.h"
#include "spec/text/printer.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/graph_notes.h"
#include "tools/cli/help.h"
#include "tools/cli/isolated_report.h"
#include "tools/cli/reductions.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay::cli {
namespace {

std::string KindOf(const conformance::InstructionVerdict& verdict) {
  return verdict.is_group() ? absl::StrCat("subgraph of ", verdict.members.size())
                            : std::string(Name(verdict.last().opcode()));
}

// The name, and the opcode where XLA's habit (tanh.6) does not already say it.
std::string NameAndKind(absl::string_view name, const std::string& kind) {
  const bool says_it = name == kind || absl::StartsWith(name, absl::StrCat(kind, "."));
  return says_it ? std::string(name) : absl::StrCat(name, " (", kind, ")");
}

// The verdict with what it rests on, and the worst element on a line of its own.
void PrintJudgement(const conformance::Judgement& judgement, const std::string& indent) {
  const bool wrong = judgement.verdict == conformance::Verdict::kWrong;
  std::cout << Coloured(wrong ? Colour::kRed : Colour::kGreen, conformance::InWords(judgement));
  for (const std::string& deviation : judgement.deviations) std::cout << ", " << deviation;
  std::cout << "\n";
  const conformance::Evidence* shown = conformance::WorstOf(judgement);
  if (shown == nullptr && !judgement.evidence.empty()) shown = &judgement.evidence.front();
  if (shown != nullptr) {
    std::cout << indent << (wrong && judgement.evidence.size() > 1 ? "worst " : "element ")
              << conformance::InWords(*shown) << "\n";
  }
}

// How many names, wrong instructions and permitted differences are printed; JSON has all.
constexpr size_t kShownNames = 8;
constexpr int64_t kShownWrong = 10;
constexpr size_t kShownPermitted = 5;

bool IsPermitted(const conformance::InstructionVerdict& verdict) {
  return verdict.status.ok() && (verdict.judgement.verdict == conformance::Verdict::kWithinBound ||
                                 verdict.judgement.verdict == conformance::Verdict::kAllowed);
}

void PrintVerdict(const conformance::InstructionVerdict& verdict) {
  const std::string source = SourceText(verdict.last());
  std::cout << "  " << NameAndKind(verdict.name, KindOf(verdict))
            << (source.empty() ? "" : absl::StrCat(", ", source)) << "\n    ";
  if (!verdict.status.ok()) {
    std::cout << "not run: " << Printable(verdict.status.message()) << "\n";
    return;
  }
  PrintJudgement(verdict.judgement, "    ");
}

// Differences that the profile permits; of many, those that come nearest to their bounds.
void PrintPermitted(absl::Span<const conformance::InstructionVerdict> verdicts) {
  std::vector<const conformance::InstructionVerdict*> permitted;
  for (const conformance::InstructionVerdict& each : verdicts) {
    if (IsPermitted(each)) permitted.push_back(&each);
  }
  if (permitted.size() > kShownPermitted) {
    std::cout << "  " << conformance::WithCommas(static_cast<int64_t>(permitted.size()))
              << " instructions differ as the profile permits; those nearest to their bounds are\n";
    std::stable_sort(permitted.begin(), permitted.end(), [](const auto* a, const auto* b) {
      return a->judgement.largest_fraction > b->judgement.largest_fraction;
    });
    permitted.resize(kShownPermitted);
  }
  for (const conformance::InstructionVerdict* each : permitted) PrintVerdict(*each);
}

// Prints the verdicts as they come, but those that the profile permits. A target that does not
// start fails on every instruction with the same words, which are printed once.
class VerdictPrinter {
 public:
  void Print(const conformance::InstructionVerdict& verdict) {
    if (verdict.status.ok() && verdict.judgement.verdict <= conformance::Verdict::kCorrectlyRounded)
      return;
    if (IsPermitted(verdict) || (!verdict.status.ok() && IsRepeated(verdict))) return;
    if (verdict.is_wrong() && ++wrong_ > kShownWrong) return;
    PrintVerdict(verdict);
  }

  // What Print has left out.
  void PrintLeftOut() const {
    if (wrong_ > kShownWrong) {
      std::cout << "  " << conformance::Counted(wrong_ - kShownWrong, "more instruction")
                << (wrong_ - kShownWrong == 1 ? " is" : " are") << " wrong (--json has all)\n";
    }
    PrintRepeated();
  }

 private:
  struct Failure {
    absl::Status status;
    std::string first;
    std::vector<std::string> others;
  };

  bool IsRepeated(const conformance::InstructionVerdict& verdict) {
    for (Failure& failure : failures_) {
      if (failure.status != verdict.status) continue;
      failure.others.push_back(verdict.name);
      return true;
    }
    failures_.push_back({verdict.status, verdict.name, {}});
    return false;
  }

  // Lists the instructions that failed with a message that was printed for another one.
  void PrintRepeated() const {
    for (const Failure& failure : failures_) {
      const std::vector<std::string>& names = failure.others;
      if (names.empty()) continue;
      std::cout << "  not run either, for the reason that " << failure.first << " has: "
                << absl::StrJoin(
                       absl::MakeConstSpan(names).first(std::min(names.size(), kShownNames)), ", ");
      if (names.size() > kShownNames) std::cout << " and " << names.size() - kShownNames << " more";
      std::cout << "\n";
    }
  }

  std::vector<Failure> failures_;  // by their status, in the order of the first instruction
  int64_t wrong_ = 0;
};

// "12 of up to 48 instructions judged, last y (tanh)": how many will be asked is known when
// golden has run, so the total is that of the instructions that compute.
class JudgedProgress {
 public:
  JudgedProgress(const Module& module, bool wanted)
      : progress_(wanted), most_(conformance::NotAskedAlone(module, {}).size()) {}

  void Show(const conformance::InstructionVerdict& verdict) {
    const bool first_time = !verdict.is_group() && verdict.iteration <= 1;
    judged_ += first_time;
    progress_.Show(absl::StrCat(judged_, " of up to ", most_, " instructions judged, last ",
                                NameAndKind(verdict.name, KindOf(verdict))));
  }
  void Show(absl::string_view text) { progress_.Show(text); }
  void Clear() { progress_.Clear(); }

 private:
  Progress progress_;
  size_t judged_ = 0;
  const size_t most_;
};

void PrintSummary(const Verdicts& summary, size_t verdicts, const std::string& profile) {
  const auto groups = static_cast<size_t>(summary.groups);
  std::cout << absl::StreamFormat(
      "%s%s judged by %s: %d exact, %d correctly rounded, %d within bound, "
      "%d allowed, %d known deviations, %d not judgeable, %d wrong, %d not run\n",
      conformance::Counted(static_cast<int64_t>(verdicts - groups), "instruction"),
      groups > 0 ? absl::StrCat(" and ", groups, " subgraph", groups > 1 ? "s" : "") : "", profile,
      summary.Count(conformance::Verdict::kExact),
      summary.Count(conformance::Verdict::kCorrectlyRounded),
      summary.Count(conformance::Verdict::kWithinBound),
      summary.Count(conformance::Verdict::kAllowed),
      summary.Count(conformance::Verdict::kKnownDeviation),
      summary.Count(conformance::Verdict::kNotJudgeable),
      summary.Count(conformance::Verdict::kWrong), summary.not_run);
}

// What the instructions alone do not say: those that were not asked, and the whole program.
void PrintWhole(const conformance::WholeVerdict& whole,
                absl::Span<const Instruction* const> not_asked, const Verdicts& summary,
                const conformance::TraceDepth& depth) {
  if (!not_asked.empty()) {
    std::cout << "not asked alone (control flow, collectives, dynamic sizes, or not run): "
              << conformance::WithCommas(static_cast<int64_t>(not_asked.size())) << " instruction"
              << (not_asked.size() > 1 ? "s" : "") << " (";
    for (size_t i = 0; i < std::min(not_asked.size(), kShownNames); ++i) {
      std::cout << (i > 0 ? ", " : "")
                << NameAndKind(not_asked[i]->name(), std::string(Name(not_asked[i]->opcode())));
    }
    std::cout << (not_asked.size() > kShownNames ? ", ...)\n" : ")\n");
  }
  std::cout << "whole program: ";
  if (!whole.status.ok()) {
    std::cout << (whole.answered ? "not judged: " : "not run: ")
              << Printable(whole.status.message()) << "\n";
    return;
  }
  PrintJudgement(whole.judgement, "  ");
  const bool deep = depth.subgraphs >= 4 && depth.iterations >= 3;
  if (!deep && summary.whole_is_wrong && summary.Count(conformance::Verdict::kWrong) == 0) {
    std::cout
        << "no instruction alone is wrong: --subgraphs 4 --iterations 3 ask for groups and for "
           "later iterations of loops\n";
  }
}

// What is wrong first, with how to see it again.
class FirstWrong {
 public:
  explicit FirstWrong(const Isolation& isolation) : isolation_(isolation) {}

  void Take(const conformance::InstructionVerdict& verdict, const conformance::Excerpt& excerpt) {
    if (verdict.is_wrong() && !excerpt_) excerpt_ = excerpt;
  }

  // If nothing smaller is wrong. What is referred to must outlive this.
  void TakeWhole(const Module& module, absl::Span<const DeviceInputs> inputs,
                 absl::Span<const DeviceOutputs> golden) {
    if (excerpt_) return;
    whole_ = &module;
    inputs_ = inputs;
    golden_ = golden;
  }

  // Where a folder for it is wanted.
  absl::Status Write() const {
    if (!found() || isolation_.out_subgraph.empty()) return absl::OkStatus();
    if (!excerpt_)
      return conformance::WriteQuestion(*whole_, inputs_, golden_, isolation_.out_subgraph);
    return conformance::WriteQuestion(*excerpt_->module, {{excerpt_->arguments}},
                                      {{excerpt_->golden}}, isolation_.out_subgraph);
  }

  void AddTo(nlohmann::json* report) const {
    if (!found()) return;
    nlohmann::json& entry = (*report)["first_wrong"];
    entry = {
        {"instruction", Name()},
        {"module", PrintModule(excerpt_ ? *excerpt_->module : *whole_, PrintOptions::Complete())}};
    if (!isolation_.out_subgraph.empty()) entry["command"] = Command();
  }

  void Print() const {
    if (!found()) return;
    std::cout << "wrong first: " << Name() << "\n";
    if (isolation_.out_subgraph.empty()) return;
    std::cout << "alone in " << isolation_.out_subgraph << "; run it again with:\n  " << Command()
              << "\n";
  }

 private:
  bool found() const { return excerpt_ || whole_ != nullptr; }
  std::string Name() const { return excerpt_ ? excerpt_->Name() : "the whole program"; }

  std::string Command() const {
    const std::string& folder = isolation_.out_subgraph;
    std::string text =
        absl::StrCat("assay diff ", conformance::ShellQuoted(folder + "/module.hlo"), " --inputs ",
                     conformance::ShellQuoted(folder + "/inputs.npz"), " --right ",
                     conformance::ShellQuoted(isolation_.right), " --profile ",
                     conformance::ShellQuoted(isolation_.profile), " --isolate");
    if (excerpt_ && excerpt_->is_group()) {
      absl::StrAppend(&text, " --subgraphs ", isolation_.depth.subgraphs);
    }
    return text;
  }

  const Isolation& isolation_;
  std::optional<conformance::Excerpt> excerpt_;
  const Module* whole_ = nullptr;
  absl::Span<const DeviceInputs> inputs_;
  absl::Span<const DeviceOutputs> golden_;
};

// The target of the comparison. One that does not start is one mistake, not one for each
// instruction.
absl::StatusOr<std::unique_ptr<Backend>> StartTarget(const Module& module,
                                                     const Isolation& isolation) {
  BackendOptions options;
  options.budget = isolation.budget;
  options.custom_calls = isolation.custom_calls;
  options.memory_bytes = isolation.memory.Limit();
  absl::StatusOr<std::unique_ptr<Backend>> target = MakeBackend(isolation.right, options);
  if (!target.ok()) return target;
  const absl::Status started = (*target)->Supports(module);
  if (absl::IsAborted(started)) return started;
  return target;
}

}  // namespace

int RunIsolated(const Module& module, absl::Span<const std::vector<Literal>> arguments,
                const Isolation& isolation) {
  const OutputOptions& output = isolation.output;
  absl::StatusOr<conformance::TargetProfile> profile =
      conformance::TargetProfile::Find(isolation.profile);
  if (!profile.ok()) return Fail(absl::InvalidArgumentError(profile.status().message()), output);
  const absl::StatusOr<std::unique_ptr<Backend>> target = StartTarget(module, isolation);
  if (!target.ok()) return Fail(target.status(), output);
  const bool talks = !output.json && !output.quiet;
  JudgedProgress progress(module, talks);
  VerdictPrinter printer;
  FirstWrong first_wrong(isolation);
  conformance::ReportOptions report_options;
  report_options.depth = isolation.depth;
  report_options.custom_calls = isolation.custom_calls;
  GraphNotes notes;
  report_options.observe = [&](const conformance::InstructionVerdict& verdict,
                               const conformance::Excerpt& excerpt) {
    first_wrong.Take(verdict, excerpt);
    if (!isolation.html.empty()) notes.Take(verdict, excerpt);
    if (!talks) return;
    progress.Clear();
    printer.Print(verdict);
    progress.Show(verdict);
  };
  const std::vector<DeviceInputs> inputs = WithoutFeeds(arguments);
  std::vector<DeviceOutputs> golden;
  report_options.golden = &golden;
  const absl::StatusOr<std::vector<conformance::InstructionVerdict>> verdicts =
      conformance::ReportInstructions(module, inputs, **target, *profile, isolation.budget,
                                      report_options);
  if (!verdicts.ok()) {
    progress.Clear();
    return Fail(verdicts.status(), output);
  }
  progress.Show("the whole program");
  const conformance::WholeVerdict whole =
      conformance::ReportWhole(module, inputs, golden, **target, *profile, isolation.budget);
  progress.Clear();
  if (whole.is_wrong()) first_wrong.TakeWhole(module, inputs, golden);
  if (absl::Status written = first_wrong.Write(); !written.ok()) return Fail(written, output);
  const Verdicts summary = Summarise(*verdicts, whole);
  if (summary.exit_code != kExitOk) {
    Reductions(isolation.reduce, target->get(), *profile, isolation.budget, isolation.right,
               isolation.profile)
        .Reduce(module, inputs, "whole", module.name());
  }
  const std::vector<const Instruction*> not_asked = conformance::NotAskedAlone(module, *verdicts);
  const std::string closing = ClosingSentence(*verdicts, whole, summary, isolation.profile);
  if (!isolation.html.empty()) {
    const std::string title = absl::StrCat(module.name(), " on ", (*target)->display_name());
    absl::Status written = notes.Write(module, whole, title, closing, isolation.html);
    if (!written.ok()) return Fail(written, output);
  }
  if (output.json) {
    nlohmann::json report =
        IsolatedReportJson(module, *verdicts, whole, summary, isolation.right, isolation.profile);
    first_wrong.AddTo(&report);
    std::cout << JsonText(report);
  } else if (talks) {
    printer.PrintLeftOut();
    PrintPermitted(*verdicts);
    PrintSummary(summary, verdicts->size(), isolation.profile);
    PrintWhole(whole, not_asked, summary, isolation.depth);
    first_wrong.Print();
    std::cout << Wrapped(closing, TextWidth(), 0) << "\n";
  }
  return summary.exit_code;
}

}  // namespace assay::cli
