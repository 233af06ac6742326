#include "tools/cli/isolated_diff.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/diagnose/instruction_report.h"
#include "conformance/offline/case_folder.h"
#include "conformance/report/describe.h"
#include "nlohmann/json.hpp"
#include "spec/text/printer.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/report.h"
#include "tools/cli/terminal.h"

namespace assay {
namespace {

nlohmann::json VerdictJson(const InstructionVerdict& verdict) {
  nlohmann::json entry = {{"instruction", verdict.name},
                          {"opcode", std::string(Name(verdict.last().opcode()))},
                          {"shape", verdict.last().shape().ToString()}};
  if (verdict.is_group()) entry["members"] = verdict.members.size();
  if (verdict.turn > 1) entry["turn"] = verdict.turn;
  if (!verdict.status.ok()) {
    entry["not_run"] = std::string(verdict.status.message());
    entry["status"] = absl::StatusCodeToString(verdict.status.code());
    return entry;
  }
  const Judgement& judgement = verdict.judgement;
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
  return entry;
}

std::string KindOf(const InstructionVerdict& verdict) {
  return verdict.is_group() ? absl::StrCat("subgraph of ", verdict.members.size())
                            : std::string(Name(verdict.last().opcode()));
}

void PrintVerdict(const InstructionVerdict& verdict) {
  const Judgement& judgement = verdict.judgement;
  if (verdict.status.ok() && judgement.verdict <= Verdict::kCorrectlyRounded) return;
  absl::PrintF("  %-28s %-22s ", verdict.name, KindOf(verdict));
  if (!verdict.status.ok()) {
    std::cout << "not run: " << Printable(verdict.status.message()) << "\n";
    return;
  }
  const bool wrong = judgement.verdict == Verdict::kWrong;
  std::cout << Coloured(wrong ? Colour::kRed : Colour::kGreen, VerdictName(judgement.verdict));
  std::string separator = " by ";
  for (int each = 0; each < kFreedoms; ++each) {
    if (judgement.freedoms[each] == 0) continue;
    std::cout << separator << FreedomName(static_cast<Freedom>(each));
    separator = ", ";
  }
  for (const std::string& deviation : judgement.deviations) {
    std::cout << separator << deviation;
    separator = ", ";
  }
  if (judgement.largest_fraction > 0) {
    absl::PrintF(" (%.3f of %s, up to %d ulp)", judgement.largest_fraction, judgement.rule,
                 judgement.largest_distance);
  }
  if (!judgement.evidence.empty()) {
    const Evidence& first = judgement.evidence.front();
    std::cout << ": element " << first.position << ": golden " << first.golden << ", actual "
              << first.actual;
    if (!first.reason.empty()) std::cout << ", " << first.reason;
  }
  std::cout << "\n";
}

// All verdicts together.
struct Verdicts {
  int64_t counts[kVerdicts] = {};  // of the instructions that ran
  int64_t not_run = 0;
  int64_t groups = 0;
  // A mismatch where something is wrong; else that of the worst failure to run.
  ExitCode exit_code = kExitOk;

  int64_t Count(Verdict verdict) const { return counts[static_cast<int>(verdict)]; }
  const char* Word() const {
    if (exit_code == kExitOk) return "right";
    return exit_code == kExitMismatch ? "wrong" : "not run";
  }
};

Verdicts Summarise(absl::Span<const InstructionVerdict> verdicts) {
  Verdicts summary;
  ExitCode failure = kExitOk;
  for (const InstructionVerdict& verdict : verdicts) {
    summary.groups += verdict.is_group();
    if (verdict.status.ok()) {
      ++summary.counts[static_cast<int>(verdict.judgement.verdict)];
      continue;
    }
    ++summary.not_run;
    // What the other implementation does not support is the mildest.
    const ExitCode code = ExitCodeOf(verdict.status);
    if (failure == kExitOk || failure == kExitUnsupported) {
      failure = code;
    } else if (code != kExitUnsupported) {
      failure = std::max(failure, code);
    }
  }
  summary.exit_code = summary.Count(Verdict::kWrong) > 0 ? kExitMismatch : failure;
  return summary;
}

void PrintSummary(const Verdicts& summary, size_t verdicts, const std::string& profile) {
  const auto groups = static_cast<size_t>(summary.groups);
  absl::PrintF(
      "%d instructions%s judged by %s: %d exact, %d correctly rounded, %d within bound, "
      "%d allowed, %d known deviations, %d not judgeable, %d wrong, %d not run\n",
      verdicts - groups,
      groups > 0 ? absl::StrCat(" and ", groups, " subgraph", groups > 1 ? "s" : "") : "", profile,
      summary.Count(Verdict::kExact), summary.Count(Verdict::kCorrectlyRounded),
      summary.Count(Verdict::kWithinBound), summary.Count(Verdict::kAllowed),
      summary.Count(Verdict::kKnownDeviation), summary.Count(Verdict::kNotJudgeable),
      summary.Count(Verdict::kWrong), summary.not_run);
}

// What is wrong first, with how to see it again.
class FirstWrong {
 public:
  explicit FirstWrong(const Isolation& isolation) : isolation_(isolation) {}

  void Take(const InstructionVerdict& verdict, const Excerpt& excerpt) {
    if (verdict.is_wrong() && !excerpt_) excerpt_ = excerpt;
  }

  // Where a folder for it is wanted.
  absl::Status Write() const {
    if (!excerpt_ || isolation_.out_subgraph.empty()) return absl::OkStatus();
    return WriteQuestion(*excerpt_->module, {{excerpt_->arguments}}, {{excerpt_->golden}},
                         isolation_.out_subgraph);
  }

  void AddTo(nlohmann::json* report) const {
    if (!excerpt_) return;
    nlohmann::json& entry = (*report)["first_wrong"];
    entry = {{"instruction", excerpt_->Name()}, {"module", PrintModule(*excerpt_->module)}};
    if (!isolation_.out_subgraph.empty()) entry["command"] = Command();
  }

  void Print() const {
    if (!excerpt_) return;
    std::cout << "wrong first: " << excerpt_->Name() << "\n";
    if (isolation_.out_subgraph.empty()) return;
    std::cout << "alone in " << isolation_.out_subgraph << "; run it again with:\n  " << Command()
              << "\n";
  }

 private:
  std::string Command() const {
    const std::string& folder = isolation_.out_subgraph;
    std::string text = absl::StrCat("assay diff ", ShellQuoted(folder + "/module.hlo"),
                                    " --inputs ", ShellQuoted(folder + "/inputs.npz"), " --right ",
                                    ShellQuoted(isolation_.right), " --profile ",
                                    ShellQuoted(isolation_.profile), " --isolate");
    if (excerpt_->is_group()) {
      absl::StrAppend(&text, " --subgraphs ", isolation_.depth.subgraphs);
    }
    return text;
  }

  const Isolation& isolation_;
  std::optional<Excerpt> excerpt_;
};

nlohmann::json ReportOf(const Module& module, absl::Span<const InstructionVerdict> verdicts,
                        const Verdicts& summary, const Isolation& isolation) {
  nlohmann::json list = nlohmann::json::array();
  for (const InstructionVerdict& verdict : verdicts) list.push_back(VerdictJson(verdict));
  return {{"module", module.name()},
          {"left", "golden"},
          {"right", isolation.right},
          {"verdict", summary.Word()},
          {"instructions", std::move(list)},
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
  options.custom_calls = isolation.custom_calls;
  options.memory_bytes = isolation.memory.Limit();
  absl::StatusOr<std::unique_ptr<Backend>> target =
      MakeBackend(isolation.right, isolation.budget, options);
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
  const absl::StatusOr<std::vector<InstructionVerdict>> verdicts = ReportInstructions(
      module, WithoutFeeds(arguments), **target, *profile, isolation.budget, report_options);
  progress.Clear();
  if (!verdicts.ok()) return Fail(verdicts.status(), output);
  if (absl::Status written = first_wrong.Write(); !written.ok()) return Fail(written, output);
  const Verdicts summary = Summarise(*verdicts);
  if (output.json) {
    nlohmann::json report = ReportOf(module, *verdicts, summary, isolation);
    first_wrong.AddTo(&report);
    std::cout << JsonText(report);
  } else if (talks) {
    PrintSummary(summary, verdicts->size(), isolation.profile);
    first_wrong.Print();
  }
  return summary.exit_code;
}

}  // namespace assay
