// Collectives, device by device: reductions within the bound of their group, the rest bit by bit.
#include "conformance/judge/collective_judge.h"

#include <memory>
#include <string>
#include <vector>

#include "conformance/judge/testing.h"

namespace assay::conformance {
namespace {

constexpr char kReducers[] =
    "add {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n"
    "cadd {\n  a = c64[] parameter(0)\n  b = c64[] parameter(1)\n  ROOT s = c64[] add(a, b)\n}\n"
    "own {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT s = f32[] subtract(a, b)\n}\n";

class Collective {
 public:
  Collective(const std::string& instruction, const std::string& parameter, int64_t replicas)
      : grid_{replicas, 1} {
    auto module = ParseModule(absl::StrCat("HloModule m, replica_count=", replicas, "\n", kReducers,
                                           "ENTRY e {\n  p0 = ", parameter,
                                           " parameter(0)\n  ROOT r = ", instruction, "\n}\n"));
    EXPECT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
  }

  std::string Verdict(const std::vector<Literal>& operands, const std::vector<Literal>& golden,
                      const std::vector<Literal>& actual, const char* profile = "xla-cpu") const {
    std::vector<std::vector<Literal>> by_device;
    for (const Literal& operand : operands) by_device.push_back({operand});
    const auto judgement = JudgeCollective(
        *module_->entry()->root(), by_device, golden, actual, grid_, *TargetProfile::Find(profile),
        [](const Module& module, absl::Span<const Literal> values) {
          return Interpret(module, values);
        });
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    if (!judgement.ok()) return "";
    if (!judgement->evidence.empty()) device_ = judgement->evidence[0].device;
    return std::string(VerdictName(judgement->verdict));
  }
  int64_t device() const { return device_; }  // of the last evidence

 private:
  const ProcessGrid grid_;
  std::unique_ptr<Module> module_;
  mutable int64_t device_ = -1;
};

// Members 1, 2^-24, 2^-24, 0: 1 + 2^-23, in another order 1. (n-1) u S is 3 * 2^-24.
TEST(JudgeCollective, SumsByTheBoundOfTheirGroup) {
  const Collective sum("f32[1] all-reduce(p0), replica_groups={}, to_apply=add", "f32[1]", 4);
  const std::vector<Literal> operands = {F32({1}), F32({0x1p-24}), F32({0x1p-24}), F32({0})};
  const double golden = 1 + 0x1p-23;
  const auto all = [](double value) { return std::vector<Literal>(4, F32({value})); };
  EXPECT_EQ(sum.Verdict(operands, all(golden), all(golden)), "correctly rounded");
  EXPECT_EQ(sum.Verdict(operands, all(golden), all(1)), "allowed");
  EXPECT_EQ(sum.Verdict(operands, all(golden), all(1), "golden"), "wrong");
  EXPECT_EQ(sum.Verdict(operands, all(golden), all(1 + 4 * 0x1p-23)), "wrong");
  std::vector<Literal> third = all(golden);
  third[2] = F32({2});
  EXPECT_EQ(sum.Verdict(operands, all(golden), third), "wrong");
  EXPECT_EQ(sum.device(), 2);
}

// 1e8, 1 and -1e8 are 1, in another order 0: both parts by the bound of 3 terms, 2 u 2e8 = 23.8.
TEST(JudgeCollective, ComplexSumsHaveTheBoundOfTheirParts) {
  const Collective sum("c64[] all-reduce(p0), replica_groups={}, to_apply=cadd", "c64[]", 3);
  const std::vector<Literal> operands = {C64(1e8, -1), C64(1, 1e8), C64(-1e8, -1e8)};
  const auto all = [](float real, float imag) { return std::vector<Literal>(3, C64(real, imag)); };
  EXPECT_EQ(sum.Verdict(operands, all(1, -1), all(1, -1)), "correctly rounded");
  for (const char* profile : {"cpu-strict", "xla-cpu"}) {
    EXPECT_EQ(sum.Verdict(operands, all(1, -1), all(0, -1), profile), "allowed");
    EXPECT_EQ(sum.Verdict(operands, all(1, -1), all(0, 0), profile), "allowed");
    EXPECT_EQ(sum.Verdict(operands, all(1, -1), all(200, -1), profile), "wrong");
  }
  EXPECT_EQ(sum.Verdict(operands, all(1, -1), all(0, -1), "golden"), "wrong");
}

// Of 5, 1 and 2: 5 - 1 - 2 = 2, but 2 - 1 - 5 = -4 in another order.
TEST(JudgeCollective, ReducersOfOnesOwnHaveNoBound) {
  const Collective own("f32[1] all-reduce(p0), replica_groups={}, to_apply=own", "f32[1]", 3);
  const std::vector<Literal> operands = {F32({5}), F32({1}), F32({2})};
  const std::vector<Literal> golden(3, F32({2})), other(3, F32({-4}));
  EXPECT_EQ(own.Verdict(operands, golden, golden), "correctly rounded");
  EXPECT_EQ(own.Verdict(operands, golden, other), "not judgeable");
  EXPECT_EQ(own.Verdict(operands, golden, other, "golden"), "wrong");
}

// Two groups of two; each member of a reduce-scatter has its half.
TEST(JudgeCollective, GroupsAndSlices) {
  const Collective scatter(
      "f32[1] reduce-scatter(p0), replica_groups={{0,2},{3,1}}, dimensions={0}, to_apply=add",
      "f32[2]", 4);
  const std::vector<Literal> operands = {F32({1, 1e8}), F32({5, 7}), F32({2, 3}), F32({10, 20})};
  // 0 and 2: {3, 1e8 + 3 = 100000000}; 3 and 1: {15, 27}, device 3 has the first half.
  const std::vector<Literal> golden = {F32({3}), F32({27}), F32({1e8}), F32({15})};
  EXPECT_EQ(scatter.Verdict(operands, golden, golden), "correctly rounded");
  std::vector<Literal> actual = golden;
  actual[2] = F32({1e8 + 8});  // 5 from the exact sum: (n-1) u S = 5.96
  EXPECT_EQ(scatter.Verdict(operands, golden, actual), "allowed");
  for (const float value : {1e8f - 8, 1e8f + 16}) {
    actual[2] = F32({value});
    EXPECT_EQ(scatter.Verdict(operands, golden, actual), "wrong");
  }
  actual = golden;
  actual[1] = F32({15});
  EXPECT_EQ(scatter.Verdict(operands, golden, actual), "wrong");
  EXPECT_EQ(scatter.device(), 1);
}

TEST(JudgeCollective, MovesBitByBit) {
  const Collective gather("f32[2] all-gather(p0), replica_groups={}, dimensions={0}", "f32[1]", 2);
  const std::vector<Literal> operands = {F32({1}), F32({-0.0})};
  const std::vector<Literal> golden(2, F32({1, -0.0}));
  EXPECT_EQ(gather.Verdict(operands, golden, golden), "exact");
  EXPECT_EQ(gather.Verdict(operands, golden, {golden[0], F32({1, 0})}), "wrong");
}

TEST(JudgeCollective, RefusesOtherShapes) {
  const auto module = ParseModule(
      "HloModule m, replica_count=2\nENTRY e {\n  p = f32[1] parameter(0)\n"
      "  ROOT r = f32[2] all-gather(p), replica_groups={}, dimensions={0}\n}\n");
  ASSERT_TRUE(module.ok());
  const std::vector<std::vector<Literal>> operands(2, {F32({1})});
  const std::vector<Literal> golden(2, F32({1, 1}));
  const auto evaluate = [](const Module& m, absl::Span<const Literal> v) {
    return Interpret(m, v);
  };
  for (const std::vector<Literal>& actual :
       {std::vector<Literal>{golden[0]}, std::vector<Literal>{golden[0], F32({1})}}) {
    EXPECT_EQ(JudgeCollective(*(*module)->entry()->root(), operands, golden, actual, {2, 1},
                              *TargetProfile::Find("golden"), evaluate)
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// Decision V-9: zeros, for those that no one sends to, may be NaNs of f8e8m0fnu; what is sent is
// moved.
TEST(JudgeCollective, ZerosThatAreNoScales) {
  const Collective permute("f8e8m0fnu[1] collective-permute(p0), source_target_pairs={{0,1}}",
                           "f8e8m0fnu[1]", 2);
  const auto scale = [](uint64_t bits) {
    Literal literal = Literal::Zeros(Shape(ElementType::kF8E8M0FNU, {1}));
    literal.Set(0, Element{bits});
    return literal;
  };
  const std::vector<Literal> operands = {scale(0), scale(0x80)};
  const std::vector<Literal> golden = {scale(0), scale(0)};
  EXPECT_EQ(permute.Verdict(operands, golden, {scale(0xff), scale(0)}), "allowed");
  EXPECT_EQ(permute.Verdict(operands, golden, {scale(0xff), scale(0)}, "golden"), "wrong");
  EXPECT_EQ(permute.Verdict(operands, golden, {scale(0), scale(0xff)}), "wrong");
  EXPECT_EQ(permute.Verdict(operands, golden, {scale(0x80), scale(0)}), "wrong");
}

}  // namespace
}  // namespace assay::conformance
