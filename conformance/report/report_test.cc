// Reports of small runs: words, JUnit, the data of the page, merging, paths, and text that means
// harm. report_cli_test.py and page_test.py look at whole files.
#include <cstdio>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "conformance/report/describe.h"
#include "conformance/report/escape.h"
#include "conformance/report/html.h"
#include "conformance/report/junit.h"
#include "conformance/report/merge.h"
#include "conformance/report/reports.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/files/file_io.h"
#include "spec/testing/test_folder.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

CaseResult Case(const std::string& id, Outcome outcome) {
  CaseResult result;
  result.id = id;
  result.op = id.substr(0, id.find('/'));
  result.type = "f32";
  result.outcome = outcome;
  return result;
}

CaseResult WrongCase() {
  CaseResult result = Case("add/f32/x", Outcome::kWrong);
  ProbeResult& probe = result.probes.emplace_back();
  probe.outcome = Outcome::kWrong;
  probe.judgement.verdict = Verdict::kWrong;
  probe.judgement.counts = {0, 14, 0, 0, 0, 0, 3};
  probe.judgement.rule = "0 ulp";
  probe.judgement.largest_distance = 12;
  Evidence& evidence = probe.judgement.evidence.emplace_back();
  evidence.index = {1, 2};
  evidence.golden = "1";
  evidence.golden_bits = "0x3f800000";
  evidence.actual = "1.5";
  evidence.actual_bits = "0x3fc00000";
  evidence.operands = {"0.5", "0.5"};
  evidence.distance = 0.5;
  evidence.reason = "not granted: contraction";
  return result;
}

RunResult SmallRun() {
  RunResult run;
  run.target = "process:a b";
  run.profile = "xla-cpu";
  run.tier = "quick";
  CaseResult failed = Case("sub/f32/z", Outcome::kFailed);
  failed.message = "exit code 139";
  run.cases = {WrongCase(), Case("add/f32/y", Outcome::kExact), failed,
               Case("sub/f32/w", Outcome::kNotJudgeable)};
  run.selected = 4;
  return run;
}

TEST(DescribeTest, Words) {
  EXPECT_EQ(Headline(WrongCase()), "3 of 17 elements are wrong (rule: 0 ulp)");
  EXPECT_EQ(
      Describe(WrongCase()),
      "3 of 17 elements are wrong (rule: 0 ulp)\n"
      "the whole module: wrong; 3 of 17 elements are wrong (rule: 0 ulp)\n"
      "  [1,2]: actual 1.5 (0x3fc00000), golden 1 (0x3f800000), operands 0.5 and 0.5, error 0.5 "
      "(relative 0.5); not "
      "granted: contraction\n");
  EXPECT_EQ(Headline(Case("a/b", Outcome::kNotRun)), "not run");
  CaseResult talkative = Case("a/b", Outcome::kFailed);
  talkative.message = std::string(300, 'x') + "\nmore";
  EXPECT_EQ(Headline(talkative), std::string(200, 'x') + " ...");
  EXPECT_EQ(Describe(talkative), talkative.message + "\n");
  EXPECT_EQ(ShellQuoted("add/f32"), "add/f32");
  EXPECT_EQ(ShellQuoted("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuoted(""), "''");
  RunResult files = SmallRun();
  files.profile = "";
  files.case_files = {"m.cases", "a b"};
  EXPECT_EQ(RepeatCommand(files, "x"),
            "assay test --target 'process:a b' --cases m.cases --cases 'a b' --filter x");
  files.case_files = {};
  files.sweeps = {"negate"};
  EXPECT_EQ(RepeatCommand(files, "x"),
            "assay test --target 'process:a b' --sweep negate --filter x");
  EXPECT_EQ(RepeatCommand(SmallRun(), "add/f32/x"),
            "assay test --target 'process:a b' --profile xla-cpu --filter add/f32/x");
}

TEST(DescribeTest, SaysWhichExecutionIsWrong) {
  CaseResult result = WrongCase();
  result.probes[0].execution = 2;
  result.probes[0].other_arguments = true;
  EXPECT_THAT(Headline(result), testing::StartsWith("execution 2, with other arguments: 3 of 17"));
  result.probes[0].execution = 3;
  result.probes[0].other_arguments = false;
  EXPECT_THAT(Describe(result),
              HasSubstr("wrong; execution 3, with the first arguments again: 3 of 17"));
}

TEST(DescribeTest, TheShareThatRanIsTheFirstThatIsSaid) {
  RunTally tally;
  EXPECT_EQ(ShareThatRan(tally), "0 of 0 cases ran (0.0%)");
  tally.outcomes[static_cast<int>(Outcome::kNotSupported)] = 9999;
  EXPECT_EQ(ShareThatRan(tally), "0 of 9,999 cases ran (0.0%)");
  tally.outcomes[static_cast<int>(Outcome::kExact)] = 1;
  EXPECT_EQ(ShareThatRan(tally), "1 of 10,000 cases ran (0.1%)");
  tally.outcomes[static_cast<int>(Outcome::kExact)] = 9999999;
  EXPECT_EQ(ShareThatRan(tally), "9,999,999 of 10,009,998 cases ran (99.9%)");
  tally.outcomes[static_cast<int>(Outcome::kNotSupported)] = 0;
  EXPECT_EQ(ShareThatRan(tally), "9,999,999 of 9,999,999 cases ran (100.0%)");
  EXPECT_THAT(FormatSummary(SmallRun()), testing::ContainsRegex("^[^\n]*: 4 of 4 cases ran"));
}

TEST(DescribeTest, SaysWhichOutputIsWrong) {
  CaseResult result = WrongCase();
  Evidence& evidence = result.probes[0].judgement.evidence[0];
  evidence.leaf = 2;
  evidence.device = 1;
  EXPECT_THAT(Describe(result), HasSubstr("[1,2] of result 2 on device 1: actual 1.5"));
  evidence.outfeed = true;
  EXPECT_THAT(Describe(result), HasSubstr("[1,2] of outfeed 2 on device 1: actual 1.5"));
  evidence.leaf = evidence.device = 0;
  EXPECT_THAT(Describe(result), HasSubstr("[1,2] of outfeed 0: actual 1.5"));
}

// What decided about a case is asked for again; what is as usual is not said.
TEST(DescribeTest, RepeatCommandHasTheLimits) {
  RunResult run = SmallRun();
  run.repeat = 3;
  run.timeout = 2.5;
  run.memory = 4096;
  EXPECT_EQ(RepeatCommand(run, "x"),
            "assay test --target 'process:a b' --profile xla-cpu --repeat 3 --timeout 2.5 --memory "
            "4096 --filter x");
  run = SmallRun();
  run.target = "files:my out";
  EXPECT_EQ(RepeatCommand(run, "x"), "assay judge 'my out' --profile xla-cpu --filter x");
}

TEST(DescribeTest, ProgramsHaveNoOperation) {
  RunResult run = SmallRun();
  run.tier = "";
  run.cases.Change(0, [](CaseResult& result) { result.op = ""; });
  EXPECT_THAT(FormatSummary(run), AllOf(HasSubstr("failures by operation: program 1, sub 1\n"),
                                        Not(HasSubstr("tier"))));
}

// Of fewer than five cases that ran, where there are ten or more.
TEST(DescribeTest, NamesOperationsThatAreHardlyTested) {
  RunResult run;
  for (const auto& [op, all, ran] :
       {std::tuple("convolution", 12, 2), std::tuple("dot", 12, 5), std::tuple("fft", 12, 0),
        std::tuple("iota", 9, 1), std::tuple("tuple", 12, 2)}) {
    for (int i = 0; i < all; ++i) {
      CaseResult result;
      result.id = absl::StrCat(op, "/", i);
      result.op = op;
      result.outcome = i < ran ? Outcome::kExact : Outcome::kNotSupported;
      run.cases.push_back(result);
    }
  }
  EXPECT_THAT(FormatSummary(run),
              HasSubstr("hardly tested, in cases that ran: convolution 2 of 12\n"));
  EXPECT_THAT(FormatSummary(SmallRun()), Not(HasSubstr("hardly tested")));
}

TEST(DescribeTest, Tally) {
  RunResult run = SmallRun();
  run.cases.Change(0, [](CaseResult& result) { result.probes[0].judgement.freedoms[2] = 5; });
  RunTally tally = Tally(run);
  EXPECT_EQ(tally.failures, 2);
  EXPECT_EQ(tally.passes(), 1);
  EXPECT_EQ(tally.freedoms[2], 1);
  EXPECT_TRUE(RunFails(run));
  for (const size_t i : {0, 2}) {
    run.cases.Change(i, [](CaseResult& result) { result.waiver = "known"; });
  }
  tally = Tally(run);
  EXPECT_EQ(tally.failures, 0);
  EXPECT_EQ(tally.waived, 2);
  EXPECT_FALSE(RunFails(run));
  run.complaints = {"x"};
  EXPECT_TRUE(RunFails(run));
  EXPECT_THAT(
      FormatSummary(SmallRun()),
      AllOf(HasSubstr("4 cases"), HasSubstr("1 wrong\n"), HasSubstr("1 not judgeable\n"),
            HasSubstr("failures by operation: add 1, sub 1\n"),
            HasSubstr("  failed: sub/f32/z: exit code 139\n"), HasSubstr("--filter add/f32/x\n")));
}

// Passes that are counted by themselves, in words, in the summary as JSON and in the page.
TEST(DescribeTest, KnownDeviations) {
  RunResult run = SmallRun();
  run.cases.Change(1, [](CaseResult& result) {
    result.outcome = Outcome::kKnownDeviation;
    ProbeResult& probe = result.probes.emplace_back();
    probe.outcome = Outcome::kKnownDeviation;
    probe.judgement.verdict = Verdict::kKnownDeviation;
    probe.judgement.counts = {0, 3, 0, 0, 2, 0, 0};
    probe.judgement.deviations = {"P-2 (there)"};
  });
  const RunTally tally = Tally(run);
  EXPECT_EQ(tally.passes(), 1);
  EXPECT_EQ(tally.failures, 2);
  EXPECT_THAT(tally.deviations, ElementsAre(Pair("P-2 (there)", 1)));
  EXPECT_THAT(FormatSummary(run), AllOf(HasSubstr("        1 known deviation\n"),
                                        HasSubstr("known deviations, in cases: P-2 (there) 1\n")));
  EXPECT_EQ(SummaryToJson(run)["known_deviations"]["P-2 (there)"], 1);
  EXPECT_EQ(SummaryToJson(run)["outcomes"]["known deviation"], 1);
  const CaseResult deviating = run.cases[1];
  EXPECT_EQ(Headline(deviating), "2 of 5 elements are known deviations");
  EXPECT_THAT(Describe(deviating), HasSubstr("known deviation P-2 (there)\n"));
  EXPECT_THAT(FormatHtml(run), HasSubstr("P-2 (there)"));
  EXPECT_THAT(FormatJunit(run),
              AllOf(Not(HasSubstr("type=\"known deviation\"")),
                    HasSubstr("<property name=\"known_deviations\" value=\"1\"/>")));
}

TEST(EscapeTest, Xml) {
  EXPECT_EQ(XmlEscaped("a<b>&\"c\n\x01"), "a&lt;b&gt;&amp;&quot;c&#10;\xef\xbf\xbd");
  EXPECT_EQ(XmlEscaped("\xc3\xa9\xf0\x9f\x98\x80"), "\xc3\xa9\xf0\x9f\x98\x80");
  // No UTF-8: a stray byte, a half, a form that is too long, a surrogate, beyond the last plane.
  constexpr absl::string_view kReplacement = "\xef\xbf\xbd";
  for (const char* bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_THAT(XmlEscaped(bad), testing::StartsWith(std::string(kReplacement)));
    EXPECT_EQ(XmlEscaped(bad).size() % 3, 0);
  }
  EXPECT_EQ(XmlEscaped("\xef\xbf\xbe"), kReplacement);
}

TEST(EscapeTest, Script) {
  EXPECT_EQ(ScriptJson("</script><!-- & \xe2\x80\xa8\x01\xff"),
            "\"\\u003c/script\\u003e\\u003c!-- \\u0026 \\u2028\\u0001\\ufffd\"");
}

TEST(HtmlTest, HoldsTheRunAsData) {
  RunResult run = SmallRun();
  run.cases.Change(1, [](CaseResult& result) { result.id = "</script><script>alert(1)</script>"; });
  const std::string page = FormatHtml(run);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script\\u003e"));
  EXPECT_THAT(page, Not(HasSubstr("/*data*/")));
  // The row of a case as data.js reads it: texts by number, empty ends left out.
  const size_t start = page.find("type=\"application/json\">") + 24;
  const nlohmann::json data =
      nlohmann::json::parse(page.substr(start, page.find("</script>", start) - start));
  ASSERT_EQ(data["cases"].size(), 4);
  const nlohmann::json& row = data["cases"][0];
  EXPECT_EQ(row[0], "add/f32/x");
  EXPECT_EQ(data["texts"][row[1].get<int>()], "add");
  EXPECT_EQ(data["names"]["outcomes"][row[3].get<int>()][0], "wrong");
  const nlohmann::json& probe = row[4][0];
  EXPECT_EQ(probe[4], nlohmann::json::array({0, 14, 0, 0, 0, 0, 3}));
  EXPECT_EQ(probe[6], 12);
  EXPECT_EQ(probe[10][0][6], "1.5");
  EXPECT_EQ(data["command"], "assay test --target 'process:a b' --profile xla-cpu --filter ");
}

TEST(JunitTest, Counts) {
  RunResult run = SmallRun();
  run.complaints = {"waiver <x> is expired"};
  const std::string xml = FormatJunit(run);
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"add\" package=\"assay\" id=\"0\" "
                             "timestamp=\"1970-01-01T00:00:00\" hostname=\"localhost\" tests=\"2\" "
                             "failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<testcase name=\"add/f32/x\" classname=\"add.f32\""));
  EXPECT_THAT(xml, HasSubstr("<error message=\"exit code 139\" type=\"failed\">"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"not judgeable: not judgeable\"/>"));
  EXPECT_THAT(xml, HasSubstr("waiver &lt;x&gt; is expired"));
  run.cases.Change(0, [](CaseResult& result) { result.waiver = "known \"bug\""; });
  EXPECT_THAT(FormatJunit(run), HasSubstr("<skipped message=\"waived: known &quot;bug&quot;\"/>"));
}

std::vector<NamedRun> Shards(int64_t count) {
  std::vector<NamedRun> runs;
  for (int64_t i = 0; i < count; ++i) {
    RunResult run;
    run.target = "golden";
    run.corpus = "c";
    run.shard = i;
    run.shards = count;
    run.selected = 1;
    run.seconds = 2;
    run.cases = {Case(absl::StrCat("op/", 9 - i), Outcome::kExact)};
    run.complaints = {"same"};
    runs.push_back({absl::StrCat("f", i), run});
  }
  return runs;
}

std::string MergeError(std::vector<NamedRun> runs, bool partial = false) {
  return std::string(MergeRuns(std::move(runs), partial).status().message());
}

TEST(MergeTest, JoinsShardsInAnyOrder) {
  std::vector<NamedRun> runs = Shards(3);
  std::swap(runs[0], runs[2]);
  const absl::StatusOr<RunResult> merged = MergeRuns(runs, false);
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(merged->shards, 1);
  EXPECT_EQ(merged->selected, 3);
  EXPECT_EQ(merged->seconds, 6);
  EXPECT_FALSE(merged->interrupted);
  EXPECT_THAT(merged->complaints, ElementsAre("same"));
  EXPECT_EQ(merged->cases[0].id, "op/7");
  // A merged run merges again, alone.
  EXPECT_TRUE(MergeRuns({{"m", *merged}}, false).ok());
}

// A shard says nothing of the share that may stay open; the whole does.
TEST(MergeTest, AsksAtTheEndWhatWasJudgeable) {
  std::vector<NamedRun> runs = Shards(2);
  for (NamedRun& each : runs) {
    each.run.tier = "quick";
    each.run.complaints.clear();
  }
  const auto count = [&runs](int shard, Verdict verdict, int64_t elements) {
    runs[shard].run.cases.Change(0, [&](CaseResult& result) {
      result.probes.resize(1);
      result.probes[0].judgement.counts[static_cast<int>(verdict)] = elements;
    });
  };
  count(0, Verdict::kNotJudgeable, 3);
  count(1, Verdict::kExact, 97);
  EXPECT_THAT(MergeRuns(runs, false)->complaints,
              ElementsAre(HasSubstr("3 of the 100 elements of single operations")));
  count(0, Verdict::kNotJudgeable, 1);
  EXPECT_THAT(MergeRuns(runs, false)->complaints, testing::IsEmpty());
}

TEST(MergeTest, RefusesGapsAndDuplicates) {
  std::vector<NamedRun> runs = Shards(4);
  EXPECT_EQ(MergeError({}), "there is no report to merge");
  EXPECT_EQ(MergeError({runs[1]}), "no file has shard 0 of 4; no file has shard 2 to 3 of 4");
  EXPECT_EQ(MergeError({runs[0], runs[1], runs[3], runs[1]}), "f1 and f1 are both shard 1");
  std::vector<NamedRun> twice = runs;
  twice[2].run.cases.Change(0, [](CaseResult& result) { result.id = "op/9"; });
  EXPECT_EQ(MergeError(twice), "case op/9 is in f0 and in f2");
  std::vector<NamedRun> torn = runs;
  torn[2].run.selected = 5;
  EXPECT_EQ(MergeError(torn), "f2 has 1 of its 5 cases: it was interrupted");
  const absl::StatusOr<RunResult> partial = MergeRuns({torn[2], runs[0], runs[3]}, true);
  ASSERT_TRUE(partial.ok());
  EXPECT_TRUE(partial->interrupted);
  EXPECT_THAT(partial->complaints, ElementsAre("same", "no file has shard 1 of 4",
                                               "f2 has 1 of its 5 cases: it was interrupted"));
}

TEST(MergeTest, RefusesRunsOfSomethingElse) {
  const struct {
    const char* what;
    void (*change)(RunResult&);
  } kRows[] = {
      {"its target is \"x\", that of f0 \"golden\"", [](RunResult& run) { run.target = "x"; }},
      {"its target_version is \"2\"", [](RunResult& run) { run.target_version = "2"; }},
      {"its profile is \"p\"", [](RunResult& run) { run.profile = "p"; }},
      {"its profile_differences is \"d; e\", that of f0 none",
       [](RunResult& run) {
         run.profile_differences = {"d", "e"};
       }},
      {"its tier is \"full\"", [](RunResult& run) { run.tier = "full"; }},
      {"its filter is \"a*\"", [](RunResult& run) { run.filter = "a*"; }},
      {"its corpus is \"e\"", [](RunResult& run) { run.corpus = "e"; }},
      {"its shards is 3, that of f0 2", [](RunResult& run) { run.shards = 3; }},
      {"its repeat is 2, that of f0 none", [](RunResult& run) { run.repeat = 2; }},
      {"its timeout is 1.5", [](RunResult& run) { run.timeout = 1.5; }},
  };
  for (const auto& row : kRows) {
    std::vector<NamedRun> runs = Shards(2);
    row.change(runs[1].run);
    EXPECT_THAT(MergeError(runs, true), testing::StartsWith(absl::StrCat("f1: ", row.what)));
  }
}

TEST(ReportsTest, Paths) {
  const absl::StatusOr<ReportPaths> paths = ParseReportPaths("html=a=b,junit=c");
  ASSERT_TRUE(paths.ok());
  EXPECT_EQ(paths->html, "a=b");
  EXPECT_EQ(paths->json, "");
  EXPECT_EQ(paths->junit, "c");
  EXPECT_EQ(ParseReportPaths("json=/a,b/c.json,html=d")->json, "/a,b/c.json");
  for (const char* bad :
       {"", "pdf=x", "html", "html=", "html=a,html=b", "html=a,junit", "html=a,"}) {
    EXPECT_FALSE(ParseReportPaths(bad).ok()) << bad;
  }
}

// /dev/full is a full disk: what is written there fails, and the others are written all the same.
TEST(ReportsTest, AFullDiskCostsOnlyItsReport) {
  ReportPaths paths;
  paths.html = "/dev/full";
  paths.json = TestPath("report.json");
  paths.junit = TestPath("missing/report.xml");
  const absl::Status status = WriteReports(SmallRun(), paths);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/dev/full: cannot write"));
  const absl::StatusOr<std::string> json = ReadFile(paths.json);
  ASSERT_TRUE(json.ok());
  EXPECT_TRUE(ParseReport(*json, "f").ok());
}

}  // namespace
}  // namespace assay::conformance
