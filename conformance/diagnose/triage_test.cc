// Modules that differ for the same reason are in one group, and the reason is their first wrong
// instruction.
#include "conformance/diagnose/triage.h"

#include "backends/golden/golden_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/literals.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

using ::testing::HasSubstr;

constexpr char kProgram[] =
    "HloModule m\nENTRY e { x = f32[2] parameter(0)\n y = f32[2] tanh(x)\n"
    " ROOT z = f32[2] add(y, y) }\n";

class TriageTest : public testing::Test {
 protected:
  TriageTest() : profile_(*TargetProfile::Find("xla-cpu")) {}
  TriageEntry Of(const std::string& text, std::optional<std::vector<Literal>> actual,
                 Backend* target) {
    auto module = ParseModule(text);
    EXPECT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
    return Triage({"m.hlo", module_.get(), {{F32({0.5f, 1})}}, std::move(actual)}, target, profile_,
                  budget_);
  }
  RunBudget budget_;
  TargetProfile profile_;
  std::unique_ptr<Module> module_;
};

TEST_F(TriageTest, StoredResultsAreHeldAgainstTheWholeProgram) {
  // 2 tanh(0.5) = 0.92423431, 2 tanh(1) = 1.5231884; an ulp there is 2^-24 and 2^-23, and 6 units
  // of tanh are allowed.
  TriageEntry entry = Of(kProgram, {{F32({0.92423431f, 1.5231884f})}}, nullptr);
  EXPECT_EQ(entry.triage_class, TriageClass::kEqual) << entry.detail;
  entry = Of(kProgram, {{F32({0.92423431f + 5 * 0x1p-24f, 1.5231884f})}}, nullptr);
  EXPECT_EQ(entry.triage_class, TriageClass::kWithinBound) << entry.detail;
  entry = Of(kProgram, {{F32({0.92423431f, 1.5241884f})}}, nullptr);
  EXPECT_EQ(entry.triage_class, TriageClass::kWrong);
  EXPECT_EQ(entry.operation, "add f32");
  EXPECT_THAT(entry.detail, HasSubstr("element [1]"));
  entry = Of(kProgram, std::nullopt, nullptr);
  EXPECT_EQ(entry.triage_class, TriageClass::kBroken);
}

// Both results are wrong; only the first can be without the other.
TEST_F(TriageTest, StoredResultsNameTheArrayThatComesFromLeast) {
  constexpr char kTwoResults[] =
      "HloModule m\nENTRY e { x = f32[2] parameter(0)\n y = f32[2] tanh(x)\n"
      " z = f32[2] add(y, y)\n n = f32[2] negate(x)\n ROOT t = tuple(z, n, y) }\n";
  const Literal wrong = F32({5, 5}), negated = F32({-0.5f, -1});
  TriageEntry entry = Of(kTwoResults, {{Literal::Tuple({wrong, negated, wrong})}}, nullptr);
  EXPECT_EQ(entry.triage_class, TriageClass::kWrong);
  EXPECT_EQ(entry.operation, "tanh f32");
  EXPECT_EQ(entry.instruction, "y");
  EXPECT_THAT(entry.detail, testing::Not(HasSubstr("any of them")));
  const Literal tanh = F32({0.46211716f, 0.76159416f});
  entry = Of(kTwoResults, {{Literal::Tuple({wrong, negated, tanh})}}, nullptr);
  EXPECT_EQ(entry.instruction, "z");
  EXPECT_THAT(entry.detail, HasSubstr("from 2 instructions, and any of them may be wrong"));
}

// 0.46211716 is golden's tanh(0.5), whose budget has zero between its ends after the subtraction.
TEST_F(TriageTest, WhatIsNotJudgeableSaysOfHowManyElements) {
  const TriageEntry entry =
      Of("HloModule m\nENTRY e { x = f32[2] parameter(0)\n y = f32[2] tanh(x)\n"
         " c = f32[2] constant({0.46211716, 0})\n d = f32[2] subtract(y, c)\n"
         " one = f32[2] constant({1, 1})\n ROOT q = f32[2] divide(one, d) }\n",
         {{F32({3e7f, 1.3130353f})}}, nullptr);
  EXPECT_EQ(entry.triage_class, TriageClass::kNotJudgeable) << entry.detail;
  EXPECT_THAT(entry.detail, testing::StartsWith("of 1 of 2 elements: nothing follows"));
}

// Golden's own refusal says nothing of the target.
TEST_F(TriageTest, GoldensBudgetIsNoFaultOfTheTarget) {
  GoldenBackend golden;
  budget_.steps = 1;
  for (Backend* target : {static_cast<Backend*>(&golden), static_cast<Backend*>(nullptr)}) {
    const TriageEntry entry = Of(kProgram, {{F32({1, 1})}}, target);
    EXPECT_EQ(entry.triage_class, TriageClass::kBroken) << entry.detail;
    EXPECT_EQ(entry.kind, "golden's budget is spent");
  }
}

TEST_F(TriageTest, GoldenAsTargetIsEqual) {
  GoldenBackend golden;
  const TriageEntry entry = Of(kProgram, std::nullopt, &golden);
  EXPECT_EQ(entry.triage_class, TriageClass::kEqual) << entry.detail;
  EXPECT_EQ(entry.instructions, 3);
}

// Right for every instruction alone; the whole is off by one ulp of its addition, which the
// interval of the program has room for.
class OneUlpInTheWhole : public GoldenBackend {
 public:
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options) override {
    whole_ = module.name() == "m";
    return GoldenBackend::Compile(module, options);
  }
  absl::StatusOr<Literal> Download(const Buffer& buffer) override {
    absl::StatusOr<Literal> value = GoldenBackend::Download(buffer);
    if (!value.ok() || !whole_) return value;
    for (int64_t i = 0; i < value->element_count(); ++i) {
      value->Set(i, Element{value->Get(i).bits + 1});
    }
    return value;
  }

 private:
  bool whole_ = false;
};

TEST_F(TriageTest, AResultInsideItsIntervalIsNotEqual) {
  OneUlpInTheWhole target;
  const TriageEntry entry = Of(kProgram, std::nullopt, &target);
  EXPECT_EQ(entry.triage_class, TriageClass::kWithinBound) << entry.detail;
  EXPECT_EQ(TriageClassName(entry.triage_class), "within bound");
  EXPECT_EQ(entry.operation, "whole program");
}

// Right for every instruction alone; where it sees an addition of a negation, in a module of at
// least so many instructions, it adds one more.
class FusingBackend : public GoldenBackend {
 public:
  explicit FusingBackend(int64_t least = 1) : least_(least) {}
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options) override {
    last_fuses_ = false;
    if (!module.entry()->root()->shape().is_array()) return GoldenBackend::Compile(module, options);
    for (const auto& each : module.entry()->instructions()) {
      if (each->opcode() != Opcode::kAdd || module.instruction_count() < least_) continue;
      last_fuses_ |= each->operand(0)->opcode() == Opcode::kNegate;
    }
    return GoldenBackend::Compile(module, options);
  }
  absl::StatusOr<Literal> Download(const Buffer& buffer) override {
    absl::StatusOr<Literal> value = GoldenBackend::Download(buffer);
    if (!value.ok() || !last_fuses_) return value;
    for (int64_t i = 0; i < value->element_count(); ++i) {
      const double more = DecodeFloat(value->element_type(), value->Get(i).bits) + 1;
      value->Set(i, Element{EncodeFloat(value->element_type(), more)});
    }
    return value;
  }

 private:
  const int64_t least_;
  bool last_fuses_ = false;
};

TEST_F(TriageTest, WhatOnlyAFusionDoesWrongIsFoundInGroups) {
  FusingBackend target;
  const TriageEntry entry =
      Of("HloModule m\nENTRY e { x = f32[2] parameter(0)\n n = f32[2] negate(x)\n"
         " s = f32[2] add(n, x)\n ROOT z = f32[2] multiply(s, s) }\n",
         std::nullopt, &target);
  EXPECT_EQ(entry.triage_class, TriageClass::kWrong) << entry.detail;
  EXPECT_EQ(entry.operation, "negate+add f32");
  EXPECT_EQ(entry.instruction, "n+s");
  EXPECT_EQ(entry.instructions, 4);
  EXPECT_THAT(entry.detail, HasSubstr("actual 1 (0x3f800000), golden 0 (0x00000000)"));
}

// Nothing that is asked is wrong, but the whole is.
TEST_F(TriageTest, ElseTheWholeProgramIsNamed) {
  FusingBackend target(8);
  const TriageEntry entry =
      Of("HloModule m\nENTRY e { x = f32[2] parameter(0)\n n = f32[2] negate(x)\n"
         " s = f32[2] add(n, x)\n a = f32[2] abs(s)\n b = f32[2] negate(a)\n c = f32[2] abs(b)\n"
         " d = f32[2] negate(c)\n ROOT z = f32[2] abs(d) }\n",
         std::nullopt, &target);
  EXPECT_EQ(entry.triage_class, TriageClass::kWrong) << entry.detail;
  EXPECT_EQ(entry.operation, "whole program");
}

TEST(TriageGroups, TheSameReasonStandsTogetherSmallestFirst) {
  auto entry = [](const char* name, int64_t instructions, TriageClass triage_class,
                  const char* operation, const char* kind) {
    TriageEntry made;
    made.name = name;
    made.instructions = instructions;
    made.triage_class = triage_class;
    made.operation = operation;
    made.kind = kind;
    return made;
  };
  const std::vector<TriageGroup> groups = GroupEntries({
      entry("e", 1, TriageClass::kEqual, "", ""),
      entry("a", 9, TriageClass::kWrong, "tanh f32", "beyond the bound"),
      entry("b", 3, TriageClass::kWrong, "tanh f32", "beyond the bound"),
      entry("c", 5, TriageClass::kWrong, "tanh f32", "NaN instead of a number"),
      entry("d", 5, TriageClass::kFailed, "sort s8", "the target fails"),
  });
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[0].entries.size(), 2u);
  EXPECT_EQ(groups[0].entries[0].name, "b");
  EXPECT_EQ(groups[1].kind, "NaN instead of a number");
  EXPECT_EQ(groups[2].triage_class, TriageClass::kEqual);
  EXPECT_EQ(groups[3].triage_class, TriageClass::kFailed);
}

TEST(TriageKinds, OfErrors) {
  auto kind = [](const char* golden, const char* actual) {
    Evidence evidence;
    evidence.golden = golden;
    evidence.actual = actual;
    return KindOfError(evidence);
  };
  EXPECT_EQ(kind("1", "nan"), "NaN instead of a number");
  EXPECT_EQ(kind("nan", "1"), "a number instead of NaN");
  EXPECT_EQ(kind("nan(0x1)", "nan"), "other bits of a NaN");
  EXPECT_EQ(kind("(nan, 0)", "(-nan, 0)"), "other bits of a NaN");
  EXPECT_EQ(kind("1", "-inf"), "infinity instead of a number");
  EXPECT_EQ(kind("2.5", "-2.5"), "the opposite sign");
  EXPECT_EQ(kind("true", "false"), "another truth value");
  EXPECT_EQ(kind("3", "0"), "zero instead of a number");
  EXPECT_EQ(kind("3", "4"), "another value");
}

}  // namespace
}  // namespace assay::conformance
