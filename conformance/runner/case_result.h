// What a run of the suite finds out about one case, and about all of them: what reports are made
// of. The JSON form is the contract of docs/reports.md; it is the journal of `--resume` and the
// input of `assay report merge` as well. Tests: case_result_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_CASE_RESULT_H_
#define ASSAY_CONFORMANCE_RUNNER_CASE_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/judge/verdict.h"
#include "conformance/runner/case_results.h"
#include "nlohmann/json.hpp"

namespace assay {

// The verdicts, and what else can become of a case. In the order from best to worst, so that of
// the probes of a case the worst counts; the last four fail a run, not judgeable ones beyond the
// suite's share.
enum class Outcome : uint8_t {
  kExact,
  kCorrectlyRounded,
  kWithinBound,
  kAllowed,
  kKnownDeviation,
  kRefused,       // as the case expects
  kNotRun,        // the profile says that the target does not support it, or a budget excludes it
  kNotSupported,  // the target itself says that it does not support it
  kNotJudgeable,
  kWrong,    // a value that nothing allows, or an illegal module taken
  kFlaky,    // different answers on repetition
  kFailed,   // crashed, hung, answered nonsense, ran out of memory or time
  kInvalid,  // the target refuses a legal case
};
inline constexpr int kOutcomes = 13;
absl::string_view OutcomeName(Outcome outcome);  // "not supported"
std::optional<Outcome> OutcomeFromName(absl::string_view name);
Outcome OutcomeOf(Verdict verdict);
bool IsFailure(Outcome outcome);  // kWrong and worse
bool IsPass(Outcome outcome);     // up to kRefused

// One question that a case asked: its whole module, or one of its instructions alone, or a group of
// them, on golden operands.
struct ProbeResult {
  std::string name;    // empty: the whole module; else the instructions, and a turn after the first
  std::string source;  // where its last instruction was written (SourceText); may be empty
  bool subgraph = false;  // a group
  Outcome outcome = Outcome::kExact;
  std::string message;  // why there is no judgement
  // Which execution the judgement is of, where it is not the first, and whether its arguments are
  // others than those of the first.
  int64_t execution = 0;
  bool other_arguments = false;
  Judgement judgement;
};

// The beginning of a text of more than `longest` bytes, which ends between characters, and " ...".
std::string Shortened(absl::string_view text, size_t longest);

struct CaseResult {
  std::string id;
  std::string hash;      // of the case's text: CaseHash
  std::string op, type;  // its tags
  Outcome outcome = Outcome::kExact;
  std::string message;  // one line for people; empty where the verdict says all
  std::string waiver;   // the reason of the waiver that covers it; empty: none
  std::string text;     // the case itself, for reports: of what fails, where it is short
  std::vector<ProbeResult> probes;
  double target_seconds = 0, golden_seconds = 0, judge_seconds = 0;

  bool waived() const { return !waiver.empty(); }
  // Where a program goes wrong: the first of its instructions and groups that fails; null: none
  // does, or the case is of one operation.
  const ProbeResult* FirstDivergence() const;
};

inline constexpr double kUsualTimeout = 60;  // seconds of a target for a case

struct RunResult {
  std::string target, target_version;  // as the user wrote it, and what the target says of itself
  std::string profile, tier, filter;
  int64_t subgraphs = 0, turns = 0;     // what else was asked of programs, where more than usual
  std::vector<std::string> case_files;  // none: the corpus that is built in
  std::vector<std::string> sweeps;      // operations of which all f32 arguments were asked
  std::vector<std::string> profile_differences;  // from its base, a line each
  std::string corpus;  // hash of the whole manifest: runs of different corpora do not merge
  int64_t repeat = 1;  // runs of each case
  double timeout = kUsualTimeout;  // negative: no limit
  int64_t memory = 0;              // bytes that the target could take; 0: as usual; -1: no limit
  int64_t shard = 0, shards = 1;
  int64_t selected = 0;      // cases of this shard
  bool interrupted = false;  // ended before all of them had run
  std::string started;       // "2026-11-22T05:50:00", UTC
  double seconds = 0;
  CaseResults cases;                    // sorted by id
  std::vector<std::string> complaints;  // why the run fails beside its cases: unused waivers, ...
};

// What is empty or 0 has no member; reading ignores members that it does not know. Errors are
// INVALID_ARGUMENT and say which member is wrong.
nlohmann::json ToJson(const Judgement& judgement);
nlohmann::json ToJson(const CaseResult& result);
absl::StatusOr<CaseResult> CaseResultFromJson(const nlohmann::json& json);
nlohmann::json HeaderToJson(const RunResult& result);  // of a run, all but the cases

// The JSON of a case on one line. Text that is no UTF-8 is replaced, not refused.
std::string FormatLine(const CaseResult& result);
// A report: a case to a line. Neither holds more than one case as a tree, so that reports of any
// length can be written and read; `where` is for messages.
std::string FormatReport(const RunResult& result);
absl::StatusOr<RunResult> ParseReport(absl::string_view text, absl::string_view where);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUNNER_CASE_RESULT_H_
