// Results in words: what JUnit, bundles and terminals say of a case. Tests: report_test.cc.
#ifndef ASSAY_CONFORMANCE_REPORT_DESCRIBE_H_
#define ASSAY_CONFORMANCE_REPORT_DESCRIBE_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/runner/case_result.h"
#include "nlohmann/json.hpp"

namespace assay::conformance {

// Cases of a run by what became of them.
struct RunTally {
  std::array<int64_t, kOutcomes> outcomes{};
  std::array<int64_t, kFreedoms> freedoms{};  // cases in which an element needs it
  // Cases that show a known deviation, by the deviation: "P-2 (FINDING)".
  std::map<std::string, int64_t> deviations;
  int64_t failures = 0;  // waived ones are not among them
  int64_t waived = 0;

  int64_t passes() const;
  int64_t all() const;
  int64_t ran() const;  // all but those that are not run and not supported
};
RunTally Tally(const RunResult& run);

// "5223 of 6535 cases ran (79.9%)": those that the target was asked and gave an answer to; the
// others are not run or not supported.
std::string ShareThatRan(const RunTally& tally);

// Failures that are not waived, complaints, or cases that never ran.
bool RunFails(const RunResult& run);

// "tanh.6 (model.py:41, op_name jit(f)/tanh)": the instructions of a sub-test with their source.
std::string NameWithSource(const ProbeResult& probe);

// "3 of 17 elements are wrong; rule: 7 ulp; largest distance 12 ulp".
std::string Headline(const CaseResult& result);
// The headline, where a program goes wrong first, then the evidence of each probe that is not fine,
// a line each.
std::string Describe(const CaseResult& result);

// In quotes where a shell needs them.
std::string ShellQuoted(absl::string_view text);
// What of the run's options decides about a case, as words of `assay test`: the target, the
// profile, repetitions, limits, and how much of programs is asked.
std::vector<std::string> TargetOptions(const RunResult& run);
// The command that runs a case again; without an id, all that comes before it.
std::string RepeatCommand(const RunResult& run, absl::string_view id);

// The tally as members: cases, failures, waived, outcomes, freedoms, known_deviations, complaints,
// interrupted, fails.
nlohmann::json SummaryToJson(const RunResult& run);
// What the run comes to: "No bug found: all 1,835 cases that were judged pass under profile
// xla-cpu; 170 others did not run."
std::string ClosingSentence(const RunResult& run);
// The whole run for a terminal: counts, permitted deviations, operations that fail, the first
// failure with its evidence and the next with their worst element, and the closing sentence.
std::string FormatSummary(const RunResult& run);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_DESCRIBE_H_
