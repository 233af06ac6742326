#include "tools/cli/isolated_diff.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/diagnose/instruction_report.h"
#include "conformance/judge/verdict_text.h"
#include "conformance/offline/case_folder.h"
#include "conformance/report/describe.h"
#include "nlohmann/json.hpp"
#include "spec/ir/source_text.h"
#include "spec/text/printer.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay {
namespace {

void AddJudgement(const Judgement& judgement, nlohmann::json* to) {
  nlohmann::json& entry = *to;
  entry["verdict"] = std::string(VerdictName(judgement.verdict));
  entry["rule"] = judgement.rule;
  entry["largest_fraction_of_bound"] = judgement.largest_fraction;
  entry["largest_distance"] = judgement.largest_distance;
  for (int each = 0; each < kVerdicts; ++each) {
    entry["elements"][std::string(VerdictName(static_cast<Verdict>(each)))] =
        judgement.counts[each];
  }
  for (int each = 0; each < kFreedoms; ++each) {
    if (judgement.freedoms[each] == 0) continue;
    entry["freedoms"][std::string(FreedomName(static_cast<Freedom>(each)))] =
        judgement.freedoms[each];
  }
  if (!judgement.deviations.empty()) entry["known_deviations"] = judgement.deviations;
  for (const Evidence& element : judgement.evidence) {
    entry["evidence"].push_back({{"verdict", std::string(VerdictName(element.verdict))},
                                 {"leaf", element.leaf},
                                 {"position", element.position},
                                 {"golden", element.golden},
                                 {"actual", element.actual},
                                 {"reason", element.reason}});
  }
}

nlohmann::json VerdictJson(const InstructionVerdict& verdict) {
  nlohmann::json entry = {{"instruction", verdict.name},
                          {"opcode", std::string(Name(verdict.last().opcode()))},
                          {"shape", verdict.last().shape().ToString()}};
  if (std::string source = SourceText(verdict.last()); !source.empty()) {
    entry["source"] = std::move(source);
  }
  if (verdict.is_group()) entry["members"] = verdict.members.size();
  if (verdict.turn > 1) entry["turn"] = verdict.turn;
  if (!verdict.status.ok()) {
    entry["not_run"] = std::string(verdict.status.message());
    entry["status"] = absl::StatusCodeToString(verdict.status.code());
    return entry;
  }
  AddJudgement(verdict.judgement, &entry);
  return entry;
}

std::string KindOf(const InstructionVerdict& verdict) {
  return verdict.is_group() ? absl::StrCat("subgraph of ", verdict.members.size())
                            : std::string(Name(verdict.last().opcode()));
}

// The verdict with what it rests on, and the worst element on a line of its own.
void PrintJudgement(const Judgement& judgement, const std::string& indent) {
  const bool wrong = judgement.verdict == Verdict::kWrong;
  std::cout << Coloured(wrong ? Colour::kRed : Colour::kGreen, InWords(judgement));
  for (const std::string& deviation : judgement.deviations) std::cout << ", " << deviation;
  std::cout << "\n";
  const Evidence* shown = WorstOf(judgement);
  if (shown == nullptr && !judgement.evidence.empty()) shown = &judgement.evidence.front();
  if (shown != nullptr) {
    std::cout << indent << (wrong && judgement.evidence.size() > 1 ? "worst " : "element ")
              << InWords(*shown) << "\n";
  }
}

void PrintVerdict(const InstructionVerdict& verdict) {
  const Judgement& judgement = verdict.judgement;
  if (verdict.status.ok() && judgement.verdict <= Verdict::kCorrectlyRounded) return;
  const std::string source = SourceText(verdict.last());
  std::cout << "  " << verdict.name << ", " << KindOf(verdict)
            << (source.empty() ? "" : absl::StrCat(", ", source)) << "\n    ";
  if (!verdict.status.ok()) {
    std::cout << "not run: " << Printable(verdict.status.message()) << "\n";
    return;
  }
  PrintJudgement(judgement, "    ");
}

// All verdicts together.
struct Verdicts {
  int64_t counts[kVerdicts] = {};  // of the instructions that ran
  int64_t not_run = 0;
  int64_t groups = 0;
  bool whole_is_wrong = false;
  bool nothing_judged = false;
  // A mismatch where something is wrong; else that of the worst failure to run.
  ExitCode exit_code = kExitOk;

  int64_t Count(Verdict verdict) const { return counts[static_cast<int>(verdict)]; }
  const char* Word() const {
    if (exit_code == kExitOk) return "right";
    if (nothing_judged) return "not judged";
    return exit_code == kExitMismatch ? "wrong" : "not run";
  }
};

Verdicts Summarise(absl::Span<const InstructionVerdict> verdicts, const WholeVerdict& whole) {
  Verdicts summary;
  ExitCode failure = kExitOk;
  const auto take_failure = [&failure](const absl::Status& status) {
    // What the other implementation does not support is the mildest.
    const ExitCode code = ExitCodeOf(status);
    if (failure == kExitOk || failure == kExitUnsupported) {
      failure = code;
    } else if (code != kExitUnsupported) {
      failure = std::max(failure, code);
    }
  };
  for (const InstructionVerdict& verdict : verdicts) {
    summary.groups += verdict.is_group();
    if (verdict.status.ok()) {
      ++summary.counts[static_cast<int>(verdict.judgement.verdict)];
      continue;
    }
    ++summary.not_run;
    take_failure(verdict.status);
  }
  if (!whole.status.ok()) take_failure(whole.status);
  summary.whole_is_wrong = whole.is_wrong();
  const auto is_judged = [](const absl::Status& status, const Judgement& judgement) {
    return status.ok() && judgement.verdict != Verdict::kNotJudgeable;
  };
  summary.nothing_judged =
      failure == kExitOk && !is_judged(whole.status, whole.judgement) &&
      std::none_of(verdicts.begin(), verdicts.end(), [&](const InstructionVerdict& verdict) {
        return is_judged(verdict.status, verdict.judgement);
      });
  const bool wrong = summary.Count(Verdict::kWrong) > 0 || summary.whole_is_wrong;
  summary.exit_code = wrong || summary.nothing_judged ? kExitMismatch : failure;
  return summary;
}

void PrintSummary(const Verdicts& summary, size_t verdicts, const std::string& profile) {
  const auto groups = static_cast<size_t>(summary.groups);
  absl::PrintF(
      "%s%s judged by %s: %d exact, %d correctly rounded, %d within bound, "
      "%d allowed, %d known deviations, %d not judgeable, %d wrong, %d not run\n",
      Counted(static_cast<int64_t>(verdicts - groups), "instruction"),
      groups > 0 ? absl::StrCat(" and ", groups, " subgraph", groups > 1 ? "s" : "") : "", profile,
      summary.Count(Verdict::kExact), summary.Count(Verdict::kCorrectlyRounded),
      summary.Count(Verdict::kWithinBound), summary.Count(Verdict::kAllowed),
      summary.Count(Verdict::kKnownDeviation), summary.Count(Verdict::kNotJudgeable),
      summary.Count(Verdict::kWrong), summary.not_run);
}

// What the run comes to, as the last line: what is wrong, or that nothing is, and how far that
// reaches.
std::string ClosingSentence(absl::Span<const InstructionVerdict> verdicts,
                            const WholeVerdict& whole, const Verdicts& summary,
                            const std::string& profile) {
  const int64_t wrong = summary.Count(Verdict::kWrong);
  if (wrong > 0) {
    const auto first = std::find_if(verdicts.begin(), verdicts.end(),
                                    [](const InstructionVerdict& each) { return each.is_wrong(); });
    const Judgement& judgement = first->judgement;
    const std::string source = SourceText(first->last());
    std::string text = absl::StrCat(
        wrong == 1 ? "1 instruction is wrong: "
                   : absl::StrCat(WithCommas(wrong), " instructions are wrong, the first is "),
        first->name, source.empty() ? "" : absl::StrCat(" (", source, ")"), ", ",
        WithCommas(judgement.counts[static_cast<int>(Verdict::kWrong)]), " of ",
        Counted(judgement.elements(), "element"));
    const Evidence* worst = WorstOf(judgement);
    return absl::StrCat(text, worst == nullptr ? "" : absl::StrCat(", worst ", InWords(*worst)),
                        ".");
  }
  if (summary.whole_is_wrong) {
    const Evidence* worst = WorstOf(whole.judgement);
    return absl::StrCat(
        "The whole program is wrong, and no instruction alone is: ", InWords(whole.judgement),
        worst == nullptr ? "" : absl::StrCat(", worst ", InWords(*worst)), ".");
  }
  if (summary.nothing_judged) return "Nothing was judged, which counts as a failure.";
  if (!whole.status.ok() && summary.exit_code != kExitOk) {
    return absl::StrCat("No bug was found, but ", whole.answered
                                                      ? "the whole program was not judged."
                                                      : "the whole program did not run.");
  }
  const int64_t differ = summary.Count(Verdict::kWithinBound) + summary.Count(Verdict::kAllowed) +
                         summary.Count(Verdict::kKnownDeviation);
  const int64_t open = summary.Count(Verdict::kNotJudgeable) + summary.not_run;
  std::string text = "No bug found: ";
  if (differ == 0 && open == 0 && whole.judgement.verdict <= Verdict::kCorrectlyRounded) {
    absl::StrAppend(&text, "every result is the golden one.");
  } else if (differ == 0) {
    absl::StrAppend(&text, "no instruction differs beyond what is rounded correctly");
  } else {
    absl::StrAppend(
        &text,
        differ == 1 ? "the only instruction that differs does so"
                    : absl::StrCat("all ", WithCommas(differ), " instructions that differ do so"),
        " as profile ", profile, " permits");
  }
  if (text.back() != '.') {
    absl::StrAppend(
        &text,
        open > 0 ? absl::StrCat("; ", Counted(open, "instruction"), " could not be judged.") : ".");
  }
  if (whole.status.ok() && whole.judgement.verdict == Verdict::kNotJudgeable) {
    absl::StrAppend(&text, " The whole program is not judgeable.");
  }
  return text;
}

// How many names of instructions are printed; JSON has all.
constexpr size_t kShownNames = 8;

// What the instructions alone do not say: those that were not asked, and the whole program.
void PrintWhole(const WholeVerdict& whole, absl::Span<const Instruction* const> not_asked,
                const Verdicts& summary, const TraceDepth& depth) {
  if (!not_asked.empty()) {
    std::cout << "not asked alone: " << not_asked.size() << " instruction"
              << (not_asked.size() > 1 ? "s" : "") << " (";
    for (size_t i = 0; i < std::min(not_asked.size(), kShownNames); ++i) {
      std::cout << (i > 0 ? ", " : "") << Name(not_asked[i]->opcode()) << " "
                << not_asked[i]->name();
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
  const bool deep = depth.subgraphs >= 4 && depth.turns >= 3;
  if (!deep && summary.whole_is_wrong && summary.Count(Verdict::kWrong) == 0) {
    std::cout
        << "no instruction alone is wrong: --subgraphs 4 --iterations 3 ask for groups and for "
           "later iterations of loops\n";
  }
}

// What is wrong first, with how to see it again.
class FirstWrong {
 public:
  explicit FirstWrong(const Isolation& isolation) : isolation_(isolation) {}

  void Take(const InstructionVerdict& verdict, const Excerpt& excerpt) {
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
    if (!excerpt_) return WriteQuestion(*whole_, inputs_, golden_, isolation_.out_subgraph);
    return WriteQuestion(*excerpt_->module, {{excerpt_->arguments}}, {{excerpt_->golden}},
                         isolation_.out_subgraph);
  }

  void AddTo(nlohmann::json* report) const {
    if (!found()) return;
    nlohmann::json& entry = (*report)["first_wrong"];
    entry = {{"instruction", Name()},
             {"module", PrintModule(excerpt_ ? *excerpt_->module : *whole_)}};
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
    std::string text = absl::StrCat("assay diff ", ShellQuoted(folder + "/module.hlo"),
                                    " --inputs ", ShellQuoted(folder + "/inputs.npz"), " --right ",
                                    ShellQuoted(isolation_.right), " --profile ",
                                    ShellQuoted(isolation_.profile), " --isolate");
    if (excerpt_ && excerpt_->is_group()) {
      absl::StrAppend(&text, " --subgraphs ", isolation_.depth.subgraphs);
    }
    return text;
  }

  const Isolation& isolation_;
  std::optional<Excerpt> excerpt_;
  const Module* whole_ = nullptr;
  absl::Span<const DeviceInputs> inputs_;
  absl::Span<const DeviceOutputs> golden_;
};

nlohmann::json WholeJson(const WholeVerdict& whole) {
  nlohmann::json entry = nlohmann::json::object();
  if (whole.status.ok()) {
    AddJudgement(whole.judgement, &entry);
  } else {
    entry[whole.answered ? "not_judged" : "not_run"] = std::string(whole.status.message());
    entry["status"] = absl::StatusCodeToString(whole.status.code());
  }
  return entry;
}

nlohmann::json ReportOf(const Module& module, absl::Span<const InstructionVerdict> verdicts,
                        const WholeVerdict& whole, absl::Span<const Instruction* const> not_asked,
                        const Verdicts& summary, const Isolation& isolation) {
  nlohmann::json list = nlohmann::json::array(), missing = nlohmann::json::array();
  for (const InstructionVerdict& verdict : verdicts) list.push_back(VerdictJson(verdict));
  for (const Instruction* each : not_asked) {
    missing.push_back(
        {{"instruction", each->name()}, {"opcode", std::string(Name(each->opcode()))}});
  }
  return {{"module", module.name()},
          {"left", "golden"},
          {"right", isolation.right},
          {"verdict", summary.Word()},
          {"whole", WholeJson(whole)},
          {"instructions", std::move(list)},
          {"not_asked_alone", std::move(missing)},
          {"profile", isolation.profile},
          {"wrong", summary.Count(Verdict::kWrong)},
          {"known_deviations", summary.Count(Verdict::kKnownDeviation)},
          {"not_judgeable", summary.Count(Verdict::kNotJudgeable)},
          {"not_run", summary.not_run}};
}

}  // namespace

int RunIsolated(const Module& module, absl::Span<const std::vector<Literal>> arguments,
                const Isolation& isolation) {
  const OutputOptions& output = isolation.output;
  absl::StatusOr<TargetProfile> profile = TargetProfile::Find(isolation.profile);
  if (!profile.ok()) return Fail(absl::InvalidArgumentError(profile.status().message()), output);
  BackendOptions options;
  options.budget = isolation.budget;
  options.custom_calls = isolation.custom_calls;
  options.memory_bytes = isolation.memory.Limit();
  absl::StatusOr<std::unique_ptr<Backend>> target = MakeBackend(isolation.right, options);
  if (!target.ok()) return Fail(target.status(), output);
  const bool talks = !output.json && !output.quiet;
  Progress progress(talks);
  int64_t judged = 0;
  FirstWrong first_wrong(isolation);
  ReportOptions report_options;
  report_options.depth = isolation.depth;
  report_options.custom_calls = isolation.custom_calls;
  report_options.observe = [&](const InstructionVerdict& verdict, const Excerpt& excerpt) {
    first_wrong.Take(verdict, excerpt);
    if (!talks) return;
    progress.Clear();
    PrintVerdict(verdict);
    progress.Show(
        absl::StrCat(++judged, " judged, last ", verdict.name, " (", KindOf(verdict), ")"));
  };
  const std::vector<DeviceInputs> inputs = WithoutFeeds(arguments);
  std::vector<DeviceOutputs> golden;
  report_options.golden = &golden;
  const absl::StatusOr<std::vector<InstructionVerdict>> verdicts =
      ReportInstructions(module, inputs, **target, *profile, isolation.budget, report_options);
  if (!verdicts.ok()) {
    progress.Clear();
    return Fail(verdicts.status(), output);
  }
  progress.Show("the whole program");
  const WholeVerdict whole =
      ReportWhole(module, inputs, golden, **target, *profile, isolation.budget);
  progress.Clear();
  if (whole.is_wrong()) first_wrong.TakeWhole(module, inputs, golden);
  if (absl::Status written = first_wrong.Write(); !written.ok()) return Fail(written, output);
  const Verdicts summary = Summarise(*verdicts, whole);
  const std::vector<const Instruction*> not_asked = NotAskedAlone(module, *verdicts);
  if (output.json) {
    nlohmann::json report = ReportOf(module, *verdicts, whole, not_asked, summary, isolation);
    first_wrong.AddTo(&report);
    std::cout << JsonText(report);
  } else if (talks) {
    PrintSummary(summary, verdicts->size(), isolation.profile);
    PrintWhole(whole, not_asked, summary, isolation.depth);
    first_wrong.Print();
    const std::string closing = ClosingSentence(*verdicts, whole, summary, isolation.profile);
    std::cout << Wrapped(closing, TextWidth(), 0) << "\n";
  }
  return summary.exit_code;
}

}  // namespace assay
