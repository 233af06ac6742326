#include "conformance/report/junit.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/report/describe.h"
#include "conformance/report/escape.h"

namespace assay::conformance {
namespace {

enum class Kind { kPassed, kSkipped, kFailure, kError };

Kind KindOf(const CaseResult& result) {
  if (IsPass(result.outcome)) return Kind::kPassed;
  if (result.waived() || !IsFailure(result.outcome)) return Kind::kSkipped;
  const bool answered = result.outcome == Outcome::kWrong || result.outcome == Outcome::kFlaky;
  return answered ? Kind::kFailure : Kind::kError;
}

double TestSeconds(const CaseResult& result) {
  return result.target_seconds + result.golden_seconds + result.judge_seconds;
}

// What went wrong is two or three lines of attributes, then the text.
void AppendProblem(absl::string_view element, const CaseResult& result, std::string* xml) {
  absl::StrAppend(xml, "<", element, " message=\"", XmlEscaped(Headline(result)), "\" type=\"",
                  OutcomeName(result.outcome), "\">", XmlEscaped(Describe(result)), "</", element,
                  ">");
}

void AppendTest(const CaseResult& result, std::string* xml) {
  absl::StrAppend(xml, "    <testcase name=\"", XmlEscaped(result.id), "\" classname=\"",
                  XmlEscaped(absl::StrCat(result.op, ".", result.type)),
                  absl::StrFormat("\" time=\"%.6f\">", TestSeconds(result)));
  switch (KindOf(result)) {
    case Kind::kPassed:
      break;
    case Kind::kSkipped: {
      const std::string why =
          result.waived() ? absl::StrCat("waived: ", result.waiver)
                          : absl::StrCat(OutcomeName(result.outcome), ": ", Headline(result));
      absl::StrAppend(xml, "<skipped message=\"", XmlEscaped(why), "\"/>");
      break;
    }
    case Kind::kFailure:
      AppendProblem("failure", result, xml);
      break;
    case Kind::kError:
      AppendProblem("error", result, xml);
      break;
  }
  absl::StrAppend(xml, "</testcase>\n");
}

struct SuiteCounts {
  int64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  int64_t known_deviations = 0;  // among those that pass
  double seconds = 0;
};

struct Suite {
  SuiteCounts counts;
  std::string tests;  // their elements
};

void AppendSuiteHead(const RunResult& run, const RunTally& tally, absl::string_view name,
                     int64_t id, const SuiteCounts& counts, std::string* xml) {
  const std::string started = run.started.empty() ? "1970-01-01T00:00:00" : run.started;
  absl::StrAppend(xml, "  <testsuite name=\"", XmlEscaped(name), "\" package=\"assay\" id=\"", id,
                  "\" timestamp=\"", XmlEscaped(started), "\" hostname=\"localhost\" tests=\"",
                  counts.tests, "\" failures=\"", counts.failures, "\" errors=\"", counts.errors,
                  "\" skipped=\"", counts.skipped, "\" time=\"",
                  absl::StrFormat("%.6f", counts.seconds), "\">\n    <properties>\n");
  const auto property = [xml](absl::string_view key, absl::string_view value) {
    absl::StrAppend(xml, "      <property name=\"", key, "\" value=\"", XmlEscaped(value),
                    "\"/>\n");
  };
  property("label", name);
  property("target", run.target);
  property("target_version", run.target_version);
  property("profile", run.profile);
  property("tier", run.tier);
  property("corpus", run.corpus);
  if (counts.known_deviations > 0) {
    property("known_deviations", absl::StrCat(counts.known_deviations));
  }
  property("ran", ShareThatRan(tally));
  absl::StrAppend(xml, "    </properties>\n");
}

constexpr absl::string_view kSuiteEnd =
    "    <system-out></system-out>\n    <system-err></system-err>\n  </testsuite>\n";

}  // namespace

std::string FormatJunit(const RunResult& run) {
  const RunTally tally = Tally(run);  // of the whole run, in each suite
  std::map<std::string, Suite> suites;
  for (const CaseResult& each : run.cases) {
    Suite& suite = suites[each.op.empty() ? "other" : each.op];
    const Kind kind = KindOf(each);
    ++suite.counts.tests;
    suite.counts.failures += kind == Kind::kFailure;
    suite.counts.errors += kind == Kind::kError;
    suite.counts.skipped += kind == Kind::kSkipped;
    suite.counts.known_deviations += each.outcome == Outcome::kKnownDeviation;
    suite.counts.seconds += TestSeconds(each);
    AppendTest(each, &suite.tests);
  }
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  int64_t id = 0;
  for (const auto& [name, suite] : suites) {
    AppendSuiteHead(run, tally, name, id++, suite.counts, &xml);
    absl::StrAppend(&xml, suite.tests, kSuiteEnd);
  }
  std::vector<std::string> complaints = run.complaints;
  if (run.interrupted) complaints.push_back("interrupted before all cases had run");
  if (!complaints.empty()) {
    SuiteCounts counts;
    counts.tests = counts.failures = static_cast<int64_t>(complaints.size());
    AppendSuiteHead(run, tally, "run", id, counts, &xml);
    for (size_t i = 0; i < complaints.size(); ++i) {
      absl::StrAppend(&xml, "    <testcase name=\"complaint ", i + 1,
                      "\" classname=\"run\" time=\"0\"><failure message=\"",
                      XmlEscaped(complaints[i]), "\" type=\"complaint\"></failure></testcase>\n");
    }
    absl::StrAppend(&xml, kSuiteEnd);
  }
  absl::StrAppend(&xml, "</testsuites>\n");
  return xml;
}

}  // namespace assay::conformance
