#include "conformance/runner/probe.h"

#include "absl/strings/match.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

std::vector<Probe> Probes(const CorpusCase& corpus_case) {
  absl::StatusOr<std::vector<Probe>> probes = MakeProbes(corpus_case, {});
  EXPECT_TRUE(probes.ok()) << probes.status();
  return probes.ok() ? *std::move(probes) : std::vector<Probe>();
}

std::vector<std::string> Names(const std::vector<Probe>& probes) {
  std::vector<std::string> names;
  for (const Probe& probe : probes) names.push_back(probe.name);
  return names;
}

TEST(ProbeTest, OneOperationIsOneSubTest) {
  const std::vector<Probe> probes = Probes(AddCase());
  EXPECT_EQ(Names(probes), std::vector<std::string>{""});
  ASSERT_EQ(probes[0].golden.size(), 1);
  EXPECT_EQ(DecodeFloat(ElementType::kF32, probes[0].golden[0].result.Get(1).bits), 6);
  // Constants and tuples carry values, they compute none.
  const CorpusCase carried = CaseOf(
      "ENTRY e { p = (s32[], s32[]) parameter(0) a = get-tuple-element(p), index=1 "
      "c = s32[] constant(40) ROOT r = add(a, c) }",
      "inputs:\n  arg0 = literal s32[] 1\n  arg1 = literal s32[] 2\nexpect: golden");
  EXPECT_EQ(Names(Probes(carried)), std::vector<std::string>{""});
}

// A reducer is part of its operation; bodies of calls are not.
TEST(ProbeTest, ProgramsHaveASubTestPerInstruction) {
  const CorpusCase program =
      CaseOf("ENTRY e { a = f32[2] parameter(0) b = exponential(a) ROOT c = multiply(b, b) }",
             "inputs:\n  arg0 = literal f32[2] {0, 1}\nexpect: golden");
  const std::vector<Probe> probes = Probes(program);
  ASSERT_EQ(Names(probes), (std::vector<std::string>{"", "b", "c"}));
  EXPECT_EQ(probes[2].inputs[0].arguments.size(), 2);
  EXPECT_TRUE(Literal::BitEqual(probes[2].inputs[0].arguments[0], probes[1].golden[0].result));
  EXPECT_TRUE(Literal::BitEqual(probes[2].golden[0].result, probes[0].golden[0].result));
  const CorpusCase reduction = CaseOf(
      "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = add(x, y) }\n  "
      "ENTRY e { a = f32[2] parameter(0) z = f32[] constant(0) "
      "ROOT r = reduce(a, z), dimensions={0}, to_apply=add }",
      "inputs:\n  arg0 = literal f32[2] {1, 2}\nexpect: golden");
  EXPECT_EQ(Names(Probes(reduction)), std::vector<std::string>{""});
  const CorpusCase call = CaseOf(
      "f { x = f32[2] parameter(0) ROOT s = negate(x) }\n  "
      "ENTRY e { a = f32[2] parameter(0) ROOT r = call(a), to_apply=f }",
      "inputs:\n  arg0 = literal f32[2] {1, 2}\nexpect: golden");
  EXPECT_EQ(Names(Probes(call)), (std::vector<std::string>{"", "s"}));
}

TEST(ProbeTest, SubgraphsAndIterations) {
  const CorpusCase program = CaseOf(
      "body { x = f32[2] parameter(0) y = multiply(x, x) ROOT z = add(y, x) }\n  "
      "condition { x = f32[2] parameter(0) f = f32[1] slice(x), slice={[0:1]} g = f32[] reshape(f) "
      "h = f32[] constant(9) ROOT c = compare(g, h), direction=LT }\n  "
      "ENTRY e { a = f32[2] parameter(0) ROOT r = f32[2] while(a), condition=condition, body=body "
      "}",
      "inputs:\n  arg0 = literal f32[2] {1, 0}\nexpect: golden");
  const absl::StatusOr<std::vector<Probe>> probes =
      MakeProbes(program, {}, {.straight = false, .depth = {.iterations = 2, .subgraphs = 2}});
  ASSERT_TRUE(probes.ok()) << probes.status();
  // 1, 2, 6, 42: the body runs three times.
  EXPECT_EQ(Names(*probes),
            (std::vector<std::string>{"", "f", "g", "f+g", "c", "g+c", "y", "z", "y+z", "y@3",
                                      "z@3", "y+z@3", "f@4", "g@4", "f+g@4", "c@4", "g+c@4"}));
  for (const Probe& probe : *probes) {
    EXPECT_EQ(probe.subgraph, absl::StrContains(probe.name, '+')) << probe.name;
    const absl::StatusOr<Judgement> judged =
        JudgeProbe(probe, probe.golden, *TargetProfile::Find("golden"), {});
    ASSERT_TRUE(judged.ok()) << judged.status();
    EXPECT_LE(judged->verdict, Verdict::kCorrectlyRounded) << probe.name;
  }
}

TEST(ProbeTest, ValuesOfAllIterationsAreWithinTheBudget) {
  const CorpusCase program = CaseOf(
      "body { x = f32[2] parameter(0) ROOT z = add(x, x) }\n  "
      "condition { x = f32[2] parameter(0) f = f32[1] slice(x), slice={[0:1]} g = f32[] reshape(f) "
      "h = f32[] constant(1e6) ROOT c = compare(g, h), direction=LT }\n  "
      "ENTRY e { a = f32[2] parameter(0) ROOT r = f32[2] while(a), condition=condition, body=body "
      "}",
      "inputs:\n  arg0 = literal f32[2] {1, 0}\nexpect: golden");
  RunBudget small;
  small.bytes = 200;  // a run takes less, the values of its 20 iterations more than 300
  EXPECT_TRUE(MakeProbes(program, small).ok());
  const absl::Status spent =
      MakeProbes(program, small, {.straight = false, .depth = {.iterations = 64, .subgraphs = 0}})
          .status();
  EXPECT_EQ(spent.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(absl::StrContains(spent.message(), "values of all instructions")) << spent;
}

TEST(ProbeTest, DefinitionsAndKernelsAgree) {
  const absl::StatusOr<std::vector<Probe>> straight =
      MakeProbes(AddCase(), {}, {.straight = true, .depth = {}});
  ASSERT_TRUE(straight.ok()) << straight.status();
  EXPECT_TRUE(
      Literal::BitEqual((*straight)[0].golden[0].result, Probes(AddCase())[0].golden[0].result));
}

TEST(ProbeTest, WhatACaseExpectsIsHeld) {
  CorpusCase wrong =
      CaseOf("ENTRY e { a = f32[2] parameter(0) ROOT r = negate(a) }",
             "inputs:\n  arg0 = literal f32[2] {1, 2}\nexpect:\n  out0 = literal f32[2] {-1, 2}");
  const absl::Status status = MakeProbes(wrong, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(status.message(), "out0 has -2, but 2 is expected")) << status;
}

TEST(ProbeTest, Judge) {
  const TargetProfile golden = *TargetProfile::Find("golden");
  const Probe probe = Probes(AddCase())[0];
  EXPECT_EQ(JudgeProbe(probe, probe.golden, golden, {})->verdict, Verdict::kCorrectlyRounded);
  Literal other = probe.golden[0].result;
  other.Set(1, {EncodeFloat(ElementType::kF32, 7), 0});
  const absl::StatusOr<Judgement> wrong = JudgeProbe(probe, {{other}}, golden, {});
  ASSERT_TRUE(wrong.ok()) << wrong.status();
  EXPECT_EQ(wrong->verdict, Verdict::kWrong);
  ASSERT_EQ(wrong->evidence.size(), 1);
  EXPECT_EQ(wrong->evidence[0].position, 1);
  EXPECT_EQ(wrong->evidence[0].golden, "6");
  EXPECT_EQ(wrong->evidence[0].actual, "7");
  const absl::Status shape =
      JudgeProbe(probe, {{Literal::Zeros(Shape(ElementType::kF32, {3}))}}, golden, {}).status();
  EXPECT_TRUE(absl::StrContains(shape.message(), "is f32[3], but f32[2] is wanted")) << shape;
  EXPECT_FALSE(JudgeProbe(probe, {}, golden, {}).ok());
}

// One ulp is inside the bound of four terms, on whichever device, and nothing else is.
TEST(ProbeTest, Collectives) {
  const std::string reducer =
      "add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = add(x, y) }\n  ";
  const std::string sections =
      "processes: replicas=4 partitions=1\ninputs:\n  arg0 = literal f32[2] {1, 2}\n"
      "expect: golden";
  for (const char* entry :
       {"ENTRY e { a = f32[2] parameter(0) ROOT r = f32[2] all-reduce(a), replica_groups={}, "
        "to_apply=add }",
        "ENTRY e { a = f32[2] parameter(0) b = f32[2] all-reduce-start(a), replica_groups={}, "
        "to_apply=add ROOT r = f32[2] all-reduce-done(b) }"}) {
    const std::vector<Probe> probes = Probes(CaseOf(reducer + entry, sections));
    ASSERT_EQ(probes.size(), 1);
    ASSERT_EQ(probes[0].golden.size(), 4);
    std::vector<DeviceOutputs> actual = probes[0].golden;
    Element element = actual[2].result.Get(1);
    ++element.bits;
    actual[2].result.Set(1, element);
    const auto judge = [&](const char* profile) {
      return *JudgeProbe(probes[0], actual, *TargetProfile::Find(profile), {});
    };
    EXPECT_EQ(judge("golden").verdict, Verdict::kWrong) << entry;
    ASSERT_EQ(judge("golden").evidence.size(), 1);
    EXPECT_EQ(judge("golden").evidence[0].device, 2);
    EXPECT_EQ(judge("golden").elements(), 8);
    EXPECT_LT(judge("xla-cpu").verdict, Verdict::kNotJudgeable) << entry;
    element.bits += 1000;
    actual[2].result.Set(1, element);
    EXPECT_EQ(judge("xla-cpu").verdict, Verdict::kWrong) << entry;
  }
}

// Of random values only the range is known.
TEST(ProbeTest, RandomValues) {
  const std::vector<Probe> probes =
      Probes(CaseOf("ENTRY e { a = f32[] constant(2) b = f32[] constant(3) "
                    "ROOT r = f32[4] rng(a, b), distribution=rng_uniform }",
                    "expect: golden"));
  ASSERT_EQ(probes.size(), 1);
  const TargetProfile profile = *TargetProfile::Find("xla-cpu");
  Literal actual = probes[0].golden[0].result;
  actual.Set(0, {EncodeFloat(ElementType::kF32, 2.5), 0});
  EXPECT_EQ(JudgeProbe(probes[0], {{actual}}, profile, {})->verdict, Verdict::kAllowed);
  actual.Set(0, {EncodeFloat(ElementType::kF32, 3.5), 0});
  EXPECT_EQ(JudgeProbe(probes[0], {{actual}}, profile, {})->verdict, Verdict::kWrong);
}

// 3 x + y, once rounded or twice: a computation that may contract is enclosed element by element.
TEST(ProbeTest, MapsAreJudgedByTheirInterval) {
  const std::vector<Probe> probes =
      Probes(CaseOf("f { x = f32[] parameter(0) y = f32[] parameter(1) t = f32[] constant(3) "
                    "m = f32[] multiply(x, t) ROOT r = f32[] add(m, y) }\n  "
                    "ENTRY e { a = f32[2] parameter(0) b = f32[2] parameter(1) "
                    "ROOT r = f32[2] map(a, b), dimensions={0}, to_apply=f }",
                    "inputs:\n  arg0 = literal f32[2] {1.0000001192092896, 1e20}\n"
                    "  arg1 = literal f32[2] {-5.9604644775390625e-08, 1}\nexpect: golden"));
  ASSERT_EQ(probes.size(), 1);
  const Literal& golden = probes[0].golden[0].result;
  const auto judge = [&](double value, const char* profile) {
    Literal actual = golden;
    actual.Set(0, {EncodeFloat(ElementType::kF32, value), 0});
    return JudgeProbe(probes[0], {{actual}}, *TargetProfile::Find(profile), {})->verdict;
  };
  const double fused = 3 + 0x1p-22;
  ASSERT_NE(DecodeFloat(ElementType::kF32, golden.Get(0).bits), fused);
  EXPECT_EQ(judge(fused, "xla-cpu"), Verdict::kWithinBound);
  EXPECT_EQ(judge(fused, "cpu-strict"), Verdict::kWrong);
  EXPECT_EQ(judge(fused + 0x1p-18, "xla-cpu"), Verdict::kWrong);
  EXPECT_EQ(judge(1e18, "xla-cpu"), Verdict::kWrong);
}

// A budget in ulp alone, with no freedom, is a budget of a program too.
TEST(ProbeTest, ProgramsHaveTheBudgetsOfTheirInstructions) {
  const auto profile = TargetProfile::FromText("extends: \"level-b\"", "test");
  ASSERT_TRUE(profile.ok()) << profile.status();
  const std::vector<Probe> probes =
      Probes(CaseOf("ENTRY e { a = f32[1] parameter(0) b = exponential(a) ROOT n = negate(b) }",
                    "inputs:\n  arg0 = literal f32[1] {1}\nexpect: golden"));
  for (const int64_t steps : {1, 1000}) {
    Literal actual = probes[0].golden[0].result;
    actual.Set(0, {actual.Get(0).bits + static_cast<uint64_t>(steps), 0});
    EXPECT_EQ(JudgeProbe(probes[0], {{actual}}, *profile, {})->verdict,
              steps == 1 ? Verdict::kWithinBound : Verdict::kWrong);
  }
}

// What stops the interval is said, and what is no matter of it stops the judge.
TEST(ProbeTest, ABudgetThatIsSpentIsAReason) {
  const std::vector<Probe> probes =
      Probes(CaseOf("ENTRY e { a = f32[1] parameter(0) b = exponential(a) ROOT n = negate(b) }",
                    "inputs:\n  arg0 = literal f32[1] {1}\nexpect: golden"));
  Literal actual = probes[0].golden[0].result;
  actual.Set(0, {actual.Get(0).bits + 1, 0});
  RunBudget budget;
  budget.steps = 1;
  const auto judgement = JudgeProbe(probes[0], {{actual}}, *TargetProfile::Find("xla-cpu"), budget);
  ASSERT_TRUE(judgement.ok()) << judgement.status();
  EXPECT_EQ(judgement->verdict, Verdict::kNotJudgeable);
  EXPECT_TRUE(absl::StrContains(judgement->reasons.back(), "the budget of steps is spent at"))
      << judgement->reasons.back();
}

TEST(ProbeTest, Conclude) {
  struct Row {
    std::vector<Outcome> probes;
    Outcome wanted;
    const char* decisive;
  };
  using enum Outcome;
  const Row rows[] = {
      {{kWithinBound}, kWithinBound, "p0"},
      {{kCorrectlyRounded, kExact, kCorrectlyRounded}, kCorrectlyRounded, "p2"},
      // The whole inherits what one instruction may do.
      {{kNotJudgeable, kExact, kWithinBound}, kWithinBound, "p2"},
      {{kNotJudgeable, kAllowed, kWithinBound}, kAllowed, "p1"},
      {{kNotJudgeable, kExact, kWrong}, kWrong, "p2"},
      // Nothing to inherit.
      {{kNotJudgeable, kExact, kCorrectlyRounded}, kNotJudgeable, "p0"},
      // Proven by itself, or no matter of values.
      {{kWrong, kExact, kWithinBound}, kWrong, "p0"},
      {{kFailed, kExact, kWithinBound}, kFailed, "p0"},
      {{kFlaky, kExact, kExact}, kFlaky, "p0"},
      {{kCorrectlyRounded, kExact, kFailed}, kFailed, "p2"},
      {{kCorrectlyRounded, kNotSupported, kExact}, kNotSupported, "p1"},
  };
  for (const Row& row : rows) {
    CaseResult result;
    for (size_t i = 0; i < row.probes.size(); ++i) {
      ProbeResult probe;
      probe.outcome = row.probes[i];
      probe.message = absl::StrCat("p", i);
      result.probes.push_back(probe);
    }
    Conclude(&result);
    EXPECT_EQ(result.outcome, row.wanted) << row.decisive;
    EXPECT_TRUE(absl::StrContains(result.message, row.decisive)) << result.message;
  }
}

// A subgraph counts where it says something.
TEST(ProbeTest, ConcludeSubgraphs) {
  using enum Outcome;
  struct Row {
    Outcome whole, instruction, subgraph, wanted;
    const char* diverges;
  };
  const Row rows[] = {
      {kWithinBound, kExact, kNotJudgeable, kWithinBound, ""},
      {kExact, kExact, kNotSupported, kExact, ""},
      {kExact, kExact, kWrong, kWrong, "b+c"},
      {kExact, kWrong, kWrong, kWrong, "b"},
      {kWrong, kExact, kExact, kWrong, ""},
      {kNotJudgeable, kExact, kAllowed, kAllowed, ""},
      {kNotJudgeable, kExact, kNotJudgeable, kNotJudgeable, ""},
  };
  for (const Row& row : rows) {
    CaseResult result;
    result.probes.resize(3);
    result.probes[0].outcome = row.whole;
    result.probes[1].name = "b";
    result.probes[1].outcome = row.instruction;
    result.probes[2].name = "b+c";
    result.probes[2].subgraph = true;
    result.probes[2].outcome = row.subgraph;
    Conclude(&result);
    EXPECT_EQ(result.outcome, row.wanted);
    const ProbeResult* first = result.FirstDivergence();
    EXPECT_EQ(first == nullptr ? "" : first->name, row.diverges);
  }
}

}  // namespace
}  // namespace assay::conformance
