// The runtime under an engine that is not golden: whatever runs here, runs without the evaluator.
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/plan.h"
#include "runtime/queue_host.h"
#include "runtime/run.h"
#include "runtime/testing/toy_engine.h"
#include "runtime/value_memory.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Literal Value(const std::string& text) { return *ParseTypedLiteral(text); }

// The results by process, or the error.
std::vector<std::string> RunOn(const Engine& engine, const std::string& text,
                               const std::vector<std::vector<std::string>>& arguments,
                               const RunOptions& options = {}, RunStats* stats = nullptr) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto plan = ModulePlan::Create(**module, engine);
  if (!plan.ok()) return {std::string(plan.status().message())};
  std::vector<std::vector<Literal>> values;
  for (const auto& own : arguments) {
    auto& literals = values.emplace_back();
    for (const std::string& argument : own) literals.push_back(Value(argument));
  }
  Program program;
  program.module = plan->get();
  program.grid = {static_cast<int64_t>(arguments.size()), 1};
  program.arguments = values;
  const auto results = RunPrograms(absl::MakeConstSpan(&program, 1), options, stats);
  if (!results.ok()) return {std::string(results.status().message())};
  std::vector<std::string> texts;
  for (const Literal& result : results->front()) texts.push_back(PrintTypedLiteral(result));
  return texts;
}

std::vector<std::string> RunToy(const std::string& text,
                                const std::vector<std::vector<std::string>>& arguments,
                                const RunOptions& options = {}, RunStats* stats = nullptr) {
  return RunOn(ToyEngine(), text, arguments, options, stats);
}

std::string Text(const std::string& literal) { return PrintTypedLiteral(Value(literal)); }

TEST(EngineTest, Operations) {
  EXPECT_THAT(RunToy(R"(HloModule m
ENTRY e {
  a = s32[3] parameter(0)
  b = s32[3] parameter(1)
  sum = s32[3] add(a, b)
  product = s32[3] multiply(sum, b)
  less = pred[3] compare(a, product), direction=LT
  ROOT r = (s32[3], pred[3]) tuple(product, less)
})",
                     {{"s32[3] {1, 2, -3}", "s32[3] {4, 2147483647, 1}"}}),
              ElementsAre(Text("(s32[3] {20, -1, -2}, pred[3] {1, 0, 1})")));
}

// 2^n by doubling: the state are arrays larger than what lies in a frame, too.
TEST(EngineTest, LoopsCallsAndBranches) {
  const std::string text = R"(HloModule m
double { x = s32[100] parameter(0) ROOT d = s32[100] add(x, x) }
same { x = s32[100] parameter(0) ROOT c = s32[100] copy(x) }
square { x = s32[100] parameter(0) ROOT d = s32[100] multiply(x, x) }
condition {
  s = (s32[], s32[], s32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  ROOT less = pred[] compare(i, n), direction=LT
}
body {
  s = (s32[], s32[], s32[100]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] get-tuple-element(s), index=1
  x = s32[100] get-tuple-element(s), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  doubled = s32[100] call(x), to_apply=double
  ROOT r = (s32[], s32[], s32[100]) tuple(next, n, doubled)
}
ENTRY e {
  n = s32[] parameter(0)
  x = s32[100] parameter(1)
  zero = s32[] constant(0)
  start = (s32[], s32[], s32[100]) tuple(zero, n, x)
  loop = (s32[], s32[], s32[100]) while(start), condition=condition, body=body
  y = s32[100] get-tuple-element(loop), index=2
  three = s32[] constant(3)
  more = pred[] compare(n, three), direction=GT
  ROOT r = s32[100] conditional(more, y, y), true_computation=square, false_computation=same
})";
  const auto all = [](int x) {
    std::string values = absl::StrCat("s32[100] {", x);
    for (int i = 1; i < 100; ++i) absl::StrAppend(&values, ", ", x);
    return values + "}";
  };
  EXPECT_THAT(RunToy(text, {{"s32[] 0", all(3)}}), ElementsAre(Text(all(3))));
  EXPECT_THAT(RunToy(text, {{"s32[] 3", all(3)}}), ElementsAre(Text(all(24))));
  EXPECT_THAT(RunToy(text, {{"s32[] 4", all(3)}}), ElementsAre(Text(all(48 * 48))));
}

constexpr char kAllReduce[] = R"(HloModule m
product { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] multiply(x, y) }
ENTRY e {
  x = s32[2] parameter(0)
  ROOT r = s32[2] all-reduce(x), replica_groups={{0,1},{2}}, to_apply=product
})";

TEST(EngineTest, Collectives) {
  EXPECT_THAT(
      RunToy(kAllReduce, {{"s32[2] {2, 3}"}, {"s32[2] {5, 7}"}, {"s32[2] {11, 13}"}}),
      ElementsAre(Text("s32[2] {10, 21}"), Text("s32[2] {10, 21}"), Text("s32[2] {11, 13}")));
}

TEST(EngineTest, CollectivesInTwoHalvesAndPermutations) {
  EXPECT_THAT(RunToy(R"(HloModule m
ENTRY e {
  x = s32[2] parameter(0)
  start = (s32[2], s32[2]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  double = s32[2] add(x, x)
  done = s32[2] collective-permute-done(start)
  ROOT r = s32[2] add(double, done)
})",
                     {{"s32[2] {1, 2}"}, {"s32[2] {10, 20}"}}),
              ElementsAre(Text("s32[2] {12, 24}"), Text("s32[2] {21, 42}")));
}

TEST(EngineTest, Feeds) {
  QueueHost host;
  host.PutInfeed({}, Value("s32[2] {1, 2}"));
  host.PutInfeed({}, Value("s32[2] {3, 4}"));
  RunOptions options;
  options.host = &host;
  EXPECT_THAT(RunToy(R"(HloModule m
ENTRY e {
  t = token[] after-all()
  first = (s32[2], token[]) infeed(t)
  a = s32[2] get-tuple-element(first), index=0
  t1 = token[] get-tuple-element(first), index=1
  second = (s32[2], token[]) infeed(t1)
  b = s32[2] get-tuple-element(second), index=0
  t2 = token[] get-tuple-element(second), index=1
  product = s32[2] multiply(a, b)
  fed = token[] outfeed(product, t2), outfeed_shape=s32[2]
  ROOT r = s32[2] add(a, b)
})",
                     {{}}, options),
              ElementsAre(Text("s32[2] {4, 6}")));
  ASSERT_EQ(host.outfed({}).size(), 1);
  EXPECT_EQ(PrintTypedLiteral(host.outfed({})[0]), Text("s32[2] {3, 8}"));
}

constexpr char kDoubled[] =
    "HloModule m ENTRY e { x = s32[100] parameter(0) ROOT r = s32[100] add(x, x) }";
std::string Zeros() { return PrintTypedLiteral(Literal::Zeros(Shape(ElementType::kS32, {100}))); }

TEST(EngineTest, StatisticsOfTheRuntimeAlone) {
  RunStats stats;
  RunToy(kDoubled, {{Zeros()}}, {}, &stats);
  EXPECT_EQ(stats.stored_bytes, 400);
  EXPECT_EQ(stats.steps, 101);  // the instruction, and its elements
  EXPECT_EQ(stats.peak_bytes, 800);
}

TEST(EngineTest, WhatTheEngineDoesNotCompute) {
  EXPECT_THAT(RunToy("HloModule m ENTRY e { x = s32[2] parameter(0) ROOT r = s32[2] negate(x) }",
                     {{"s32[2] {1, 2}"}}),
              ElementsAre(HasSubstr("the toy engine has no %r = s32[2] negate")));
  EXPECT_THAT(RunToy("HloModule m ENTRY e { x = s32[2] parameter(0) "
                     "ROOT r = s32[2] custom-call(x), custom_call_target=\"f\" }",
                     {{"s32[2] {1, 2}"}}),
              ElementsAre(HasSubstr("the toy engine has no %r = s32[2] custom-call")));
}

// Asks for the storage of an operand that its kernels do not have.
class OverreachingEngine : public ToyEngine {
 public:
  KernelOr Prepare(const Instruction& /*op*/) const override { return std::make_unique<Copy>(); }
  KernelOr PrepareFusion(const Instruction& /*fusion*/) const override {
    return std::make_unique<Copy>();
  }

 private:
  class Copy : public Kernel {
   public:
    absl::Status Execute(absl::Span<const ArrayRef> /*operands*/,
                         absl::Span<const MutableArrayRef> /*results*/,
                         Context& /*context*/) const override {
      return absl::OkStatus();
    }
    int in_place_operand() const override { return 1; }
  };
};

TEST(EngineTest, StorageOfAnOperandThatThereIsNot) {
  for (const char* text :
       {"HloModule m ENTRY e { x = s32[100] parameter(0) ROOT r = s32[100] negate(x) }",
        "HloModule m f { x = s32[100] parameter(0) ROOT r = s32[100] negate(x) } "
        "ENTRY e { x = s32[100] parameter(0) ROOT r = s32[100] fusion(x), kind=kLoop, calls=f }"}) {
    const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status();
    const OverreachingEngine engine;
    const auto plan = ModulePlan::Create(**module, engine);
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kInternal);
    EXPECT_THAT(std::string(plan.status().message()),
                HasSubstr("asks for the storage of operand 1 of the 1 that it reads"));
  }
}

// Notes the loops and fusions that it is offered, and takes none.
class AskedEngine : public ToyEngine {
 public:
  KernelOr PrepareLoop(const Instruction& loop) const override {
    asked.push_back(loop.name());
    return nullptr;
  }
  KernelOr PrepareFusion(const Instruction& fusion) const override {
    asked.push_back(fusion.name());
    return nullptr;
  }
  mutable std::vector<std::string> asked;
};

// The instructions that an engine is offered as a whole.
std::vector<std::string> Asked(absl::string_view text, bool observed = false) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  const AskedEngine engine;
  PlanOptions options;
  options.observed = observed;
  const auto plan = ModulePlan::Create(**module, engine, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return engine.asked;
}

// A loop whose state is a counter and one value more.
std::string LoopOn(absl::string_view type, absl::string_view body = "") {
  return absl::StrReplaceAll(
      R"(HloModule m
      body { s = (s32[], $T) parameter(0) k = s32[] get-tuple-element(s), index=0
        x = $T get-tuple-element(s), index=1 one = s32[] constant(1) n = s32[] add(k, one) $B
        ROOT t = (s32[], $T) tuple(n, x) }
      cond { s = (s32[], $T) parameter(0) k = s32[] get-tuple-element(s), index=0
        five = s32[] constant(5) ROOT p = pred[] compare(k, five), direction=LT }
      ENTRY e { z = s32[] constant(0) x = $T parameter(0) i = (s32[], $T) tuple(z, x)
        ROOT loop = (s32[], $T) while(i), condition=cond, body=body })",
      {{"$T", type}, {"$B", body}});
}

TEST(EngineTest, IsOfferedLoopsOnStaticArraysAlone) {
  EXPECT_THAT(Asked(LoopOn("s32[3]")), ElementsAre("loop"));
  EXPECT_THAT(Asked(LoopOn("(s32[3], s32[])")), ElementsAre("loop"));
  EXPECT_THAT(Asked(LoopOn("s32[<=3]")), ElementsAre());
  EXPECT_THAT(Asked(LoopOn("token[]")), ElementsAre());
  EXPECT_THAT(Asked(LoopOn("s32[3]",
                           "o = token[] after-all() f = token[] outfeed(x, o), "
                           "outfeed_shape=s32[3]")),
              ElementsAre());
  EXPECT_THAT(Asked(LoopOn("s32[3]"), /*observed=*/true), ElementsAre());
}

TEST(EngineTest, IsOfferedFusionsAlone) {
  constexpr absl::string_view kText = R"(HloModule m
      f { x = s32[3] parameter(0) ROOT r = s32[3] add(x, x) }
      g { x = s32[3] parameter(0) ROOT r = s32[3] add(x, x) }
      ENTRY e { x = s32[3] parameter(0) c = s32[3] call(x), to_apply=g
        ROOT fused = s32[3] fusion(c), kind=kLoop, calls=f })";
  EXPECT_THAT(Asked(kText), ElementsAre("fused"));
  EXPECT_THAT(Asked(kText, /*observed=*/true), ElementsAre());
}

// Is asked for kernels on views, and has none.
class DenseEngine : public ToyEngine {
 public:
  bool ReadsViews() const override { return true; }
  KernelOr PrepareOnViews(const Instruction& instruction,
                          absl::Span<const View> /*views*/) const override {
    asked.push_back(instruction.name());
    return nullptr;
  }
  mutable std::vector<std::string> asked;
};

// A view that two instructions would read: the one in front of an array, the other behind it.
TEST(EngineTest, ViewsThatAnEngineDoesNotReadAreStored) {
  const auto array = [](const std::function<int(int)>& value) {
    std::string values;
    for (int i = 0; i < 100; ++i) absl::StrAppend(&values, i == 0 ? "" : ", ", value(i));
    return absl::StrCat("s32[100] {", values, "}");
  };
  const DenseEngine engine;
  EXPECT_THAT(RunOn(engine, R"(HloModule m
ENTRY e {
  x = s32[100] parameter(0)
  y = s32[100] parameter(1)
  a = s32[100] add(x, x)
  r = s32[100] reverse(a), dimensions={0}
  s = s32[100] multiply(r, y)
  ROOT t = s32[100] add(s, r)
})",
                    {{array([](int i) { return i; }), array([](int i) { return 3 * i; })}}),
              ElementsAre(Text(array([](int i) { return 2 * (99 - i) * (3 * i + 1); }))));
  EXPECT_THAT(engine.asked, ElementsAre("s"));
}

// Notes what its state is told of.
class NotingEngine : public ToyEngine {
 public:
  std::unique_ptr<EngineState> NewState(bool /*counted*/) const override {
    return std::make_unique<State>(*this);
  }
  mutable std::vector<std::string> noted;

 private:
  class State : public ToyState {
   public:
    explicit State(const NotingEngine& engine) : engine_(engine) {}
    void AfterStep(const Instruction& instruction) override {
      engine_.noted.push_back(instruction.name());
    }

   private:
    const NotingEngine& engine_;
  };
};

// An engine whose values lie in a memory of its own.
class ToyDevice : public DeviceEngine {
 public:
  bool AppliesRegion(const Computation& region) const override {
    return toy_.AppliesRegion(region);
  }
  KernelOr Prepare(const Instruction& op) const override { return toy_.Prepare(op); }
  KernelOr PrepareCollective(const Instruction& collective, int64_t members,
                             int64_t position) const override {
    return toy_.PrepareCollective(collective, members, position);
  }
  EffectOr PrepareEffect(const Instruction& op) const override { return toy_.PrepareEffect(op); }
  std::unique_ptr<EngineState> NewState(bool counted) const override {
    return toy_.NewState(counted);
  }
  KernelOr PrepareViewCopy(const View& /*view*/, ElementType /*type*/) const override {
    return absl::UnimplementedError("the toy engine copies no views");
  }

 private:
  ToyEngine toy_;
};

// Frames lie in the memory of the host.
TEST(EngineTest, ValuesOfDevicesLieInNoFrames) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(R"(HloModule m
    ENTRY e { x = s32[200] parameter(0) y = s32[] parameter(1) z = s32[] add(y, y)
      a = s32[200] add(x, x) b = s32[200] multiply(a, x) c = s32[200] add(b, a)
      d = s32[200] add(c, b) ROOT r = (s32[200], s32[]) tuple(d, z) })");
  ASSERT_TRUE(module.ok()) << module.status();
  const ToyEngine toy;
  const ToyDevice device;
  for (const bool on_device : {false, true}) {
    const Engine& engine = on_device ? static_cast<const Engine&>(device) : toy;
    const auto plan = ModulePlan::Create(**module, engine);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const ComputationPlan& entry = *(*plan)->plan_of(*(*module)->entry());
    int small = 0, local = 0;
    for (const Slot& slot : entry.slots) {
      small += slot.in_frame && !slot.is_local;
      local += slot.is_local;
    }
    // y and z; a and b, for the root takes the buffer of c.
    EXPECT_EQ(small, on_device ? 0 : 2);
    EXPECT_EQ(local, on_device ? 0 : 2);
    EXPECT_EQ(entry.arena_bytes == 0, on_device);
  }
}

// The iterations of the loop of LoopOn as its plan knows them; -1 if the condition is asked.
int64_t PlannedTrips(const Engine& engine, const std::string& text, bool observed = false) {
  const absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return -3;
  PlanOptions options;
  options.observed = observed;
  const auto plan = ModulePlan::Create(**module, engine, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return -3;
  for (const Step& step : (*plan)->plan_of(*(*module)->entry())->steps) {
    if (step.kind == StepKind::kWhile) return step.trips;
  }
  return -3;
}

// On a device, a condition that has no effects is not asked if the number of iterations is known.
TEST(EngineTest, CountedLoopsAskNoConditionsOnDevices) {
  const ToyEngine toy;
  const ToyDevice device;
  const std::string loop = LoopOn("s32[100]");
  EXPECT_EQ(PlannedTrips(device, loop), 5);
  EXPECT_EQ(PlannedTrips(device, loop, /*observed=*/true), -1);
  EXPECT_EQ(PlannedTrips(toy, loop), -1);
  const std::string telling = absl::StrReplaceAll(
      loop, {{"five = ", "after = token[] after-all() told = token[] outfeed(k, after) five = "}});
  EXPECT_EQ(PlannedTrips(device, telling), -1);
  const std::string endless = absl::StrReplaceAll(loop, {{"add(k, one)", "add(k, k)"}});
  EXPECT_EQ(PlannedTrips(device, endless), -1);
}

TEST(EngineTest, StatisticsAreToldOfKernelsAndEffects) {
  constexpr char kText[] = R"(HloModule m
sum { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] add(x, y) }
ENTRY e {
  x = s32[2] parameter(0)
  double = s32[2] add(x, x)
  ROOT total = s32[2] all-reduce(double), replica_groups={{0}}, to_apply=sum
})";
  const NotingEngine engine;
  RunStats stats;
  EXPECT_THAT(RunOn(engine, kText, {{"s32[2] {1, 2}"}}, {}, &stats),
              ElementsAre(Text("s32[2] {2, 4}")));
  EXPECT_THAT(engine.noted, ElementsAre("double", "total"));
  engine.noted.clear();
  RunOn(engine, kText, {{"s32[2] {1, 2}"}});
  EXPECT_THAT(engine.noted, ElementsAre());
}

TEST(EngineTest, Budgets) {
  RunOptions options;
  options.budget.steps = 50;
  EXPECT_THAT(RunToy(kDoubled, {{Zeros()}}, options), ElementsAre(HasSubstr("while running")));
  options = {};
  options.budget.bytes = 700;
  EXPECT_THAT(RunToy(kDoubled, {{Zeros()}}, options), ElementsAre(HasSubstr("700")));
}

}  // namespace
}  // namespace assay::runtime
