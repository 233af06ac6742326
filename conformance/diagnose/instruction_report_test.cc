// The instructions of a module that differ on a target: none if the target is the golden
// interpreter, and exactly the perturbed ones if it perturbs some.
#include "conformance/diagnose/instruction_report.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/golden/golden_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kText[] = R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
body {
  state = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[3] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  half = f32[] constant(0.5)
  halves = f32[3] broadcast(half), dimensions={}
  scaled = f32[3] multiply(x, halves)
  inner = f32[3] exponential(scaled)
  ROOT out = (s32[], f32[3]) tuple(next, inner)
}
condition {
  state = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  two = s32[] constant(2)
  ROOT more = pred[] compare(i, two), direction=LT
}
ENTRY main {
  start = s32[] constant(0)
  x = f32[3] parameter(0)
  before = f32[3] exponential(x)
  init = (s32[], f32[3]) tuple(start, before)
  loop = (s32[], f32[3]) while(init), condition=condition, body=body
  y = f32[3] get-tuple-element(loop), index=1
  zero = f32[] constant(0)
  ROOT total = f32[] reduce(y, zero), dimensions={0}, to_apply=add
}
)";

// The golden backend, but what the roots of one opcode give is changed, or the opcode refused.
class OddBackend : public Backend {
 public:
  using Change = std::function<void(Literal&)>;
  OddBackend(Opcode opcode, Change change) : opcode_(opcode), change_(std::move(change)) {}

  absl::string_view name() const override { return "odd"; }
  absl::Status Supports(const Module& module) override { return golden_.Supports(module); }
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options) override {
    const bool odd = module.entry()->root()->opcode() == opcode_;
    if (odd && change_ == nullptr) {
      return absl::UnimplementedError(absl::StrCat("no ", Name(opcode_), " here"));
    }
    auto golden = golden_.Compile(module, options);
    if (!golden.ok() || !odd) return golden;
    return std::make_unique<OddExecutable>(*std::move(golden), *this);
  }
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override {
    return golden_.Upload(array, device);
  }
  absl::StatusOr<Literal> Download(const Buffer& buffer) override {
    return golden_.Download(buffer);
  }

 private:
  class OddExecutable : public SynchronousExecutable {
   public:
    OddExecutable(std::unique_ptr<Executable> golden, OddBackend& backend)
        : SynchronousExecutable(golden->module()), golden_(std::move(golden)), backend_(backend) {}

   protected:
    absl::StatusOr<ExecuteResults> RunNow(absl::Span<const ExecuteInputs> inputs) override {
      auto results = golden_->Execute(inputs);
      if (!results.ok()) return results;
      const Shape& shape = module().entry()->root()->shape();
      std::vector<BufferHandle>& leaves = results->devices.front().results;
      auto value = DownloadValue(backend_, shape, leaves);
      if (!value.ok()) return value.status();
      backend_.change_(*value);
      auto changed = UploadValue(backend_, *value, 0);
      if (!changed.ok()) return changed.status();
      leaves = *std::move(changed);
      return results;
    }

   private:
    std::unique_ptr<Executable> golden_;
    OddBackend& backend_;
  };

  GoldenBackend golden_;
  Opcode opcode_;
  Change change_;
};

// The report as lines "name: verdict".
std::vector<std::string> Report(Backend& target) {
  auto module = ParseModule(kText);
  EXPECT_TRUE(module.ok()) << module.status();
  Literal x = Literal::Zeros(Shape(ElementType::kF32, {3}));
  for (int64_t i = 0; i < 3; ++i) x.Set(i, Element{EncodeFloat(ElementType::kF32, 0.25 * (i + 1))});
  auto verdicts =
      ReportInstructions(**module, {{{x}}}, target, *TargetProfile::Find("xla-cpu"), RunBudget());
  EXPECT_TRUE(verdicts.ok()) << verdicts.status();
  std::vector<std::string> lines;
  for (const InstructionVerdict& verdict : *verdicts) {
    lines.push_back(absl::StrCat(
        verdict.last().name(), ": ",
        verdict.status.ok() ? VerdictName(verdict.judgement.verdict) : verdict.status.message()));
  }
  return lines;
}

// One unit in the last place of a positive float.
void NextFloat(Literal& value) {
  for (int64_t i = 0; i < value.element_count(); ++i) {
    value.Set(i, Element{value.Get(i).bits + 1});
  }
}

// A loop runs twice, and its instructions stand in the report once, where they first ran.
TEST(ReportInstructions, TheGoldenTargetIsRightEverywhere) {
  GoldenBackend golden;
  EXPECT_THAT(Report(golden), ElementsAre("before: correctly rounded", "more: exact", "next: exact",
                                          "halves: exact", "scaled: correctly rounded",
                                          "inner: correctly rounded", "total: correctly rounded"));
}

TEST(ReportInstructions, OneUlpOfAFunctionIsWithinItsBound) {
  OddBackend odd(Opcode::kExp, NextFloat);
  EXPECT_THAT(Report(odd), ElementsAre("before: within bound", "more: exact", "next: exact",
                                       "halves: exact", "scaled: correctly rounded",
                                       "inner: within bound", "total: correctly rounded"));
}

TEST(ReportInstructions, OneUlpOfAProductIsWrong) {
  OddBackend odd(Opcode::kMultiply, NextFloat);
  EXPECT_THAT(Report(odd), ElementsAre("before: correctly rounded", "more: exact", "next: exact",
                                       "halves: exact", "scaled: wrong", "inner: correctly rounded",
                                       "total: correctly rounded"));
}

TEST(ReportInstructions, AWrongValueIsWrong) {
  OddBackend odd(Opcode::kReduce, [](Literal& value) { value.Set(0, Element{0}); });
  EXPECT_THAT(Report(odd), ElementsAre("before: correctly rounded", "more: exact", "next: exact",
                                       "halves: exact", "scaled: correctly rounded",
                                       "inner: correctly rounded", "total: wrong"));
}

TEST(ReportInstructions, WhatTheTargetRefusesIsNotRun) {
  OddBackend odd(Opcode::kExp, nullptr);
  EXPECT_THAT(Report(odd), ElementsAre("before: no exponential here", "more: exact", "next: exact",
                                       "halves: exact", "scaled: correctly rounded",
                                       "inner: no exponential here", "total: correctly rounded"));
}

TEST(ReportInstructions, SaysWhenTheGoldenRunFails) {
  auto module = ParseModule(kText);
  ASSERT_TRUE(module.ok());
  GoldenBackend golden;
  const TargetProfile profile = *TargetProfile::Find("golden");
  RunBudget budget;
  budget.steps = 1;
  Literal x = Literal::Zeros(Shape(ElementType::kF32, {3}));
  const auto verdicts = ReportInstructions(**module, {{{x}}}, golden, profile, budget);
  EXPECT_EQ(verdicts.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(ReportInstructions(**module, {{}}, golden, profile, RunBudget()).status().message(),
              HasSubstr("argument"));
}

// Golden, but what some modules give has its first element one larger.
class DefectBackend : public GoldenBackend {
 public:
  using IsHit = std::function<bool(const Module&, const std::vector<Literal>& arguments)>;
  explicit DefectBackend(IsHit is_hit) : is_hit_(std::move(is_hit)) {}

  absl::StatusOr<ModuleRun> RunSets(const Module& module, const InputSets& inputs) override {
    absl::StatusOr<ModuleRun> run = GoldenBackend::RunSets(module, inputs);
    if (!run.ok() || !is_hit_(module, inputs.sets[0][0].arguments)) return run;
    Literal& value = run->outputs[0][0].result;
    const ElementType type = value.element_type();
    const double one = DecodeFloat(type, value.Get(0).bits) + 1;
    value.Set(0, Element{EncodeFloat(type, one)});
    return run;
  }

 private:
  IsHit is_hit_;
};

// The names of what is wrong.
std::vector<std::string> Wrong(Backend& target, const TraceDepth& depth) {
  auto module = ParseModule(R"(
body {
  x = f32[2] parameter(0)
  half = f32[] constant(0.5)
  halves = f32[2] broadcast(half), dimensions={}
  product = f32[2] multiply(x, halves)
  sum = f32[2] add(product, x)
  ROOT shifted = f32[2] subtract(sum, halves)
}
condition {
  x = f32[2] parameter(0)
  first = f32[1] slice(x), slice={[0:1]}
  scalar = f32[] reshape(first)
  end = f32[] constant(20)
  ROOT more = pred[] compare(scalar, end), direction=LT
}
ENTRY main {
  x = f32[2] parameter(0)
  ROOT loop = f32[2] while(x), condition=condition, body=body
})");
  EXPECT_TRUE(module.ok()) << module.status();
  Literal x = Literal::Zeros(Shape(ElementType::kF32, {2}));
  for (int64_t i = 0; i < 2; ++i) x.Set(i, Element{EncodeFloat(ElementType::kF32, 5)});
  ReportOptions options;
  options.depth = depth;
  const auto verdicts = ReportInstructions(**module, {{{x}}}, target,
                                           *TargetProfile::Find("xla-cpu"), RunBudget(), options);
  EXPECT_TRUE(verdicts.ok()) << verdicts.status();
  std::vector<std::string> names;
  for (const InstructionVerdict& each : *verdicts) {
    EXPECT_TRUE(each.status.ok()) << each.name << each.status;
    if (each.is_wrong()) names.push_back(each.name);
  }
  return names;
}

// Right on every instruction alone, wrong where an addition takes a product in the same module.
TEST(ReportInstructions, OnlySubgraphsShowADefectOfFusion) {
  DefectBackend fuses([](const Module& module, const std::vector<Literal>&) {
    for (const auto& each : module.entry()->instructions()) {
      if (each->opcode() != Opcode::kAdd) continue;
      for (const Instruction* operand : each->operands()) {
        if (operand->opcode() == Opcode::kMultiply) return true;
      }
    }
    return false;
  });
  EXPECT_THAT(Wrong(fuses, {.iterations = 64, .subgraphs = 0}), ElementsAre());
  EXPECT_THAT(Wrong(fuses, {.iterations = 1, .subgraphs = 2}), ElementsAre("product+sum"));
  EXPECT_THAT(Wrong(fuses, {.iterations = 1, .subgraphs = 8}),
              ElementsAre("halves+product+sum+shifted"));
  GoldenBackend golden;
  EXPECT_THAT(Wrong(golden, {.iterations = 64, .subgraphs = 8}), ElementsAre());
}

// 5, 7, 10, 14.5, 21.25: four iterations, and only in the third a product of 10.
TEST(ReportInstructions, OnlyLaterIterationsShowADefectOfOneIteration) {
  DefectBackend third([](const Module& module, const std::vector<Literal>& arguments) {
    return module.entry()->root()->opcode() == Opcode::kMultiply &&
           DecodeFloat(ElementType::kF32, arguments[0].Get(0).bits) == 10;
  });
  EXPECT_THAT(Wrong(third, {.iterations = 1, .subgraphs = 0}), ElementsAre());
  EXPECT_THAT(Wrong(third, {.iterations = 2, .subgraphs = 0}), ElementsAre());
  EXPECT_THAT(Wrong(third, {.iterations = 4, .subgraphs = 0}), ElementsAre("product@3"));
}

// The golden backend, but one module is compiled as if it were another one: what a wrong rewrite
// makes of the whole program. Instructions alone are not rewritten.
class RewritingBackend : public GoldenBackend {
 public:
  explicit RewritingBackend(const char* rewritten) : rewritten_(*ParseModule(rewritten)) {}
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options) override {
    return GoldenBackend::Compile(module.name() == rewritten_->name() ? *rewritten_ : module,
                                  options);
  }

 private:
  std::unique_ptr<Module> rewritten_;
};

struct Rewrite {
  const char *module, *rewritten;  // both are called `whole`
  const char* not_asked;           // names of the instructions that are not asked alone
};

constexpr Rewrite kRewrites[] = {
    {// Four iterations instead of three.
     R"(HloModule whole
body { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[6] get-tuple-element(s), index=1 one = s32[] constant(1) next = s32[] add(i, one)
  y = f32[6] add(x, x) ROOT t = (s32[], f32[6]) tuple(next, y) }
condition { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { x = f32[6] parameter(0) z = s32[] constant(0) t = (s32[], f32[6]) tuple(z, x)
  loop = (s32[], f32[6]) while(t), condition=condition, body=body
  ROOT r = f32[6] get-tuple-element(loop), index=1 })",
     R"(HloModule whole
body { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[6] get-tuple-element(s), index=1 one = s32[] constant(1) next = s32[] add(i, one)
  y = f32[6] add(x, x) ROOT t = (s32[], f32[6]) tuple(next, y) }
condition { s = (s32[], f32[6]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LE }
ENTRY e { x = f32[6] parameter(0) z = s32[] constant(0) t = (s32[], f32[6]) tuple(z, x)
  loop = (s32[], f32[6]) while(t), condition=condition, body=body
  ROOT r = f32[6] get-tuple-element(loop), index=1 })",
     "loop"},
    {// A call that returns its argument.
     R"(HloModule whole
f { a = f32[6] parameter(0) ROOT n = f32[6] negate(a) }
ENTRY e { x = f32[6] parameter(0) ROOT r = f32[6] call(x), to_apply=f })",
     "HloModule whole\nENTRY e { ROOT x = f32[6] parameter(0) }", "r"},
    {// The branches of a conditional are exchanged.
     R"(HloModule whole
f { a = f32[6] parameter(0) ROOT n = f32[6] negate(a) }
g { b = f32[6] parameter(0) ROOT m = f32[6] add(b, b) }
ENTRY e { x = f32[6] parameter(0) p = pred[] constant(true)
  ROOT r = f32[6] conditional(p, x, x), true_computation=f, false_computation=g })",
     R"(HloModule whole
f { a = f32[6] parameter(0) ROOT n = f32[6] negate(a) }
g { b = f32[6] parameter(0) ROOT m = f32[6] add(b, b) }
ENTRY e { x = f32[6] parameter(0) p = pred[] constant(true)
  ROOT r = f32[6] conditional(p, x, x), true_computation=g, false_computation=f })",
     "r m"},
    {// The update is made in place although the operand is read afterwards.
     R"(HloModule whole
ENTRY e { x = f32[6] parameter(0) u = f32[2] constant({9, 9}) i = s32[] constant(1)
  d = f32[6] dynamic-update-slice(x, u, i) ROOT r = f32[6] subtract(d, x) })",
     R"(HloModule whole
ENTRY e { x = f32[6] parameter(0) u = f32[2] constant({9, 9}) i = s32[] constant(1)
  d = f32[6] dynamic-update-slice(x, u, i) ROOT r = f32[6] subtract(d, d) })",
     ""},
    {// Two transposes are merged into one with the permutations composed in the wrong order.
     R"(HloModule whole
ENTRY e { x = f32[6] parameter(0) y = f32[1,2,3] reshape(x)
  a = f32[2,3,1] transpose(y), dimensions={1,2,0} b = f32[3,2,1] transpose(a), dimensions={1,0,2}
  ROOT r = f32[6] reshape(b) })",
     R"(HloModule whole
ENTRY e { x = f32[6] parameter(0) y = f32[1,2,3] reshape(x)
  b = f32[2,1,3] transpose(y), dimensions={1,0,2} ROOT r = f32[6] reshape(b) })",
     ""},
};

TEST(ReportWhole, FindsWhatNoInstructionAloneShows) {
  const TargetProfile profile = *TargetProfile::Find("cpu-strict");
  Literal x = Literal::Zeros(Shape(ElementType::kF32, {6}));
  for (int64_t i = 0; i < 6; ++i) x.Set(i, Element{EncodeFloat(ElementType::kF32, 1.5 * (i + 1))});
  const std::vector<DeviceInputs> inputs = {{{x}}};
  for (const Rewrite& rewrite : kRewrites) {
    const auto module = ParseModule(rewrite.module);
    ASSERT_TRUE(module.ok()) << module.status();
    RewritingBackend target(rewrite.rewritten);
    std::vector<DeviceOutputs> golden;
    ReportOptions options;
    options.golden = &golden;
    const auto verdicts =
        ReportInstructions(**module, inputs, target, profile, RunBudget(), options);
    ASSERT_TRUE(verdicts.ok()) << verdicts.status();
    for (const InstructionVerdict& each : *verdicts) EXPECT_FALSE(each.is_wrong()) << each.name;
    const WholeVerdict whole = ReportWhole(**module, inputs, golden, target, profile, RunBudget());
    EXPECT_TRUE(whole.is_wrong()) << rewrite.module << whole.status;
    std::vector<std::string> names;
    for (const Instruction* each : NotAskedAlone(**module, *verdicts)) {
      names.push_back(each->name());
    }
    EXPECT_EQ(absl::StrJoin(names, " "), rewrite.not_asked) << rewrite.module;
    GoldenBackend right;
    EXPECT_LE(ReportWhole(**module, inputs, golden, right, profile, RunBudget()).judgement.verdict,
              Verdict::kCorrectlyRounded);
  }
}

}  // namespace
}  // namespace assay::conformance
