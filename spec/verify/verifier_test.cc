// What no text can say (its reader refuses it first): graphs, names, numbers and schedules that a
// program has put together wrongly. Also that all findings come in one pass, bounded, and that
// neither depth nor size nor huge replica groups hurt.
#include "spec/verify/verifier.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

std::string Clauses(const Module& module) {
  return absl::StrJoin(
      VerifyModule(module).findings, " ",
      [](std::string* out, const Finding& finding) { absl::StrAppend(out, finding.clause); });
}

// A module to spoil: x, y = negate(x), z = add(y, y); a callee.
class Spoiled : public testing::Test {
 protected:
  Spoiled()
      : module_(MustParse(R"(HloModule m, is_scheduled=true
callee {
  ROOT a = f32[2] parameter(0)
}
ENTRY e {
  x = f32[2] parameter(0)
  w = f32[2] parameter(1)
  y = f32[2] call(x), to_apply=callee
  ROOT z = f32[2] add(y, w)
})")),
        entry_(module_->entry()),
        callee_(module_->Find("callee")) {
    EXPECT_EQ(Clauses(*module_), "");
  }
  Instruction* At(absl::string_view name) { return entry_->Find(name); }

  std::unique_ptr<Module> module_;
  Computation* entry_;
  Computation* callee_;
};

TEST_F(Spoiled, EntryOfAnotherModule) {
  const std::unique_ptr<Module> other = MustParse("ENTRY o { ROOT x = f32[2] parameter(0) }");
  module_->set_entry(other->entry());
  EXPECT_EQ(Clauses(*module_), "graph_c1");
}

TEST_F(Spoiled, EmptyComputation) {
  module_->Add(std::make_unique<Computation>("empty"));
  EXPECT_EQ(Clauses(*module_), "graph_c2");
}

TEST_F(Spoiled, RootElsewhere) {
  entry_->set_root(callee_->root());
  EXPECT_EQ(Clauses(*module_), "graph_c3");
}

TEST_F(Spoiled, OperandElsewhere) {
  At("z")->set_operands({At("y"), callee_->root()});
  EXPECT_EQ(Clauses(*module_), "graph_c4");
  At("z")->set_operands({At("y"), nullptr});
  EXPECT_EQ(Clauses(*module_), "graph_c4");
}

TEST_F(Spoiled, ControlPredecessorElsewhere) {
  At("z")->AddControlPredecessor(callee_->root());
  EXPECT_EQ(Clauses(*module_), "graph_c5");
}

TEST_F(Spoiled, CycleOfOperands) {
  module_->is_scheduled = false;
  At("y")->set_operands({At("z")});
  EXPECT_EQ(Clauses(*module_), "graph_c6");
}

TEST_F(Spoiled, CycleOfControl) {
  module_->is_scheduled = false;
  At("y")->AddControlPredecessor(At("z"));
  EXPECT_EQ(Clauses(*module_), "graph_c6");
}

TEST_F(Spoiled, NamesTwice) {
  Instruction* y = At("y");
  y->set_name("x");
  EXPECT_EQ(Clauses(*module_), "name_c2");
  y->set_name("y");
  callee_->set_name("e");
  EXPECT_EQ(Clauses(*module_), "name_c1");
}

TEST_F(Spoiled, ParameterNumbers) {
  At("w")->set_parameter_number(2);
  EXPECT_EQ(Clauses(*module_), "parameter_c2");
  At("w")->set_parameter_number(0);
  EXPECT_EQ(Clauses(*module_), "parameter_c2");
}

TEST_F(Spoiled, CalleeOfAnotherModule) {
  const std::unique_ptr<Module> other = MustParse("ENTRY o { ROOT x = f32[2] parameter(0) }");
  At("y")->SetAttribute(Attr::kToApply, other->entry());
  EXPECT_EQ(Clauses(*module_), "calls_c1");
}

TEST_F(Spoiled, SelfCall) {
  auto again = std::make_unique<Instruction>(Opcode::kCall, Shape(ElementType::kF32, {2}));
  again->set_name("again");
  again->AppendOperand(callee_->root());
  again->SetAttribute(Attr::kToApply, callee_);
  module_->is_scheduled = false;
  callee_->Add(std::move(again));
  // The caller stands above the cycle.
  EXPECT_EQ(Clauses(*module_), "calls_c2 calls_c2");
}

TEST(Verifier, FusedEntry) {
  const std::unique_ptr<Module> module = MustParse(R"(HloModule m
f {
  a = f32[2] parameter(0)
  ROOT r = f32[2] negate(a)
}
ENTRY e {
  x = f32[2] parameter(0)
  ROOT y = f32[2] fusion(x), kind=kLoop, calls=f
})");
  EXPECT_EQ(Clauses(*module), "");
  module->set_entry(module->Find("f"));
  EXPECT_EQ(Clauses(*module), "calls_c3");
}

TEST_F(Spoiled, Schedules) {
  entry_->set_schedule({At("x"), At("w"), At("y")});
  EXPECT_EQ(Clauses(*module_), "schedule_c2");
  entry_->set_schedule({At("x"), At("w"), At("y"), At("z"), At("x")});
  EXPECT_EQ(Clauses(*module_), "schedule_c2");
  entry_->set_schedule({At("y"), At("x"), At("w"), At("z")});
  EXPECT_EQ(Clauses(*module_), "schedule_c3");
  entry_->set_schedule({});
  EXPECT_EQ(Clauses(*module_), "schedule_c1");
}

TEST(Verifier, FindsEverythingInOnePassWithItsPlace) {
  const std::unique_ptr<Module> module = MustParse(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[3] negate(x)
  z = f32[2] add(x, y)
  ROOT r = f32[2,2] reverse(x), dimensions={1}
})");
  const Verification result = VerifyModule(*module);
  ASSERT_EQ(result.findings.size(), 3u);
  const Finding& first = result.findings[0];
  EXPECT_EQ(first.clause, "shape_c2");
  EXPECT_EQ(first.instruction, "y");
  EXPECT_EQ(first.computation, "e");
  EXPECT_EQ(first.position.line, 4);
  EXPECT_EQ(first.position.column, 3);
  EXPECT_EQ(first.expected, "operands and attributes give the shape f32[2]");
  EXPECT_EQ(first.found, "f32[3]");
  EXPECT_EQ(result.findings[1].clause, "binary_c3");
  EXPECT_EQ(result.findings[2].clause, "reverse_c2");
  EXPECT_THAT(std::string(VerificationStatus(result).message()), HasSubstr("[shape_c2]"));
  EXPECT_THAT(std::string(VerificationStatus(result).message()), HasSubstr("2 more"));
}

TEST(Verifier, CountsWhatItDoesNotKeep) {
  std::string text = "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n";
  for (int i = 0; i < 50; ++i) absl::StrAppend(&text, "  y", i, " = f32[3] negate(x)\n");
  absl::StrAppend(&text, "  ROOT r = f32[2] negate(x)\n}\n");
  VerifyOptions options;
  options.max_findings = 10;
  const Verification result = VerifyModule(*MustParse(text), options);
  EXPECT_EQ(result.findings.size(), 10u);
  EXPECT_EQ(result.left_out, 40);
}

TEST(Verifier, ReplicaGroupsOfABillionCostNothing) {
  constexpr absl::string_view kText = R"(HloModule m, replica_count=%d
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[2] parameter(0)
  ROOT r = f32[2] all-reduce(x), replica_groups=[1,1000000000]<=[1000000000], to_apply=add
})";
  std::string good(kText), bad(kText);
  good.replace(good.find("%d"), 2, "1000000000");
  bad.replace(bad.find("%d"), 2, "1000");
  EXPECT_EQ(Clauses(*MustParse(good)), "");
  EXPECT_EQ(Clauses(*MustParse(bad)), "group_c4");
}

// 100,000 calls in a chain of computations, and one computation of 100,000 instructions with a
// cycle at its end.
TEST(Verifier, DepthDoesNotMatter) {
  constexpr int kDepth = 100'000;
  Module module("deep");
  const Shape shape(ElementType::kF32, {2});
  Computation* callee = nullptr;
  for (int i = 0; i < kDepth; ++i) {
    Computation* computation = module.Add(std::make_unique<Computation>(absl::StrCat("c", i)));
    auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
    parameter->set_parameter_number(0);
    parameter->set_name(absl::StrCat("p", i));
    Instruction* last = computation->Add(std::move(parameter));
    if (callee != nullptr) {
      auto call = std::make_unique<Instruction>(Opcode::kCall, shape);
      call->set_name(absl::StrCat("r", i));
      call->AppendOperand(last);
      call->SetAttribute(Attr::kToApply, callee);
      computation->Add(std::move(call));
    }
    callee = computation;
  }
  EXPECT_EQ(Clauses(module), "");
  Instruction* last = callee->root();
  for (int i = 0; i < kDepth; ++i) {
    auto negate = std::make_unique<Instruction>(Opcode::kNegate, shape);
    negate->set_name(absl::StrCat("n", i));
    negate->AppendOperand(last);
    last = callee->Add(std::move(negate));
  }
  EXPECT_EQ(Clauses(module), "");
  callee->instruction(2)->set_operands({last});
  EXPECT_EQ(Clauses(module), "graph_c6");
}

}  // namespace
}  // namespace assay
