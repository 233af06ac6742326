// The results of a run of the suite, for one case and for all of them. Reports are made of them.
// docs/reports.md specifies their JSON form, which is also the journal of `--resume` and the input
// of `assay report merge`. Tests: case_result_test.cc.
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

namespace assay::conformance {

// The outcome of a case: a verdict, or the reason why there is none. The order is from best to
// worst, so that a case has the worst outcome of its probes. The last four fail a run; inconclusive
// outcomes fail it if they exceed the suite's limit (judgeability.h).
enum class Outcome : uint8_t {
  kExact,
  kCorrectlyRounded,
  kWithinBound,
  kAllowed,
  kKnownDeviation,
  kRefused,       // the target refused the case, as the case expects
  kNotRun,        // the profile says that the target does not support it, or a budget excludes it
  kNotSupported,  // the target itself says that it does not support it
  kNotJudgeable,
  kWrong,    // a value that nothing permits, or an illegal module that the target accepted
  kFlaky,    // different results on repetition
  kFailed,   // the target crashed, hung, sent an invalid response, or ran out of memory or time
  kInvalid,  // the target refused a legal case
};
inline constexpr int kOutcomes = 13;
absl::string_view OutcomeName(Outcome outcome);  // "not supported"
std::optional<Outcome> OutcomeFromName(absl::string_view name);
Outcome OutcomeOf(Verdict verdict);
bool IsFailure(Outcome outcome);  // kWrong or worse
bool IsPass(Outcome outcome);     // kRefused or better

// The result of a probe (probe.h): the whole module of a case, one of its instructions alone, or a
// group of them, on golden operands.
struct ProbeResult {
  std::string name;       // empty for the whole module; otherwise Excerpt::Name
  std::string source;     // where its last instruction was written (SourceText); may be empty
  bool subgraph = false;  // a group
  Outcome outcome = Outcome::kExact;
  std::string message;  // the reason why there is no judgement
  // The execution that the judgement is of, if it is not the first, and whether its arguments
  // differ from those of the first.
  int64_t execution = 0;
  bool other_arguments = false;
  Judgement judgement;
};

// Returns the text, or its beginning and " ..." if it has more than `longest` bytes. No character
// is split.
std::string Shortened(absl::string_view text, size_t longest);

struct CaseResult {
  std::string id;
  std::string hash;      // CaseHash of the case's text
  std::string op, type;  // its tags
  Outcome outcome = Outcome::kExact;
  std::string message;  // one line for people; may be empty
  std::string waiver;   // the reason of the waiver that covers the case, if there is one
  std::string text;     // the text of a failing case, if it is short, for reports
  std::vector<ProbeResult> probes;
  double target_seconds = 0, golden_seconds = 0, judge_seconds = 0;

  bool waived() const { return !waiver.empty(); }
  // Returns the first instruction or group of a program that fails, or null if none does or the
  // case has one operation.
  const ProbeResult* FirstDivergence() const;
};

// the default time limit of a target for a case, in seconds
inline constexpr double kUsualTimeout = 60;

struct RunResult {
  // the target as the user wrote it, and the version that it reports
  std::string target, target_version;
  std::string profile, tier, filter;
  int64_t subgraphs = 0, iterations = 0;  // the TraceDepth of programs, if it is not the default
  std::vector<std::string> case_files;    // empty for the built-in corpus
  std::vector<std::string> sweeps;        // operations that were tested on all f32 arguments
  // differences of the profile from its base, one line each
  std::vector<std::string> profile_differences;
  std::string corpus;  // the hash of the whole manifest. Runs of different corpora cannot be merged
  int64_t repeat = 1;  // runs of each case
  double timeout = kUsualTimeout;  // seconds; negative for no limit
  int64_t memory = 0;  // the target's memory limit in bytes; 0 for the default, -1 for no limit
  int64_t shard = 0, shards = 1;
  int64_t selected = 0;      // cases of this shard
  bool interrupted = false;  // true if the run ended before all cases had run
  std::string started;       // "2026-11-22T05:50:00", UTC
  double seconds = 0;
  CaseResults cases;  // sorted by id
  // reasons why the run fails apart from its cases, such as unused waivers
  std::vector<std::string> complaints;
};

// Convert results to JSON and back. Empty and zero members are omitted; unknown members are
// ignored. Errors are INVALID_ARGUMENT and name the wrong member.
nlohmann::json ToJson(const Judgement& judgement);
nlohmann::json ToJson(const CaseResult& result);
absl::StatusOr<CaseResult> CaseResultFromJson(const nlohmann::json& json);
nlohmann::json HeaderToJson(const RunResult& result);  // everything but the cases

// Returns the JSON of a case on one line. Invalid UTF-8 is replaced.
std::string FormatLine(const CaseResult& result);
// Write and read a report, which has one case per line. Only one case at a time is held as a JSON
// tree, so that reports may be large. `where` names the report in messages.
std::string FormatReport(const RunResult& result);
absl::StatusOr<RunResult> ParseReport(absl::string_view text, absl::string_view where);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_CASE_RESULT_H_
