// What is left of the computations that a module calls.
#include "fuzz/reduce/called_cuts.h"

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "fuzz/differential/ways.h"
#include "fuzz/programs/choices.h"
#include "fuzz/programs/decoder.h"
#include "fuzz/reduce/reducer.h"
#include "spec/testing/must_parse.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"
#include "spec/verify/verifier.h"

namespace assay::fuzz {
namespace called_cuts_test {
namespace {

Literal Value(absl::string_view text) {
  absl::StatusOr<Literal> literal = ParseTypedLiteral(text);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return *std::move(literal);
}

int64_t Count(const Module& module, Opcode opcode, absl::string_view in = "") {
  int64_t count = 0;
  for (const auto& computation : module.computations()) {
    if (!in.empty() && computation->name() != in) continue;
    for (const auto& each : computation->instructions()) count += each->opcode() == opcode;
  }
  return count;
}

// Valid, and no loop runs for ever.
void ExpectRuns(const Module& module, absl::Span<const DeviceInputs> inputs) {
  const Verification verification = VerifyModule(module, {Rules::kStrict});
  EXPECT_TRUE(verification.ok()) << VerificationStatus(verification) << PrintModule(module);
  RunBudget budget;
  budget.seconds = 5;
  const absl::Status status = RunByKernels(module, inputs, budget).status();
  EXPECT_TRUE(status.ok() || absl::IsUnimplemented(status)) << status << PrintModule(module);
}

// Reduces what a target that fails at modules like this one would show.
ReducedModule Reduce(absl::string_view text, const std::vector<Literal>& arguments,
                     const std::function<bool(const Module&)>& keeps) {
  const auto module = MustParse(std::string(text));
  const std::vector<DeviceInputs> inputs = {{arguments}};
  ExpectRuns(*module, inputs);
  EXPECT_TRUE(keeps(*module));
  const auto shows = [&](const Module& candidate, absl::Span<const DeviceInputs> values) {
    ExpectRuns(candidate, values);
    return keeps(candidate);
  };
  return ReduceModule(*module, inputs, shows, {});
}

// A target that fails at an operation in a branch, whether anything takes it or not.
TEST(CalledCuts, BranchesKeepWhatFails) {
  const char text[] =
      "yes { a = f32[4] parameter(0) n = f32[4] negate(a) s = f32[4] sine(n) d = f32[4] abs(n)\n"
      "  e = f32[4] cosine(d) ROOT r = f32[4] add(s, a) }\n"
      "no { b = f32[4] parameter(0) m = f32[4] multiply(b, b) ROOT t = f32[4] tanh(m) }\n"
      "ENTRY e { p = pred[] parameter(0) x = f32[4] parameter(1)\n"
      "  ROOT c = f32[4] conditional(p, x, x), true_computation=yes, false_computation=no }";
  const std::vector<Literal> arguments = {Value("pred[] true"), Value("f32[4] {1, 2, 3, 4}")};
  const ReducedModule used = Reduce(text, arguments, [](const Module& module) {
    return Count(module, Opcode::kConditional) == 1 && Count(module, Opcode::kSin) == 1;
  });
  // What leads to the sine, and the root, are left of one branch, the parameter of the other.
  EXPECT_EQ(used.module->Find("yes")->instruction_count(), 2) << PrintModule(*used.module);
  EXPECT_EQ(used.module->Find("no")->instruction_count(), 1) << PrintModule(*used.module);
  const ReducedModule unused = Reduce(text, arguments, [](const Module& module) {
    return Count(module, Opcode::kConditional) == 1 && Count(module, Opcode::kCos) == 1;
  });
  EXPECT_EQ(Count(*unused.module, Opcode::kCos), 1);
  EXPECT_EQ(unused.module->instruction_count(), 6) << PrintModule(*unused.module);
  // An operation that fails anywhere stands alone, out of its branch.
  const ReducedModule alone = Reduce(
      text, arguments, [](const Module& module) { return Count(module, Opcode::kTanh) == 1; });
  EXPECT_EQ(alone.module->computations().size(), 1);
  EXPECT_EQ(alone.module->instruction_count(), 2) << PrintModule(*alone.module);
}

TEST(CalledCuts, FusionsLoseResultsAndOperands) {
  const ReducedModule reduced = Reduce(
      "f { a = f32[4] parameter(0) b = f32[4] parameter(1) n = f32[4] negate(a)\n"
      "  s = f32[4] sine(b) m = f32[4] multiply(n, s)\n"
      "  ROOT t = (f32[4], f32[4], f32[4]) tuple(n, m, s) }\n"
      "ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1)\n"
      "  f = (f32[4], f32[4], f32[4]) fusion(x, y), kind=kLoop, calls=f\n"
      "  g = f32[4] get-tuple-element(f), index=2 h = f32[4] get-tuple-element(f), index=0\n"
      "  ROOT r = f32[4] add(g, h) }",
      {Value("f32[4] {1, 2, 3, 4}"), Value("f32[4] {5, 6, 7, 8}")}, [](const Module& module) {
        return Count(module, Opcode::kFusion) == 1 && Count(module, Opcode::kSin) == 1;
      });
  const Computation& fused = *reduced.module->Find("f");
  EXPECT_EQ(fused.instruction_count(), 3) << PrintModule(*reduced.module);
  EXPECT_EQ(fused.root()->operand_count(), 1) << PrintModule(*reduced.module);
  EXPECT_EQ(reduced.module->instruction_count(), 5) << PrintModule(*reduced.module);
  // The sine of the value that is left, which is zero.
  EXPECT_TRUE(Literal::BitEqual(reduced.inputs[0].arguments[0], Value("f32[1] {0}")));
  const auto outputs = RunByKernels(*reduced.module, reduced.inputs, RunBudget{});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_TRUE(Literal::BitEqual((*outputs)[0].result.element(0), Value("f32[1] {0}")));
}

// Of five results those two are left that only together show the failure.
TEST(CalledCuts, EntriesLoseSingleResults) {
  const ReducedModule reduced = Reduce(
      "ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) z = f32[4] parameter(2)\n"
      "  n = f32[4] negate(x) s = f32[4] sine(y) a = f32[4] add(n, z)\n"
      "  ROOT t = (f32[4], f32[4], f32[4], f32[4], f32[4]) tuple(x, s, z, n, a) }",
      {Value("f32[4] {1, 2, 3, 4}"), Value("f32[4] {5, 6, 7, 8}"), Value("f32[4] {0, 1, 0, 1}")},
      [](const Module& module) {
        return Count(module, Opcode::kSin) == 1 && Count(module, Opcode::kNegate) == 1;
      });
  EXPECT_EQ(reduced.module->entry()->root()->operand_count(), 2) << PrintModule(*reduced.module);
  EXPECT_EQ(reduced.module->instruction_count(), 5) << PrintModule(*reduced.module);
}

// Later results move up, in the tuple and where it is taken apart.
TEST(CalledCuts, ResultsKeepTheirValues) {
  const auto module = MustParse(
      "f { a = f32[2] parameter(0) u = f32[3] parameter(1) n = f32[2] negate(a)\n"
      "  s = f32[2] add(a, n) ROOT t = (f32[2], f32[2], f32[2]) tuple(a, n, s) }\n"
      "ENTRY e { x = f32[2] parameter(0) w = f32[3] parameter(1)\n"
      "  f = (f32[2], f32[2], f32[2]) call(x, w), to_apply=f\n"
      "  u = f32[2] get-tuple-element(f), index=1 v = f32[2] get-tuple-element(f), index=2\n"
      "  ROOT r = f32[2] subtract(v, u) }");
  const std::vector<DeviceInputs> inputs = {{{Value("f32[2] {1, 2}"), Value("f32[3] {1, 2, 3}")}}};
  const Instruction& call = *module->entry()->Find("f");
  for (const int64_t used : {1, 2}) EXPECT_FALSE(WithoutResult(*module, inputs, call, used));
  const std::optional<Cut> fewer = WithoutResult(*module, inputs, call, 0);
  ASSERT_TRUE(fewer);
  const std::optional<Cut> both =
      WithoutOperand(*fewer->module, inputs, *fewer->module->entry()->Find("f"), 1);
  ASSERT_TRUE(both);
  EXPECT_FALSE(WithoutOperand(*both->module, inputs, *both->module->entry()->Find("f"), 0));
  EXPECT_EQ(both->module->entry()->Find("f")->operand_count(), 1);
  EXPECT_EQ(both->module->entry()->Find("v")->GetInt(Attr::kIndex), 1);
  const auto outputs = RunByKernels(*both->module, inputs, RunBudget{});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_TRUE(Literal::BitEqual((*outputs)[0].result, Value("f32[2] {1, 2}")));
}

constexpr char kLoop[] =
    "step { x = s32[] parameter(0) one = s32[] constant(1) ROOT y = s32[] add(x, one) }\n"
    "body { s = (s32[], f32[4], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    "  v = f32[4] get-tuple-element(s), index=1 k = s32[] get-tuple-element(s), index=2\n"
    "  n = s32[] call(k), to_apply=step\n"
    "  w = f32[4] negate(v) q = f32[4] multiply(w, v) z = f32[4] sine(q)\n"
    "  ROOT t = (s32[], f32[4], s32[]) tuple(n, z, n) }\n"
    "cond { s = (s32[], f32[4], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    "  m = s32[] constant(5) ROOT c = pred[] compare(i, m), direction=LT }\n"
    "ENTRY e { z = s32[] constant(0) x = f32[4] parameter(0)\n"
    "  t = (s32[], f32[4], s32[]) tuple(z, x, z)\n"
    "  w = (s32[], f32[4], s32[]) while(t), condition=cond, body=body\n"
    "  ROOT r = f32[4] get-tuple-element(w), index=1 }";

// A loop still ends when its body has become small. Its counter comes from another one that the
// loop carries, by way of a call.
TEST(CalledCuts, LoopsEnd) {
  const std::vector<Literal> arguments = {Value("f32[4] {1, 2, 3, 4}")};
  const ReducedModule loop = Reduce(kLoop, arguments, [](const Module& module) {
    return Count(module, Opcode::kWhile) == 1 && Count(module, Opcode::kSin, "body") == 1;
  });
  EXPECT_EQ(Count(*loop.module, Opcode::kMultiply) + Count(*loop.module, Opcode::kNegate), 0)
      << PrintModule(*loop.module);
  // One iteration in its place.
  const ReducedModule once = Reduce(kLoop, arguments, [](const Module& module) {
    return Count(module, Opcode::kMultiply) == 1 && Count(module, Opcode::kNegate) == 1;
  });
  EXPECT_EQ(once.module->instruction_count(), 3) << PrintModule(*once.module);
}

TEST(CalledCuts, WhatCountsIsKept) {
  const auto module = MustParse(kLoop);
  const absl::flat_hash_set<const Instruction*> counters = CountersOfLoops(*module);
  const Computation& body = *module->Find("body");
  for (const char* name : {"n", "k", "t"}) EXPECT_TRUE(counters.contains(body.Find(name))) << name;
  for (const char* name : {"v", "w", "q", "z"}) {
    EXPECT_FALSE(counters.contains(body.Find(name))) << name;
  }
  EXPECT_TRUE(counters.contains(module->Find("step")->Find("y")));
  EXPECT_TRUE(counters.contains(module->Find("cond")->root()));
}

// The condition takes an element of a tuple of its own, which has more of them than the state.
TEST(CalledCuts, TuplesOfConditionsAreNotTheState) {
  std::string text = absl::StrReplaceAll(
      kLoop,
      {{"cond { s = (s32[], f32[4], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0",
        "cond { s = (s32[], f32[4], s32[]) parameter(0) j = s32[] get-tuple-element(s), index=0\n"
        "  own = (s32[], s32[], s32[], s32[], s32[]) tuple(j, j, j, j, j)\n"
        "  i = s32[] get-tuple-element(own), index=4"}});
  const auto module = MustParse(text);
  ASSERT_NE(module->Find("cond")->Find("own"), nullptr);
  const absl::flat_hash_set<const Instruction*> counters = CountersOfLoops(*module);
  const Computation& body = *module->Find("body");
  for (const char* name : {"n", "k", "t"}) EXPECT_TRUE(counters.contains(body.Find(name))) << name;
  EXPECT_FALSE(counters.contains(body.Find("z")));
}

TEST(CalledCuts, OrderIsKept) {
  const auto module = MustParse(
      "ENTRY e { x = f32[] parameter(0) a = f32[] negate(x) b = f32[] abs(x)\n"
      "  ROOT r = f32[] add(x, b), control-predecessors={a} }");
  const std::vector<DeviceInputs> inputs = {{{Value("f32[] 1")}}};
  const Computation& entry = *module->entry();
  // It has no users, and comes first.
  EXPECT_FALSE(WithoutUnused(*module, inputs, *entry.Find("a")));
  EXPECT_FALSE(WithEarlier(*module, inputs, *entry.Find("a"), *entry.Find("b")));
  const std::optional<Cut> other = WithEarlier(*module, inputs, *entry.Find("b"), *entry.Find("x"));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->module->instruction_count(), 3) << PrintModule(*other->module);
}

// Every change of every instruction of random programs is a valid program that ends.
TEST(CalledCuts, AllChangesOfProgramsAreValid) {
  const Grammar grammar = *Grammar::Create();
  int64_t changes = 0;
  for (int64_t seed = 0; changes < 600 && seed < 3000; ++seed) {
    FuzzProgram program = DecodeProgram(grammar, RandomBytes(3, seed, 6));
    const auto inputs = MakeInputs(program);
    ASSERT_TRUE(inputs.ok());
    const Module& module = *program.module;
    if (module.computations().size() < 3 || HasEffects(module)) continue;
    const absl::flat_hash_set<const Instruction*> counters = CountersOfLoops(module);
    const auto expect = [&](std::optional<Cut> cut) {
      if (!cut) return;
      ExpectRuns(*cut->module, cut->inputs);
      ++changes;
    };
    for (const auto& computation : module.computations()) {
      for (const auto& each : computation->instructions()) {
        if (computation.get() != module.entry() && !counters.contains(each.get())) {
          for (const Instruction* operand : each->operands()) {
            expect(WithEarlier(module, *inputs, *each, *operand));
          }
          if (each->opcode() != Opcode::kParameter) expect(WithZeros(module, *inputs, *each));
        }
        expect(WithoutUnused(module, *inputs, *each));
        if (each->shape().is_tuple()) expect(WithoutResult(module, *inputs, *each, 0));
        if (each->operand_count() > 0) expect(WithoutOperand(module, *inputs, *each, 0));
      }
    }
    for (const Inlining& inlining : Inlinings(module)) {
      expect(WithInlined(module, *inputs, inlining));
    }
  }
  EXPECT_GE(changes, 600);
}

}  // namespace
}  // namespace called_cuts_test
}  // namespace assay::fuzz
