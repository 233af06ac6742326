#include "conformance/runner/case_runner.h"

#include <chrono>
#include <functional>
#include <thread>

#include "absl/strings/match.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

CaseResult RunOn(ScriptedBackend& target, const CorpusCase& corpus_case, CaseOptions options = {},
                 const char* profile = "golden") {
  const absl::StatusOr<TargetProfile> found = TargetProfile::Find(profile);
  EXPECT_TRUE(found.ok()) << found.status();
  return CaseRunner(target, *found, options).Run(corpus_case);
}

ModuleRun WithElement(ModuleRun run, size_t execution, double value) {
  run.outputs[execution][0].result.Set(0, {EncodeFloat(ElementType::kF32, value), 0});
  return run;
}

TEST(CaseRunnerTest, OutcomesOfAnswers) {
  struct Row {
    ScriptedBackend::Answer answer;
    Outcome wanted;
    const char* message;
  };
  using Run = absl::StatusOr<ModuleRun>;
  const Row rows[] = {
      {[](int, Run run) { return run; }, Outcome::kCorrectlyRounded, ""},
      {[](int, Run run) { return Run(WithElement(*run, 0, 5)); }, Outcome::kWrong, ""},
      {[](int, Run) -> Run { return absl::InvalidArgumentError("no"); }, Outcome::kInvalid, "no"},
      {[](int, Run) -> Run { return absl::UnimplementedError("later"); }, Outcome::kNotSupported,
       "later"},
      {[](int, Run) -> Run { return absl::ResourceExhaustedError("full"); }, Outcome::kFailed,
       "full"},
      {[](int, Run) -> Run { return absl::AbortedError("crashed"); }, Outcome::kFailed, "crashed"},
      {[](int call, Run run) -> Run { return call == 0 ? Run(absl::AbortedError("bang")) : run; },
       Outcome::kFlaky, "failed first, then ran: bang"},
      {[](int, Run run) -> Run {
         run->outputs[0][0].result = Literal::Zeros(Shape(ElementType::kF32, {3}));
         return run;
       },
       Outcome::kFailed, "f32[3]"},
  };
  for (const Row& row : rows) {
    ScriptedBackend target(row.answer);
    const CaseResult result = RunOn(target, AddCase());
    EXPECT_EQ(result.outcome, row.wanted) << row.message;
    EXPECT_TRUE(absl::StrContains(result.message, row.message)) << result.message;
    EXPECT_EQ(result.id, "add/f32/case");
    EXPECT_EQ(result.op, "add");
    EXPECT_EQ(result.hash, CaseHash(AddCase()));
    EXPECT_EQ(result.text.empty(), !IsFailure(row.wanted));
    // What fails is asked once more, what is only refused is not.
    EXPECT_EQ(
        target.calls(),
        absl::StrContains(row.message, "crashed") || absl::StrContains(row.message, "bang") ? 2 : 1)
        << row.message;
  }
}

TEST(CaseRunnerTest, RepetitionFindsFlakes) {
  ScriptedBackend target([](int, absl::StatusOr<ModuleRun> run) -> absl::StatusOr<ModuleRun> {
    return WithElement(*run, 2, 4.5);
  });
  CaseOptions options;
  options.repeat = 3;
  const CaseResult result = RunOn(target, AddCase(), options);
  EXPECT_EQ(result.outcome, Outcome::kFlaky);
  EXPECT_EQ(result.message,
            "run 3 gives other bits than the first: element 0 of out0 was 4 and then 4.5");
  EXPECT_EQ(result.probes[0].judgement.verdict, Verdict::kCorrectlyRounded);
}

// Two processes that each feed out what comes in, and twice that.
CorpusCase FedCase() {
  return CaseOf(
      "ENTRY e { now = token[] after-all() i = (s32[2], token[]) infeed(now) x = "
      "get-tuple-element(i), index=0 t = get-tuple-element(i), index=1 y = add(x, x) "
      "o = token[] outfeed(x, t), outfeed_shape=s32[2] "
      "ROOT p = token[] outfeed(y, o), outfeed_shape=s32[2] }",
      "inputs:\n  infeed0.dev0 = literal s32[2] {1, 2}\n  infeed0.dev1 = literal s32[2] {3, 4}\n"
      "processes: replicas=2 partitions=1\nexpect:\n  outfeed0.dev0 = literal s32[2] {1, 2}\n"
      "  outfeed1.dev0 = literal s32[2] {2, 4}\n  outfeed0.dev1 = literal s32[2] {3, 4}\n"
      "  outfeed1.dev1 = literal s32[2] {6, 8}");
}

TEST(CaseRunnerTest, OutcomesOfOutfeeds) {
  using Run = absl::StatusOr<ModuleRun>;
  using Change = std::function<void(std::vector<Literal>&)>;
  const std::pair<Change, Outcome> rows[] = {
      {[](std::vector<Literal>&) {}, Outcome::kExact},
      {[](std::vector<Literal>& fed) { std::swap(fed[0], fed[1]); }, Outcome::kWrong},
      {[](std::vector<Literal>& fed) { fed.pop_back(); }, Outcome::kWrong},
      {[](std::vector<Literal>& fed) { fed.push_back(fed[0]); }, Outcome::kWrong},
      {[](std::vector<Literal>& fed) { fed.clear(); }, Outcome::kWrong},
  };
  for (const auto& [change, wanted] : rows) {
    ScriptedBackend target([&change = change](int, Run run) {
      if (run->outputs[0].size() == 2) change(run->outputs[0][1].outfeed);
      return run;
    });
    const CaseResult result = RunOn(target, FedCase());
    EXPECT_EQ(result.outcome, wanted) << result.message;
    if (wanted == Outcome::kExact) continue;
    const Evidence& first = result.probes[0].judgement.evidence.at(0);
    EXPECT_TRUE(first.outfeed);
    EXPECT_EQ(first.device, 1);
  }
}

TEST(CaseRunnerTest, RepetitionFindsFlakesOfOutfeeds) {
  CaseOptions options;
  options.repeat = 2;
  ScriptedBackend other([](int, absl::StatusOr<ModuleRun> run) {
    if (run->outputs[1].size() == 2) run->outputs[1][1].outfeed[1].Set(1, {9, 0});
    return run;
  });
  EXPECT_EQ(RunOn(other, FedCase(), options).message,
            "run 2 gives other bits than the first on device 1: element 1 of outfeed1 was 8 and "
            "then 9");
  ScriptedBackend fewer([](int, absl::StatusOr<ModuleRun> run) {
    run->outputs[1][0].outfeed.clear();
    return run;
  });
  const CaseResult result = RunOn(fewer, FedCase(), options);
  EXPECT_EQ(result.outcome, Outcome::kFlaky);
  EXPECT_TRUE(absl::StrContains(result.message, "there were 2 arrays outfeedN and then 0"))
      << result.message;
}

// What a target printed before it died is for the report; a line is enough for the list.
TEST(CaseRunnerTest, MessagesAreOneLine) {
  ScriptedBackend target([](int, absl::StatusOr<ModuleRun>) -> absl::StatusOr<ModuleRun> {
    return absl::AbortedError("it died:\n  " + std::string(500, 'x'));
  });
  const CaseResult result = RunOn(target, AddCase());
  EXPECT_EQ(result.message, "it died: " + std::string(391, 'x') + " ...");
  EXPECT_EQ(result.probes[0].message, "it died:\n  " + std::string(500, 'x'));
}

TEST(CaseRunnerTest, RandomNumbersAreNoFlakes) {
  ScriptedBackend target([](int, absl::StatusOr<ModuleRun> run) { return run; });
  CaseOptions options;
  options.repeat = 3;
  const CorpusCase draws = CaseOf(
      "ENTRY e { a = f32[] constant(0) b = f32[] constant(1) "
      "ROOT r = f32[4] rng(a, b), distribution=rng_uniform }",
      "expect: golden");
  EXPECT_TRUE(IsPass(RunOn(target, draws, options).outcome));
}

TEST(CaseRunnerTest, HangsAreNotAskedTwice) {
  ScriptedBackend target([](int, absl::StatusOr<ModuleRun>) -> absl::StatusOr<ModuleRun> {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return absl::AbortedError("did not answer");
  });
  CaseOptions options;
  options.seconds = 0.1;
  EXPECT_EQ(RunOn(target, AddCase(), options).outcome, Outcome::kFailed);
  EXPECT_EQ(target.calls(), 1);
}

// A program whose target takes all the time is not waited for probe by probe.
TEST(CaseRunnerTest, TimeIsThatOfTheCase) {
  ScriptedBackend target([](int, absl::StatusOr<ModuleRun> run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return run;
  });
  CaseOptions options;
  options.seconds = 0.1;
  const CorpusCase program = CaseOf(
      "ENTRY e { a = f32[2] parameter(0) b = negate(a) c = negate(b) d = negate(c) "
      "ROOT r = negate(d) }",
      "inputs:\n  arg0 = benign f32[2]\nexpect: golden");
  const CaseResult result = RunOn(target, program, options);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(target.calls(), 2);
  EXPECT_TRUE(absl::StrContains(result.message, "0.1 s were over")) << result.message;
}

// XLA takes an algorithm of f8 for a dot of f32, which the specification forbids: a target that
// checks all clauses may refuse it, one that checks as XLA does may not. Of a target whose profile
// does not say what it checks, the specification counts.
TEST(CaseRunnerTest, StrictTargetsMayRefuseWhatTheSpecificationForbids) {
  const CorpusCase forbidden = CaseOf(
      "ENTRY e { a = f32[3] parameter(0) b = f32[3] parameter(1) ROOT r = f32[] dot(a, b), "
      "lhs_contracting_dims={0}, rhs_contracting_dims={0}, algorithm=dot_any_f8_any_f8_f32 }",
      "inputs:\n  arg0 = benign f32[3]\n  arg1 = benign f32[3]\nexpect: golden");
  ScriptedBackend refusing([](int, absl::StatusOr<ModuleRun>) -> absl::StatusOr<ModuleRun> {
    return absl::InvalidArgumentError("no");
  });
  const TargetProfile strict = *TargetProfile::Find("golden"), xla = *TargetProfile::Find("gpu");
  const TargetProfile silent = *TargetProfile::Find("cpu-strict");
  EXPECT_EQ(CaseRunner(refusing, strict, {}).Run(forbidden).outcome, Outcome::kNotSupported);
  EXPECT_EQ(CaseRunner(refusing, silent, {}).Run(forbidden).outcome, Outcome::kNotSupported);
  EXPECT_EQ(CaseRunner(refusing, xla, {}).Run(forbidden).outcome, Outcome::kInvalid);
  EXPECT_EQ(CaseRunner(refusing, silent, {}).Run(AddCase()).outcome, Outcome::kInvalid);
  EXPECT_EQ(CaseRunner(refusing, strict, {}).Run(AddCase()).outcome, Outcome::kInvalid);
}

TEST(CaseRunnerTest, RefusedCases) {
  const CorpusCase refused = CaseOf(
      "ENTRY e { a = f32[2] parameter(0) b = f32[3] parameter(1) ROOT r = f32[2] add(a, b) }",
      "expect: refused binary_c3");
  const TargetProfile golden_profile = *TargetProfile::Find("golden");
  GoldenBackend golden;
  CaseOptions verified;
  verified.verified = true;
  EXPECT_EQ(CaseRunner(golden, golden_profile, verified).Run(refused).outcome, Outcome::kRefused);
  CorpusCase other_clause = refused;
  other_clause.clause = "add_c9";
  EXPECT_EQ(CaseRunner(golden, golden_profile, verified).Run(other_clause).outcome,
            Outcome::kWrong);
  EXPECT_EQ(CaseRunner(golden, golden_profile, {}).Run(other_clause).outcome, Outcome::kFailed);
  ScriptedBackend target([](int, absl::StatusOr<ModuleRun> run) { return run; });
  const TargetProfile lenient = *TargetProfile::FromText("module_checks: NONE", "its.textproto");
  const CaseResult unchecked = CaseRunner(target, lenient, {}).Run(refused);
  EXPECT_EQ(unchecked.outcome, Outcome::kNotRun);
  EXPECT_TRUE(absl::StrContains(unchecked.message, "do not check modules")) << unchecked.message;
  const absl::StatusOr<TargetProfile> checking =
      TargetProfile::FromText("module_checks: STRICT", "mine.textproto");
  ASSERT_TRUE(checking.ok()) << checking.status();
  EXPECT_EQ(CaseRunner(target, *checking, {}).Run(refused).outcome, Outcome::kRefused);
}

TEST(CaseRunnerTest, WhatIsNotAsked) {
  ScriptedBackend target([](int, absl::StatusOr<ModuleRun> run) { return run; });
  const absl::StatusOr<TargetProfile> without =
      TargetProfile::FromText("unsupported { op: \"add\" reason: \"no adder\" }", "mine.textproto");
  ASSERT_TRUE(without.ok()) << without.status();
  const CaseResult result = CaseRunner(target, *without, {}).Run(AddCase());
  EXPECT_EQ(result.outcome, Outcome::kNotRun);
  EXPECT_TRUE(absl::StrContains(result.message, "no adder")) << result.message;
  EXPECT_EQ(target.calls(), 0);
  CaseOptions options;
  options.golden.elements = 1;
  EXPECT_EQ(RunOn(target, AddCase(), options).outcome, Outcome::kNotRun);
}

}  // namespace
}  // namespace assay::conformance
