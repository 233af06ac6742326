// Second executions: which cases have them, their arguments, and the defects that they find.
#include "conformance/runner/executions.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/ready_case.h"
#include "conformance/runner/case_runner.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

CorpusCase Case(const std::string& module, const std::string& inputs) {
  return CaseOf(module, absl::StrCat(inputs.empty() ? "" : "inputs:\n", inputs, "expect: golden"));
}

std::vector<Literal> OtherArguments(const CorpusCase& corpus_case) {
  const auto ready = MakeReady(corpus_case);
  EXPECT_TRUE(ready.ok()) << ready.status();
  const auto inputs = MakeInputs(WithOtherArguments(corpus_case, *ready->module), *ready->module);
  EXPECT_TRUE(inputs.ok()) << inputs.status();
  return (*inputs)[0].arguments;
}

TEST(ExecutionsTest, AFixedEighthIsExecutedAgain) {
  int again = 0;
  for (int i = 0; i < 8000; ++i) {
    const std::string id = absl::StrCat("add/f32/", i);
    EXPECT_FALSE(IsExecutedAgain(id, Again::kNone));
    EXPECT_TRUE(IsExecutedAgain(id, Again::kAll));
    again += IsExecutedAgain(id, Again::kEighth);
  }
  EXPECT_NEAR(again, 1000, 120);  // four standard deviations
}

TEST(ExecutionsTest, WrittenElementsComeInTheOppositeOrder) {
  const auto arguments =
      OtherArguments(Case("ENTRY e { a = f32[3] parameter(0) b = f32[] parameter(1) "
                          "c = f32[3] broadcast(b), dimensions={} ROOT r = f32[3] add(a, c) }",
                          "  arg0 = literal f32[3] {1, 2, 3}\n  arg1 = literal f32[] 7\n"));
  EXPECT_EQ(PrintLiteral(arguments[0]), "{3, 2, 1}");
  EXPECT_EQ(PrintLiteral(arguments[1]), "7");
}

TEST(ExecutionsTest, GeneratedElementsKeepTheirProfile) {
  const CorpusCase indexed = Case(
      "ENTRY e { a = f32[8,4] parameter(0) i = s32[6] parameter(1) "
      "ROOT g = f32[6,4] gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, "
      "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4} }",
      "  arg0 = benign f32[8,4] seed=1\n  arg1 = indices s32[6] seed=2 low=0 high=7\n");
  const auto first = MakeReady(indexed)->inputs[0].arguments;
  const auto other = OtherArguments(indexed);
  EXPECT_FALSE(Literal::BitEqual(first[0], other[0]));
  EXPECT_FALSE(Literal::BitEqual(first[1], other[1]));
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_LE(other[1].Get(i).bits, 7u);
  }
}

TEST(ExecutionsTest, WrittenIndicesStay) {
  const auto other = OtherArguments(
      Case("ENTRY e { a = f32[3] parameter(0) i = s32[1] parameter(1) j = s32[] reshape(i) "
           "k = s32[2] parameter(2) l = s32[1] slice(k), slice={[0:1]} m = s32[] reshape(l) "
           "b = f32[1] dynamic-slice(a, m), dynamic_slice_sizes={1} "
           "ROOT d = f32[1] dynamic-slice(a, j), dynamic_slice_sizes={1} }",
           "  arg0 = literal f32[3] {1, 2, 3}\n  arg1 = literal s32[1] {2}\n"
           "  arg2 = literal s32[2] {0, 1}\n"));
  EXPECT_EQ(PrintLiteral(other[2]), "{0, 1}");
}

// Other arguments may make a loop endless: then the first ones are all that there are.
TEST(ExecutionsTest, ALoopThatWouldNotEndHasNoOtherArguments) {
  const CorpusCase loop = Case(
      "c { s = s32[2] parameter(0) i = s32[1] slice(s), slice={[0:1]} j = s32[] reshape(i) "
      "n = s32[] constant(9) ROOT l = pred[] compare(j, n), direction=LT } "
      "b { s = s32[2] parameter(0) t = s32[1] slice(s), slice={[1:2]} u = s32[] reshape(t) "
      "v = s32[2] broadcast(u), dimensions={} m = s32[2] constant({1, 0}) "
      "w = s32[2] multiply(v, m) ROOT n = s32[2] add(s, w) } "
      "ENTRY e { x = s32[2] parameter(0) ROOT r = s32[2] while(x), condition=c, body=b }",
      "  arg0 = literal s32[2] {0, 1}\n");
  const auto probes = MakeProbes(loop, RunBudget(), {false, {}, true});
  ASSERT_TRUE(probes.ok()) << probes.status();
  EXPECT_TRUE(probes->front().other_inputs.empty());
  EXPECT_EQ(OrderOfExecutions(probes->front(), 1, true), (std::vector<size_t>{0, 0}));
}

CaseResult RunAgain(Backend& target, const CorpusCase& corpus_case, int repeat = 1) {
  CaseOptions options;
  options.again = Again::kAll;
  options.repeat = repeat;
  static const TargetProfile* const profile = new TargetProfile(*TargetProfile::Find("golden"));
  return CaseRunner(target, *profile, options).Run(corpus_case);
}

const CorpusCase& Sum() {
  static const CorpusCase* const sum =
      new CorpusCase(Case("ENTRY e { a = f32[2] parameter(0) ROOT r = f32[2] add(a, a) }",
                          "  arg0 = literal f32[2] {1, 2}\n"));
  return *sum;
}

TEST(ExecutionsTest, ConformingTargetsPass) {
  GoldenBackend golden;
  for (const int repeat : {1, 3}) {
    EXPECT_EQ(RunAgain(golden, Sum(), repeat).outcome, Outcome::kCorrectlyRounded);
  }
}

// Results of the executions {1, 2}, {2, 1} and {1, 2} are {2, 4}, {4, 2} and {2, 4}.
TEST(ExecutionsTest, WhatIsKeptOfTheFirstExecutionIsFound) {
  ScriptedBackend cached([](int, absl::StatusOr<ModuleRun> run) {
    for (auto& each : run->outputs) each = run->outputs[0];
    return run;
  });
  CaseResult result = RunAgain(cached, Sum());
  EXPECT_EQ(result.outcome, Outcome::kWrong);
  EXPECT_EQ(result.probes[0].execution, 2);
  EXPECT_TRUE(result.probes[0].other_arguments);
  EXPECT_EQ(result.probes[0].judgement.evidence[0].golden, "4");
  EXPECT_EQ(result.probes[0].judgement.evidence[0].actual, "2");
  ScriptedBackend overwritten([](int, absl::StatusOr<ModuleRun> run) {
    run->outputs.back()[0].result.Set(0, Element{0});
    return run;
  });
  result = RunAgain(overwritten, Sum());
  EXPECT_EQ(result.outcome, Outcome::kWrong);
  EXPECT_EQ(result.probes[0].execution, 3);
  EXPECT_FALSE(result.probes[0].other_arguments);
  // Repetitions come first, and other bits there are flaky.
  result = RunAgain(overwritten, Sum(), 2);
  EXPECT_EQ(result.probes[0].execution, 4);
}

TEST(ExecutionsTest, RandomNumbersAreNotAskedAgain) {
  const CorpusCase random = Case(
      "ENTRY e { a = f32[] constant(0) b = f32[] constant(1) "
      "ROOT r = f32[2] rng(a, b), distribution=rng_uniform }",
      "");
  const auto probes = MakeProbes(random, RunBudget(), {false, {}, true});
  ASSERT_TRUE(probes.ok()) << probes.status();
  EXPECT_EQ(OrderOfExecutions(probes->front(), 1, true), std::vector<size_t>{0});
}

}  // namespace
}  // namespace assay::conformance
