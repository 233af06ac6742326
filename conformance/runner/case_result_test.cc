// The JSON form of results: a result that is written and read again is the same, and errors in a
// third party's file name the path of the wrong member.
#include "conformance/runner/case_result.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "conformance/runner/full_result.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/schedule.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Everything set, nothing to its default.
RunResult FullRun() {
  CaseResult second;
  second.id = "b";
  RunResult run;
  run.target = "process:x";
  run.target_version = "x 2";
  run.profile = "xla-cpu";
  run.tier = "quick";
  run.filter = "a*";
  run.case_files = {"my cases"};
  run.profile_differences = {"add f32: 2 ulp instead of 1"};
  run.corpus = "feed";
  run.repeat = 3;
  run.timeout = -1;
  run.memory = 1 << 20;
  run.shard = 1;
  run.shards = 3;
  run.selected = 9;
  run.interrupted = true;
  run.started = "2026-11-22T05:50:00";
  run.seconds = 12.5;
  run.cases = {FullCase(), second};
  run.complaints = {"waiver x is expired"};
  return run;
}

TEST(CaseResultTest, OutcomesHaveNames) {
  for (int i = 0; i < kOutcomes; ++i) {
    const auto outcome = static_cast<Outcome>(i);
    EXPECT_EQ(OutcomeFromName(OutcomeName(outcome)), outcome);
    EXPECT_FALSE(IsPass(outcome) && IsFailure(outcome));
  }
  EXPECT_EQ(OutcomeFromName("fine"), std::nullopt);
  // A verdict and its outcome have one name.
  for (int i = 0; i < kVerdicts; ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(OutcomeName(OutcomeOf(verdict)), VerdictName(verdict));
  }
  EXPECT_TRUE(IsPass(Outcome::kRefused));
  EXPECT_FALSE(IsPass(Outcome::kNotRun));
  EXPECT_FALSE(IsFailure(Outcome::kNotJudgeable));
  EXPECT_TRUE(IsFailure(Outcome::kWrong));
  EXPECT_TRUE(IsPass(Outcome::kKnownDeviation));
  EXPECT_EQ(OutcomeName(OutcomeOf(Verdict::kKnownDeviation)), "known deviation");
}

TEST(CaseResultTest, RoundTrip) {
  const RunResult run = FullRun();
  const std::string text = FormatReport(run);
  EXPECT_TRUE(nlohmann::json::accept(text));
  const absl::StatusOr<RunResult> parsed = ParseReport(text, "f");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(FormatReport(*parsed), text);
  const CaseResult first = run.cases[0];
  const absl::StatusOr<CaseResult> line =
      CaseResultFromJson(nlohmann::json::parse(FormatLine(first)));
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(FormatLine(*line), FormatLine(first));
  // A member for every field: text equal to text says nothing of fields that both forget.
  EXPECT_EQ(parsed->repeat, 3);
  EXPECT_EQ(parsed->timeout, -1);
  EXPECT_EQ(parsed->memory, 1 << 20);
  const CaseResult read = parsed->cases[0];
  const Judgement& judgement = read.probes[0].judgement;
  const Evidence& evidence = judgement.evidence[0];
  EXPECT_EQ(evidence.bound, std::numeric_limits<double>::infinity());
  EXPECT_EQ(evidence.distance, 0.25);
  EXPECT_THAT(evidence.index, ElementsAre(1, 2));
  EXPECT_TRUE(evidence.outfeed);
  EXPECT_EQ(evidence.device + 10 * evidence.leaf + 100 * evidence.position, 521);
  EXPECT_THAT(judgement.counts, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(judgement.freedoms[kFreedoms - 1], kFreedoms - 1);
  EXPECT_EQ(judgement.largest_distance, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(judgement.histogram[kUlpBuckets - 1], 8);
  EXPECT_THAT(judgement.deviations, ElementsAre("P-2 (there)"));
  EXPECT_TRUE(read.waived());
  EXPECT_EQ(read.golden_seconds, 0.000001);
  EXPECT_EQ(parsed->cases[1].outcome, Outcome::kExact);
  EXPECT_TRUE(parsed->interrupted);
}

// The whole of a small report, worked out by hand from docs/reports.md.
TEST(CaseResultTest, Text) {
  RunResult run;
  run.target = "golden";
  run.selected = 1;
  CaseResult result;
  result.id = "neg/s8\x01\xff";
  run.cases = {result};
  EXPECT_EQ(FormatReport(run),
            "{\"format\":1,\"seconds\":0.0,\"selected\":1,\"shard\":0,\"shards\":1,"
            "\"target\":\"golden\",\"cases\":[\n"
            "{\"id\":\"neg/s8\\u0001\xef\xbf\xbd\",\"outcome\":\"exact\"}\n]}\n");
}

TEST(CaseResultTest, RefusesWhatIsNoReport) {
  const struct {
    const char* text;
    const char* message;
  } kRows[] = {
      {"", "f: not a report that --report json=FILE has written: it is not JSON at byte 1"},
      {"[]", "an object is expected"},
      {R"({"cases":[]})", "format: it is 0, and 1 can be read"},
      {R"({"format":1})", "cases: an array of objects is expected"},
      {R"({"format":1,"cases":[1]})", "cases: an array of objects is expected"},
      {R"({"format":1,"cases":{"id":"a"}})", "cases: an array of objects is expected"},
      {R"({"format":1,"cases":[],"shard":2,"shards":2})", "shard: 2 of 2 is none"},
      {R"({"format":1,"cases":[],"seconds":-1})", "seconds: a time from 0 to 1e9 s is expected"},
      {R"({"format":1,"cases":[],"selected":18446744073709551615})", "selected: a count from 0"},
      {R"({"format":1,"cases":[],"selected":-1})", "selected: a count from 0"},
      {R"({"format":1,"cases":[],"shard":0.5})", "shard: a whole number"},
      {R"({"format":1,"cases":[{"id":"a","outcome":"exact","target_seconds":1e300}]})",
       "cases[0].target_seconds: a time from 0 to 1e9 s is expected"},
      {R"({"format":1,"cases":[{"id":"a","outcome":"exact","probes":[{"outcome":"exact",
          "judgement":{"verdict":"exact","elements":{"exact":9223372036854775807}}}]}]})",
       "cases[0].probes[0].judgement.elements.exact: a count from 0"},
      {R"({"format":1,"cases":[{"id":"a","outcome":"exact","probes":[{"outcome":"exact",
          "judgement":{"verdict":"exact","histogram":[1,-1]}}]}]})",
       "cases[0].probes[0].judgement.histogram: counts from 0 up"},
      {R"({"format":1,"cases":[{"outcome":"exact"}]})", "cases[0].id: a case has one"},
      {R"({"format":1,"cases":[{"id":"a"}]})", "cases[0].outcome: there is no ''"},
      {R"({"format":1,"cases":[{"id":"a","outcome":"exact","probes":[{"outcome":"fine"}]}]})",
       "cases[0].probes[0].outcome: there is no 'fine'"},
      {R"({"format":1,"cases":[{"id":"a","outcome":"exact","probes":[{"outcome":"exact",
          "judgement":{"verdict":"exact","elements":{"odd":1}}}]}]})",
       "cases[0].probes[0].judgement.elements: there is no 'odd'"},
      {R"({"format":1,"cases":[{"id":"a","outcome":"exact","probes":[{"outcome":"exact",
          "judgement":{"verdict":"exact","evidence":[{"verdict":"wrong","index":["x"]}]}}]}]})",
       "cases[0].probes[0].judgement.evidence[0].index: an array of whole numbers"},
      {R"({"format":1,"cases":[],"complaints":[1]})", "complaints: an array of texts"},
  };
  for (const auto& row : kRows) {
    const absl::StatusOr<RunResult> run = ParseReport(row.text, "f");
    ASSERT_FALSE(run.ok()) << row.text;
    EXPECT_THAT(std::string(run.status().message()), HasSubstr(row.message)) << row.text;
  }
  // Deep nesting costs no stack.
  constexpr size_t kDepth = Scheduled(1000000);
  EXPECT_FALSE(ParseReport(std::string(kDepth, '['), "f").ok());
  const std::string deep = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_FALSE(ParseReport(absl::StrCat("{\"cases\":[{\"id\":", deep, "}]}"), "f").ok());
  EXPECT_FALSE(ParseReport(absl::StrCat("{\"corpus\":", deep, ",\"cases\":[]}"), "f").ok());
  nlohmann::json json = nlohmann::json::parse(FormatReport(FullRun()));
  json["cases"][0]["probes"][0]["judgement"]["histogram"] = std::vector<int>(kUlpBuckets + 1, 1);
  EXPECT_THAT(std::string(ParseReport(json.dump(), "f").status().message()),
              HasSubstr("it has more buckets"));
}

// Cut between characters: a letter of two bytes stands across the end.
TEST(CaseResultTest, ShortenedTextIsText) {
  EXPECT_EQ(Shortened("abc", 3), "abc");
  EXPECT_EQ(Shortened("abcd", 3), "abc ...");
  EXPECT_EQ(Shortened("ab\xc3\xa9", 3), "ab ...");
}

}  // namespace
}  // namespace assay::conformance
