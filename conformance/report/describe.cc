#include "conformance/report/describe.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "conformance/judge/verdict_text.h"
#include "spec/op_info.h"

namespace assay::conformance {
namespace {

constexpr size_t kShownFailures = 10;
constexpr size_t kShownOperations = 12;
constexpr int64_t kFewCases = 5;
constexpr size_t kLongestHeadline = 200;

// Messages of targets may be pages long.
std::string FirstLine(absl::string_view text) {
  return Shortened(text.substr(0, text.find('\n')), kLongestHeadline);
}

// The most informative sub-test: the first one that has the outcome of the case. Of a program an
// instruction goes before the whole.
const ProbeResult* Telling(const CaseResult& result) {
  const ProbeResult* first = result.FirstDivergence();
  if (first != nullptr && first->outcome == result.outcome) return first;
  for (const ProbeResult& probe : result.probes) {
    if (probe.outcome == result.outcome) return &probe;
  }
  return result.probes.empty() ? nullptr : &result.probes.front();
}

// What stands before the words about a judgement that is not of the first execution.
std::string ExecutionInWords(const ProbeResult& probe) {
  if (probe.execution == 0) return "";
  return absl::StrCat(
      "execution ", probe.execution,
      probe.other_arguments ? ", with other arguments: " : ", with the first arguments again: ");
}

std::string Seconds(double seconds) {
  if (seconds < 120) return absl::StrFormat("%.1f s", seconds);
  return absl::StrFormat("%d min %d s", static_cast<int64_t>(seconds) / 60,
                         static_cast<int64_t>(seconds) % 60);
}

bool CountsAsFailure(const CaseResult& result) {
  return IsFailure(result.outcome) && !result.waived();
}

// ": targets of profile cpu-strict do not check modules": the reason that all cases have which did
// not run, or nothing.
std::string WhyNotRun(const RunResult& run) {
  std::optional<std::string> reason;  // a copy, since the results are made one by one
  for (const CaseResult& each : run.cases) {
    if (each.outcome != Outcome::kNotRun) continue;
    if (reason.has_value() && *reason != each.message) return "";
    reason = each.message;
  }
  return reason.value_or("").empty() ? "" : absl::StrCat(": ", *reason);
}

void AppendCounts(const RunResult& run, const RunTally& tally, std::string* text) {
  for (int i = 0; i < kOutcomes; ++i) {
    if (tally.outcomes[i] == 0) continue;
    const Outcome outcome = static_cast<Outcome>(i);
    absl::StrAppendFormat(text, "%9s %s%s\n", WithCommas(tally.outcomes[i]), OutcomeName(outcome),
                          outcome == Outcome::kNotRun ? WhyNotRun(run) : "");
  }
  if (tally.waived > 0) absl::StrAppendFormat(text, "%9d of them waived\n", tally.waived);
  std::vector<std::string> freedoms;
  for (int i = 0; i < kFreedoms; ++i) {
    if (tally.freedoms[i] == 0) continue;
    freedoms.push_back(absl::StrCat(FreedomName(static_cast<Freedom>(i)), " ", tally.freedoms[i]));
  }
  if (!freedoms.empty()) {
    absl::StrAppend(text, "permitted deviations, in cases: ", absl::StrJoin(freedoms, ", "), "\n");
  }
  std::vector<std::string> deviations;
  for (const auto& [name, count] : tally.deviations) {
    deviations.push_back(absl::StrCat(name, " ", count));
  }
  if (deviations.empty()) return;
  absl::StrAppend(text, "known deviations, in cases: ", absl::StrJoin(deviations, ", "), "\n");
}

// Every target has these, whether it implements operations or not.
bool HoldsModulesTogether(absl::string_view op) {
  return op == "constant" || op == "get-tuple-element" || op == "parameter" || op == "tuple";
}

// Operations that the target supports, but of whose cases hardly any ran: a run without failures
// says little of them.
void AppendHardlyTested(const RunResult& run, std::string* text) {
  struct Count {
    int64_t ran = 0, all = 0;
  };
  std::map<std::string, Count> by_operation;
  for (const CaseResult& each : run.cases) {
    if (each.op.empty()) continue;
    Count& count = by_operation[each.op];
    ++count.all;
    count.ran += each.outcome != Outcome::kNotRun && each.outcome != Outcome::kNotSupported;
  }
  std::vector<std::string> few;
  for (const auto& [name, count] : by_operation) {
    if (HoldsModulesTogether(name) || count.ran == 0 || count.ran >= kFewCases ||
        count.all < 2 * kFewCases)
      continue;
    few.push_back(absl::StrCat(name, " ", count.ran, " of ", count.all));
  }
  if (few.empty()) return;
  const size_t shown = std::min(few.size(), kShownOperations);
  absl::StrAppend(text, "hardly tested, in cases that ran: ",
                  absl::StrJoin(absl::MakeConstSpan(few).first(shown), ", "));
  if (few.size() > shown) absl::StrAppend(text, ", and ", few.size() - shown, " more");
  absl::StrAppend(text, "\n");
}

// The worst element of what the headline is about.
std::string WorstLine(const CaseResult& result) {
  const ProbeResult* probe = Telling(result);
  const Evidence* worst = probe == nullptr ? nullptr : WorstOf(probe->judgement);
  return worst == nullptr ? "" : absl::StrCat("    worst ", InWords(*worst), "\n");
}

// All evidence on what the headline is about; of equally many lines as JUnit and the page have.
std::string EvidenceLines(const CaseResult& result) {
  const ProbeResult* probe = Telling(result);
  if (probe == nullptr) return "";
  const Evidence* worst = WorstOf(probe->judgement);
  std::string text;
  for (const Evidence& each : probe->judgement.evidence) {
    absl::StrAppend(&text, "    ", &each == worst ? "worst " : "", InWords(each), "\n");
  }
  return text;
}

// "37 of 1,024 elements are wrong, worst [0,8,5]: ...": why a case fails.
std::string WhyItFails(const CaseResult& result) {
  const ProbeResult* probe = Telling(result);
  const Evidence* worst = probe == nullptr ? nullptr : WorstOf(probe->judgement);
  if (!result.message.empty() || worst == nullptr) return Headline(result);
  const int64_t wrong = probe->judgement.counts[static_cast<int>(Verdict::kWrong)];
  return absl::StrCat(probe->name.empty() ? "" : NameWithSource(*probe) + ", ", WithCommas(wrong),
                      " of ", Counted(probe->judgement.elements(), "element"),
                      wrong == 1 ? " is" : " are", " wrong, worst ", InWords(*worst));
}

bool IsOperation(absl::string_view name) {
  return absl::c_any_of(Catalogue(), [&](const OpInfo& op) { return op.name == name; });
}

void AppendFailures(const RunResult& run, std::string* text) {
  std::map<std::string, int64_t> by_operation;
  std::string first, first_op, shown;
  size_t failures = 0;
  for (const CaseResult& each : run.cases) {
    if (!CountsAsFailure(each)) continue;
    ++by_operation[each.op.empty() ? "program" : each.op];
    if (failures == 0) {
      first = each.id;
      first_op = each.op;
    }
    if (failures++ >= kShownFailures) continue;
    absl::StrAppend(&shown, "  ", OutcomeName(each.outcome), ": ", each.id, ": ", Headline(each),
                    "\n", failures == 1 ? EvidenceLines(each) : WorstLine(each));
  }
  if (failures == 0) return;
  std::vector<std::pair<int64_t, std::string>> operations;
  for (const auto& [name, count] : by_operation) operations.emplace_back(-count, name);
  std::sort(operations.begin(), operations.end());
  absl::StrAppend(text, "failures by operation:");
  for (size_t i = 0; i < operations.size() && i < kShownOperations; ++i) {
    absl::StrAppend(text, i > 0 ? ", " : " ", operations[i].second, " ", -operations[i].first);
  }
  if (operations.size() > kShownOperations) {
    absl::StrAppend(text, ", and ", operations.size() - kShownOperations, " more");
  }
  absl::StrAppend(text, "\n", shown);
  if (failures > kShownFailures) {
    absl::StrAppend(text, "  and ", failures - kShownFailures, " more\n");
  }
  absl::StrAppend(text, "run the first again with:\n  ", RepeatCommand(run, first), "\n");
  if (IsOperation(first_op)) {
    absl::StrAppend(text, "assay ops ", first_op, " says what the operation returns\n");
  }
}

}  // namespace

int64_t RunTally::passes() const {
  int64_t sum = 0;
  for (int i = 0; i < kOutcomes; ++i) {
    if (IsPass(static_cast<Outcome>(i))) sum += outcomes[i];
  }
  return sum;
}

int64_t RunTally::all() const {
  return std::accumulate(outcomes.begin(), outcomes.end(), int64_t{0});
}

int64_t RunTally::ran() const {
  return all() - outcomes[static_cast<int>(Outcome::kNotRun)] -
         outcomes[static_cast<int>(Outcome::kNotSupported)];
}

std::string ShareThatRan(const RunTally& tally) {
  const int64_t all = tally.all();
  const double share =
      all > 0 ? 100.0 * static_cast<double>(tally.ran()) / static_cast<double>(all) : 0;
  return absl::StrFormat(
      "%s of %s cases ran (%.1f%%)", WithCommas(tally.ran()), WithCommas(all),
      // 100% and 0% are said only where they are true.
      all > 0 && tally.ran() < all ? std::clamp(share, tally.ran() > 0 ? 0.1 : 0.0, 99.9) : share);
}

RunTally Tally(const RunResult& run) {
  RunTally tally;
  for (const CaseResult& each : run.cases) {
    ++tally.outcomes[static_cast<int>(each.outcome)];
    tally.failures += CountsAsFailure(each);
    tally.waived += each.waived();
    for (int i = 0; i < kFreedoms; ++i) {
      tally.freedoms[i] +=
          std::any_of(each.probes.begin(), each.probes.end(),
                      [i](const ProbeResult& probe) { return probe.judgement.freedoms[i] > 0; });
    }
    std::set<std::string> deviations;
    for (const ProbeResult& probe : each.probes) {
      deviations.insert(probe.judgement.deviations.begin(), probe.judgement.deviations.end());
    }
    for (const std::string& deviation : deviations) ++tally.deviations[deviation];
  }
  return tally;
}

bool RunFails(const RunResult& run) {
  return run.interrupted || !run.complaints.empty() ||
         std::any_of(run.cases.begin(), run.cases.end(), CountsAsFailure);
}

std::string NameWithSource(const ProbeResult& probe) {
  return probe.source.empty() ? probe.name : absl::StrCat(probe.name, " (", probe.source, ")");
}

std::string Headline(const CaseResult& result) {
  if (!result.message.empty()) return FirstLine(result.message);
  const ProbeResult* probe = Telling(result);
  if (probe == nullptr) return std::string(OutcomeName(result.outcome));
  const std::string what =
      ExecutionInWords(*probe) +
      (probe->message.empty() ? InWords(probe->judgement) : FirstLine(probe->message));
  return probe->name.empty() ? what : absl::StrCat(NameWithSource(*probe), ": ", what);
}

std::string Describe(const CaseResult& result) {
  std::string text = absl::StrCat(result.message.empty() ? Headline(result) : result.message, "\n");
  if (const ProbeResult* first = result.FirstDivergence()) {
    absl::StrAppend(&text, "goes wrong first at ", NameWithSource(*first), ", sub-test ",
                    first - result.probes.data(), "\n");
  }
  for (const ProbeResult& probe : result.probes) {
    const Judgement& judgement = probe.judgement;
    if (IsPass(probe.outcome) && judgement.evidence.empty() && judgement.deviations.empty())
      continue;
    absl::StrAppend(&text, probe.name.empty() ? "the whole module" : NameWithSource(probe), ": ",
                    OutcomeName(probe.outcome), "; ", ExecutionInWords(probe),
                    probe.message.empty() ? InWords(judgement) : probe.message, "\n");
    for (const Evidence& each : judgement.evidence) {
      absl::StrAppend(&text, "  ", InWords(each), "\n");
    }
    for (const std::string& reason : judgement.reasons) absl::StrAppend(&text, "  ", reason, "\n");
    for (const std::string& deviation : judgement.deviations) {
      absl::StrAppend(&text, "  known deviation ", deviation, "\n");
    }
  }
  return text;
}

std::string ShellQuoted(absl::string_view text) {
  const auto plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("/._-+:=,@%", c);
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) absl::StrAppend(&quoted, c == '\'' ? "'\\''" : std::string(1, c));
  return quoted + "'";
}

std::vector<std::string> TargetOptions(const RunResult& run) {
  std::vector<std::string> words = {"--target", run.target};
  const auto add = [&words](const char* option, std::string value) {
    words.push_back(option);
    words.push_back(std::move(value));
  };
  if (!run.profile.empty()) add("--profile", run.profile);
  if (run.repeat != 1) add("--repeat", absl::StrCat(run.repeat));
  if (run.timeout != kUsualTimeout) add("--timeout", absl::StrCat(run.timeout));
  if (run.memory != 0) add("--memory", absl::StrCat(run.memory));
  if (run.subgraphs != 0) add("--subgraphs", absl::StrCat(run.subgraphs));
  if (run.iterations != 0) add("--iterations", absl::StrCat(run.iterations));
  return words;
}

std::string RepeatCommand(const RunResult& run, absl::string_view id) {
  absl::string_view folder = run.target;
  const bool offline = absl::ConsumePrefix(&folder, "files:");
  std::string command = offline ? absl::StrCat("assay judge ", ShellQuoted(folder)) : "assay test";
  std::vector<std::string> options = TargetOptions(run);
  if (offline) options.erase(options.begin(), options.begin() + 2);  // the folder is the target
  for (const std::string& option : options) absl::StrAppend(&command, " ", ShellQuoted(option));
  for (const std::string& file : run.case_files) {
    absl::StrAppend(&command, " --cases ", ShellQuoted(file));
  }
  for (const std::string& op : run.sweeps) {
    absl::StrAppend(&command, " --sweep ", ShellQuoted(op));
  }
  absl::StrAppend(&command, " --filter ");
  if (!id.empty()) absl::StrAppend(&command, ShellQuoted(id));
  return command;
}

nlohmann::json SummaryToJson(const RunResult& run) {
  const RunTally tally = Tally(run);
  nlohmann::json outcomes = nlohmann::json::object();
  for (int i = 0; i < kOutcomes; ++i) {
    outcomes[std::string(OutcomeName(static_cast<Outcome>(i)))] = tally.outcomes[i];
  }
  nlohmann::json freedoms = nlohmann::json::object();
  for (int i = 0; i < kFreedoms; ++i) {
    freedoms[std::string(FreedomName(static_cast<Freedom>(i)))] = tally.freedoms[i];
  }
  return {{"cases", run.cases.size()},
          {"ran", tally.ran()},
          {"failures", tally.failures},
          {"waived", tally.waived},
          {"outcomes", std::move(outcomes)},
          {"freedoms", std::move(freedoms)},
          {"known_deviations", tally.deviations},
          {"complaints", run.complaints},
          {"interrupted", run.interrupted},
          {"fails", RunFails(run)}};
}

std::string ClosingSentence(const RunResult& run) {
  const RunTally tally = Tally(run);
  if (tally.failures > 0) {
    const auto first = std::find_if(run.cases.begin(), run.cases.end(),
                                    [](const CaseResult& each) { return CountsAsFailure(each); });
    return absl::StrCat(tally.failures == 1 ? "1 case fails: "
                                            : absl::StrCat(WithCommas(tally.failures),
                                                           " cases fail, the first is "),
                        (*first).id, ": ", WhyItFails(*first), ".");
  }
  if (run.interrupted) return "The run did not finish, which counts as a failure.";
  if (!run.complaints.empty()) return "No case fails, but the run does for the reasons above.";
  const int64_t open = tally.outcomes[static_cast<int>(Outcome::kNotJudgeable)];
  const int64_t judged = tally.ran() - open, left = tally.all() - tally.ran();
  std::string text = absl::StrCat(
      "No bug found: ",
      judged == 1 ? "the only case that was judged passes"
                  : absl::StrCat("all ", WithCommas(judged), " cases that were judged pass"));
  if (tally.waived > 0) {
    absl::StrAppend(&text, " or ", tally.waived == 1 ? "is" : "are", " waived (",
                    WithCommas(tally.waived), ")");
  }
  absl::StrAppend(&text, " under profile ", run.profile);
  std::vector<std::string> others;
  if (open > 0) {
    others.push_back(absl::StrCat(WithCommas(open), open == 1 ? " is" : " are", " not judgeable"));
  }
  if (left > 0) {
    others.push_back(absl::StrCat(Counted(left, "other case"), " did not run"));
  }
  if (!others.empty()) absl::StrAppend(&text, "; ", absl::StrJoin(others, ", and "));
  return text + ".";
}

std::string FormatSummary(const RunResult& run) {
  const RunTally tally = Tally(run);
  std::string text = run.target;
  if (!run.target_version.empty()) absl::StrAppend(&text, " (", run.target_version, ")");
  absl::StrAppend(&text, ", profile ", run.profile);
  if (!run.tier.empty()) absl::StrAppend(&text, ", tier ", run.tier);
  if (run.shards > 1) absl::StrAppend(&text, ", shard ", run.shard, "/", run.shards);
  absl::StrAppend(&text, ": ", ShareThatRan(tally), " in ", Seconds(run.seconds), "\n");
  AppendCounts(run, tally, &text);
  AppendHardlyTested(run, &text);
  AppendFailures(run, &text);
  for (const std::string& complaint : run.complaints) absl::StrAppend(&text, complaint, "\n");
  if (run.interrupted) {
    absl::StrAppend(&text, "interrupted: ", run.selected - static_cast<int64_t>(run.cases.size()),
                    " of ", run.selected, " cases never ran\n");
  }
  absl::StrAppend(&text, ClosingSentence(run), "\n");
  return text;
}

}  // namespace assay::conformance
