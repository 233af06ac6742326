// Reductions over devices whose computation has another type than the arrays. The expected verdicts
// follow from sums of two or three terms that are worked out by hand.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/diagnose/module_judge.h"
#include "conformance/profiles/testing.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace collective_types_test {
namespace {

// A literal, or a tuple of them if the type has several arrays: "bf16[1];f32[1]" and "{2};{1}".
Literal Value(const std::string& type, const std::string& text) {
  const std::vector<std::string> types = absl::StrSplit(type, ';');
  const std::vector<std::string> texts = absl::StrSplit(text, ';');
  std::vector<Literal> values;
  for (size_t k = 0; k < types.size(); ++k) {
    values.push_back(*ParseTypedLiteral(absl::StrCat(types[k], " ", texts[k])));
  }
  return values.size() == 1 ? values[0] : Literal::Tuple(std::move(values));
}

// The judgement of `actual`, by device, where `golden` are the results of the reference
// interpreter. All are literals of the result's type.
Verdict Judged(const std::string& entry, const std::string& type,
               const std::vector<std::string>& arguments, const std::vector<std::string>& golden,
               const std::vector<std::string>& actual, const char* profile) {
  std::string sections = "inputs:\n";
  for (size_t d = 0; d < arguments.size(); ++d) {
    absl::StrAppend(&sections, "  arg0.dev", d, " = literal ", arguments[d], "\n");
  }
  absl::StrAppend(&sections, "processes: replicas=", arguments.size(),
                  " partitions=1\nexpect: golden");
  const absl::StatusOr<ReadyCase> ready = MakeReady(CaseOf(
      absl::StrCat("narrow { x = bf16[] parameter(0) y = bf16[] parameter(1) ROOT s = add(x, y) } ",
                   "wide { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = add(x, y) } ",
                   "ENTRY e { ", entry, " }"),
      sections));
  EXPECT_TRUE(ready.ok()) << ready.status() << entry;
  if (!ready.ok()) return Verdict::kNotJudgeable;
  const absl::StatusOr<std::vector<DeviceOutputs>> ran = RunGolden(*ready, {});
  EXPECT_TRUE(ran.ok()) << ran.status() << entry;
  if (!ran.ok()) return Verdict::kNotJudgeable;
  const std::vector<Literal> results = ResultsOf(*ran);
  std::vector<std::vector<Literal>> operands;
  std::vector<Literal> values;
  for (size_t d = 0; d < arguments.size(); ++d) {
    operands.push_back(ready->inputs[d].arguments);
    values.push_back(Value(type, actual[d]));
    EXPECT_TRUE(Literal::BitEqual(results[d], Value(type, golden[d]))) << entry << " device " << d;
  }
  const auto judgement =
      JudgeModule(*ready->module, operands, results, values, BuiltInProfile(profile), {});
  EXPECT_TRUE(judgement.ok()) << judgement.status() << entry;
  return judgement.ok() ? judgement->verdict : Verdict::kNotJudgeable;
}

// 1 + 2^-9 is 1 in bf16, whose next number is 1 + 2^-7. Where the type may be kept in f32 the sum
// may be exact; nothing makes 2 of it.
TEST(CollectiveTypesTest, NarrowSumsOfWideArrays) {
  constexpr char kPair[] =
      "a = f32[1] parameter(0) s = f32[1] all-reduce-start(a), replica_groups={{0,1}}, "
      "to_apply=narrow ROOT r = f32[1] all-reduce-done(s)";
  for (const char* entry :
       {"a = f32[1] parameter(0) ROOT r = f32[1] all-reduce(a), replica_groups={{0,1}}, "
        "to_apply=narrow",
        kPair}) {
    const auto judged = [&](const char* value, const char* profile) {
      return Judged(entry, "f32[1]", {"f32[1] {1}", "f32[1] {0.001953125}"}, {"{1}", "{1}"},
                    {"{1}", value}, profile);
    };
    for (const char* profile : {"golden", "cpu-strict", "xla-cpu"}) {
      EXPECT_EQ(judged("{1}", profile), Verdict::kCorrectlyRounded) << profile;
      EXPECT_EQ(judged("{2}", profile), Verdict::kWrong) << profile;
    }
    EXPECT_EQ(judged("{1.001953125}", "cpu-strict"), Verdict::kWrong);
    EXPECT_EQ(judged("{1.001953125}", "xla-cpu"), Verdict::kWithinBound);
  }
}

// The halves of {1, 2} and {2^-9, 3}: 1 for the first member and 5 for the second.
TEST(CollectiveTypesTest, NarrowSumsThatAreScattered) {
  const auto judged = [&](const char* first, const char* second, const char* profile) {
    return Judged(
        "a = f32[2] parameter(0) ROOT r = f32[1] reduce-scatter(a), replica_groups={{0,1}}, "
        "dimensions={0}, to_apply=narrow",
        "f32[1]", {"f32[2] {1, 2}", "f32[2] {0.001953125, 3}"}, {"{1}", "{5}"}, {first, second},
        profile);
  };
  EXPECT_EQ(judged("{1}", "{5}", "cpu-strict"), Verdict::kCorrectlyRounded);
  EXPECT_EQ(judged("{1.001953125}", "{5}", "cpu-strict"), Verdict::kWrong);
  EXPECT_EQ(judged("{1.001953125}", "{5}", "xla-cpu"), Verdict::kWithinBound);
  EXPECT_EQ(judged("{1}", "{1}", "xla-cpu"), Verdict::kWrong);
  EXPECT_EQ(judged("{5}", "{1}", "xla-cpu"), Verdict::kWrong);
}

// 2^26, 1 and -2^26 in f32 are 1, in another order 0. Three terms are off by at most two roundings,
// of 2^27 times 2^-24 each: 16.
TEST(CollectiveTypesTest, WideSumsOfNarrowArrays) {
  const auto judged = [&](const char* value, const char* profile) {
    return Judged(
        "a = bf16[] parameter(0) ROOT r = bf16[] all-reduce(a), replica_groups={{0,1,2}}, "
        "to_apply=wide",
        "bf16[]", {"bf16[] 67108864", "bf16[] 1", "bf16[] -67108864"}, {"1", "1", "1"},
        {"1", "1", value}, profile);
  };
  EXPECT_EQ(judged("1", "cpu-strict"), Verdict::kCorrectlyRounded);
  EXPECT_EQ(judged("0", "golden"), Verdict::kWrong);
  EXPECT_EQ(judged("0", "cpu-strict"), Verdict::kWithinBound);
  EXPECT_EQ(judged("32", "cpu-strict"), Verdict::kWrong);
}

// One of two arrays has the type of the computation, the other one is wider: 1 + 2^-9 is 1 in bf16.
TEST(CollectiveTypesTest, ArraysOfSeveralTypes) {
  const auto judged = [&](const char* value, const char* profile) {
    const std::string results = absl::StrCat("{2};", value);
    return Judged(
        "a = bf16[1] constant({1}) b = f32[1] parameter(0) "
        "ROOT r = (bf16[1], f32[1]) all-reduce(a, b), replica_groups={{0,1}}, to_apply=narrow",
        "bf16[1];f32[1]", {"f32[1] {1}", "f32[1] {0.001953125}"}, {"{2};{1}", "{2};{1}"},
        {results, results}, profile);
  };
  EXPECT_EQ(judged("{1}", "cpu-strict"), Verdict::kCorrectlyRounded);
  EXPECT_EQ(judged("{1.001953125}", "cpu-strict"), Verdict::kWrong);
  EXPECT_EQ(judged("{1.001953125}", "xla-cpu"), Verdict::kWithinBound);
  EXPECT_EQ(judged("{2}", "xla-cpu"), Verdict::kWrong);
}

}  // namespace
}  // namespace collective_types_test
}  // namespace assay::conformance
