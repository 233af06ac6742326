#include "tools/cli/isolated_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/judge/verdict_text.h"
#include "nlohmann/json.hpp"
#include "spec/ir/source_text.h"

namespace assay::cli {
namespace {

nlohmann::json VerdictJson(const conformance::InstructionVerdict& verdict) {
  nlohmann::json entry = {{"instruction", verdict.name},
                          {"opcode", std::string(Name(verdict.last().opcode()))},
                          {"shape", verdict.last().shape().ToString()}};
  if (std::string source = SourceText(verdict.last()); !source.empty()) {
    entry["source"] = std::move(source);
  }
  if (SourcePlace place = SourcePlaceOf(verdict.last()); !place.file.empty()) {
    entry["source_file"] = std::move(place.file);
    entry["source_line"] = place.line;
  }
  if (verdict.is_group()) entry["members"] = verdict.members.size();
  if (verdict.iteration > 1) entry["turn"] = verdict.iteration;
  if (!verdict.status.ok()) {
    entry["not_run"] = std::string(verdict.status.message());
    entry["status"] = absl::StatusCodeToString(verdict.status.code());
    return entry;
  }
  AddJudgement(verdict.judgement, &entry);
  return entry;
}

nlohmann::json WholeJson(const conformance::WholeVerdict& whole) {
  nlohmann::json entry = nlohmann::json::object();
  if (whole.status.ok()) {
    AddJudgement(whole.judgement, &entry);
  } else {
    entry[whole.answered ? "not_judged" : "not_run"] = std::string(whole.status.message());
    entry["status"] = absl::StatusCodeToString(whole.status.code());
  }
  return entry;
}

}  // namespace

void AddJudgement(const conformance::Judgement& judgement, nlohmann::json* to) {
  nlohmann::json& entry = *to;
  entry["verdict"] = std::string(conformance::VerdictName(judgement.verdict));
  entry["rule"] = judgement.rule;
  entry["largest_fraction_of_bound"] = judgement.largest_fraction;
  entry["largest_distance"] = judgement.largest_distance;
  for (int each = 0; each < conformance::kVerdicts; ++each) {
    entry["elements"]
         [std::string(conformance::VerdictName(static_cast<conformance::Verdict>(each)))] =
             judgement.counts[each];
  }
  for (int each = 0; each < conformance::kFreedoms; ++each) {
    if (judgement.freedoms[each] == 0) continue;
    entry["freedoms"]
         [std::string(conformance::FreedomName(static_cast<conformance::Freedom>(each)))] =
             judgement.freedoms[each];
  }
  if (!judgement.deviations.empty()) entry["known_deviations"] = judgement.deviations;
  if (const conformance::Evidence* worst = conformance::WorstOf(judgement); worst != nullptr)
    entry["worst"] = conformance::InWords(*worst);
  entry["sentence"] = conformance::InWords(judgement);
  for (const conformance::Evidence& element : judgement.evidence) {
    entry["evidence"].push_back(
        {{"verdict", std::string(conformance::VerdictName(element.verdict))},
         {"leaf", element.leaf},
         {"position", element.position},
         {"golden", element.golden},
         {"actual", element.actual},
         {"reason", element.reason}});
  }
}

Verdicts Summarise(absl::Span<const conformance::InstructionVerdict> verdicts,
                   const conformance::WholeVerdict& whole) {
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
  for (const conformance::InstructionVerdict& verdict : verdicts) {
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
  const auto is_judged = [](const absl::Status& status, const conformance::Judgement& judgement) {
    return status.ok() && judgement.verdict != conformance::Verdict::kNotJudgeable;
  };
  summary.nothing_judged = failure == kExitOk && !is_judged(whole.status, whole.judgement) &&
                           std::none_of(verdicts.begin(), verdicts.end(),
                                        [&](const conformance::InstructionVerdict& verdict) {
                                          return is_judged(verdict.status, verdict.judgement);
                                        });
  const bool wrong = summary.Count(conformance::Verdict::kWrong) > 0 || summary.whole_is_wrong;
  summary.exit_code = wrong || summary.nothing_judged ? kExitMismatch : failure;
  return summary;
}

namespace {

// How many instructions are wrong, and the first of them.
std::string WrongInstructionsSentence(absl::Span<const conformance::InstructionVerdict> verdicts,
                                      int64_t wrong) {
  const auto first =
      std::find_if(verdicts.begin(), verdicts.end(),
                   [](const conformance::InstructionVerdict& each) { return each.is_wrong(); });
  const conformance::Judgement& judgement = first->judgement;
  const std::string source = SourceText(first->last());
  std::string text = absl::StrCat(
      wrong == 1
          ? "1 instruction is wrong: "
          : absl::StrCat(conformance::WithCommas(wrong), " instructions are wrong, the first is "),
      first->name, source.empty() ? "" : absl::StrCat(" (", source, ")"), ", ",
      conformance::WithCommas(judgement.counts[static_cast<int>(conformance::Verdict::kWrong)]),
      " of ", conformance::Counted(judgement.elements(), "element"));
  const conformance::Evidence* worst = conformance::WorstOf(judgement);
  return absl::StrCat(
      text, worst == nullptr ? "" : absl::StrCat(", worst ", conformance::InWords(*worst)), ".");
}

}  // namespace

std::string ClosingSentence(absl::Span<const conformance::InstructionVerdict> verdicts,
                            const conformance::WholeVerdict& whole, const Verdicts& summary,
                            const std::string& profile) {
  const int64_t wrong = summary.Count(conformance::Verdict::kWrong);
  if (wrong > 0) return WrongInstructionsSentence(verdicts, wrong);
  if (summary.whole_is_wrong) {
    const conformance::Evidence* worst = conformance::WorstOf(whole.judgement);
    return absl::StrCat(
        "The whole program is wrong, and no instruction alone is: ",
        conformance::InWords(whole.judgement),
        worst == nullptr ? "" : absl::StrCat(", worst ", conformance::InWords(*worst)), ".");
  }
  if (summary.nothing_judged) return "Nothing was judged, which counts as a failure.";
  const auto instructions = static_cast<int64_t>(verdicts.size());
  if (!whole.status.ok() && instructions > 0 && summary.not_run == instructions) {
    return absl::StrCat("Nothing was judged: the other implementation did not run the ",
                        instructions == 1
                            ? "instruction"
                            : absl::StrCat(conformance::WithCommas(instructions), " instructions"),
                        ", nor the whole program.");
  }
  if (!whole.status.ok() && summary.exit_code != kExitOk) {
    return absl::StrCat("No bug was found, but ", whole.answered
                                                      ? "the whole program was not judged."
                                                      : "the whole program did not run.");
  }
  const int64_t differ = summary.Count(conformance::Verdict::kWithinBound) +
                         summary.Count(conformance::Verdict::kAllowed) +
                         summary.Count(conformance::Verdict::kKnownDeviation);
  const int64_t open = summary.Count(conformance::Verdict::kNotJudgeable) + summary.not_run;
  std::string text = "No bug found: ";
  if (differ == 0 && open == 0 &&
      whole.judgement.verdict <= conformance::Verdict::kCorrectlyRounded) {
    absl::StrAppend(&text, "every result is the golden one.");
  } else if (differ == 0) {
    absl::StrAppend(&text, "no instruction differs beyond what is rounded correctly");
  } else {
    absl::StrAppend(&text,
                    differ == 1 ? "the only instruction that differs does so"
                                : absl::StrCat("all ", conformance::WithCommas(differ),
                                               " instructions that differ do so"),
                    " as profile ", profile, " permits");
  }
  if (text.back() != '.') {
    absl::StrAppend(&text, open > 0 ? absl::StrCat("; ", conformance::Counted(open, "instruction"),
                                                   " could not be judged.")
                                    : ".");
  }
  if (whole.status.ok() && whole.judgement.verdict == conformance::Verdict::kNotJudgeable) {
    absl::StrAppend(&text, " The whole program is not judgeable.");
  }
  return text;
}

nlohmann::json IsolatedReportJson(const Module& module,
                                  absl::Span<const conformance::InstructionVerdict> verdicts,
                                  const conformance::WholeVerdict& whole, const Verdicts& summary,
                                  const std::string& right, const std::string& profile) {
  nlohmann::json list = nlohmann::json::array(), missing = nlohmann::json::array();
  for (const conformance::InstructionVerdict& verdict : verdicts)
    list.push_back(VerdictJson(verdict));
  for (const Instruction* each : conformance::NotAskedAlone(module, verdicts)) {
    missing.push_back(
        {{"instruction", each->name()}, {"opcode", std::string(Name(each->opcode()))}});
  }
  return {{"module", module.name()},
          {"left", "golden"},
          {"right", right},
          {"verdict", summary.Word()},
          {"whole", WholeJson(whole)},
          {"instructions", std::move(list)},
          {"not_asked_alone", std::move(missing)},
          {"profile", profile},
          {"wrong", summary.Count(conformance::Verdict::kWrong)},
          {"known_deviations", summary.Count(conformance::Verdict::kKnownDeviation)},
          {"not_judgeable", summary.Count(conformance::Verdict::kNotJudgeable)},
          {"not_run", summary.not_run}};
}

}  // namespace assay::cli
