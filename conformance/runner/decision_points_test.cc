// Every decision point, alone and inside a program. If the profile admits the point, the
// instruction and a program that uses its result may return another value; otherwise neither may.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/runner/probe.h"
#include "conformance/runner/testing.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

// Values of ops_elementwise_and_types.md 7 and ops_structural.md 15: what other implementations
// give there.
struct Row {
  const char* point;
  const char* result;       // its shape
  const char* instruction;  // of p0, p1
  std::vector<std::string> parameters, operands;
  std::string other;            // beside the golden value
  std::string next = "negate";  // what the program does with it
  std::string next_shape = "";  // that of the result
  std::string computations = "";
};

constexpr char kAdd[] =
    "f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }\n  ";
constexpr char kDigits[] =
    "f { a = f32[] parameter(0) x = f32[] parameter(1) ten = f32[] constant(10) "
    "s = f32[] multiply(a, ten) ROOT r = f32[] add(s, x) }\n  ";

std::vector<Row> Rows() {
  return {
      // 0 is not below a NaN that is the least value, but below one that is the greatest.
      {"C-1",
       "pred[1]",
       "compare(p0, p1), direction=LT, type=TOTALORDER",
       {"f8e4m3fnuz[1]", "f8e4m3fnuz[1]"},
       {"{0}", "{nan}"},
       "{1}",
       "not"},
      {"C-1",
       "pred[1]",
       "compare(p0, p1), direction=GT, type=TOTALORDER",
       {"f8e4m3fnuz[1]", "f8e4m3fnuz[1]"},
       {"{nan}", "{0}"},
       "{1}",
       "not"},
      {"C-1",
       "pred[1]",
       "compare(p0, p1), direction=GE, type=TOTALORDER",
       {"f8e4m3fnuz[1]", "f8e4m3fnuz[1]"},
       {"{nan}", "{0}"},
       "{1}",
       "not"},
      // 16 is beyond f8e3m4.
      {"F-5", "f8e3m4[1]", "ceil(p0)", {"f8e3m4[1]"}, {"{15.5}"}, "{15.5}"},
      // Quiet NaNs in f32, which the narrower type is read into and written from.
      {"N-2.1", "bf16[1]", "copy(p0)", {"bf16[1]"}, {"{nan(0x46)}"}, "{nan}", "copy"},
      {"N-2.1",
       "f8e5m2[1]",
       "reverse(p0), dimensions={0}",
       {"f8e5m2[1]"},
       {"{-nan}"},
       "{nan}",
       "copy"},
      {"N-5", "f4e2m1fn[1]", "convert(p0)", {"f32[1]"}, {"{nan}"}, "{6}"},
      // 3 lies between 2 and 4, whose codes are 128 and 129.
      {"N-9.1", "f8e8m0fnu[1]", "convert(p0)", {"f32[1]"}, {"{3}"}, "{2}", "convert", "f32[1]"},
      {"N-9.1",
       "f8e8m0fnu[1]",
       "add(p0, p1)",
       {"f8e8m0fnu[1]", "f8e8m0fnu[1]"},
       {"{2}", "{1}"},
       "{2}",
       "convert",
       "f32[1]"},
      // 448 is beyond four bits of exponent less one.
      {"R-5",
       "f8e4m3fn[1]",
       "reduce-precision(p0), exponent_bits=3, mantissa_bits=3",
       {"f8e4m3fn[1]"},
       {"{448}"},
       "{15}"},
      // 16 is beyond 15 and its half ulp; 15 is the tie beyond 14.
      {"R-5",
       "f8e4m3fn[1]",
       "reduce-precision(p0), exponent_bits=3, mantissa_bits=3",
       {"f8e4m3fn[1]"},
       {"{16}"},
       "{14}"},
      {"R-5",
       "f8e4m3fn[1]",
       "reduce-precision(p0), exponent_bits=3, mantissa_bits=2",
       {"f8e4m3fn[1]"},
       {"{15}"},
       "{12}"},
      // exp(11.5) is beyond f16.
      {"F-1", "f16[1]", "logistic(p0)", {"f16[1]"}, {"{-11.5}"}, "{0}"},
      {"F-3", "f32[1]", "rsqrt(p0)", {"f32[1]"}, {"{-0}"}, "{inf}"},
      {"I-1", "s32[1]", "divide(p0, p1)", {"s32[1]", "s32[1]"}, {"{7}", "{0}"}, "{42}"},
      {"I-1", "s8[1]", "remainder(p0, p1)", {"s8[1]", "s8[1]"}, {"{-128}", "{-1}"}, "{42}"},
      // -7 is 1001 in four bits, 11111001 in eight.
      {"I-8", "s4[1]", "popcnt(p0)", {"s4[1]"}, {"{-7}"}, "{6}"},
      {"N-9",
       "pred[1]",
       "convert(p0)",
       {"f8e8m0fnu[1]"},
       {"{5.877471754111437e-39}"},
       "{0}",
       "not"},
      {"N-9",
       "f8e8m0fnu[1]",
       "multiply(p0, p1)",
       {"f8e8m0fnu[1]", "f8e8m0fnu[1]"},
       {"{5.877471754111437e-39}", "{2}"},
       "{nan}",
       "convert",
       "f32[1]"},
      {"P-1", "s32[1]", "power(p0, p1)", {"s32[1]", "s32[1]"}, {"{-1}", "{-3}"}, "{0}"},
      {"P-2", "s32[1]", "power(p0, p1)", {"s32[1]", "s32[1]"}, {"{3}", "{65}"}, "{3}"},
      // 3^255 modulo 2^8 is 171.
      {"P-3", "u8[1]", "power(p0, p1)", {"u8[1]", "u8[1]"}, {"{3}", "{255}"}, "{0}", "not"},
      {"P-5", "bf16[1]", "power(p0, p1)", {"bf16[1]", "bf16[1]"}, {"{1}", "{nan}"}, "{nan}"},
      {"R-1",
       "f32[1]",
       "reduce-precision(p0), exponent_bits=5, mantissa_bits=10",
       {"f32[1]"},
       {"{9.5367431640625e-07}"},
       "{9.5367431640625e-07}"},
      {"R-2",
       "f32[1]",
       "reduce-precision(p0), exponent_bits=8, mantissa_bits=0",
       {"f32[1]"},
       {"{nan}"},
       "{nan}"},
      // On the f32 image denormals of f16 are below the least normal value.
      {"R-3",
       "f16[1]",
       "reduce-precision(p0), exponent_bits=5, mantissa_bits=10",
       {"f16[1]"},
       {"{9.5367431640625e-07}"},
       "{0}"},
      {"S-2", "c64[1]", "sign(p0)", {"c64[1]"}, {"{(inf, 1)}"}, "{(nan, 0)}"},
      {"V-1", "s32[1]", "convert(p0)", {"f32[1]"}, {"{3e9}"}, "{-2147483648}"},
      // 2049 + 2^-20 is above the middle of two halves; by way of f32 it is the middle.
      {"V-2", "f16[1]", "convert(p0)", {"f64[1]"}, {"{2049.00000095367431640625}"}, "{2048}"},
      // 2^24 + 2^16 + 1 likewise: by way of f32 the middle of 2^24 and 2^24 + 2^17.
      {"V-2", "bf16[1]", "convert(p0)", {"s32[1]"}, {"{16842753}"}, "{16777216}"},
      {"V-9",
       "f8e8m0fnu[1]",
       "convert(p0)",
       {"f32[1]"},
       {"{0}"},
       "{5.877471754111437e-39}",
       "convert",
       "f32[1]"},
      {"W-10",
       "s32[4]",
       "scatter(p0, p1, p2), update_window_dims={0}, inserted_window_dims={}, "
       "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=f",
       {"s32[4]", "s32[1]", "s32[2]"},
       {"{0, 0, 0, 0}", "{-1}", "{1, 2}"},
       "{2, 0, 0, 0}",
       "negate",
       "",
       "f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }\n  "},
      {"W-12",
       "f32[]",
       "reduce(p0, p1), dimensions={0}, to_apply=f",
       {"f32[4]", "f32[]"},
       {"{1, 2, 3, 4}", "5"},
       "20",
       "negate",
       "",
       kAdd},
      {"W-14",
       "f32[2]",
       "reduce-window(p0, p1), window={size=2 pad=1_0}, to_apply=f",
       {"f32[2]", "f32[]"},
       {"{1, 2}", "3"},
       "{331, 312}",
       "negate",
       "",
       kDigits},
      // {5 + 1, 5 + 1 + 2}, the padding folded {5 + 5 + 1, 5 + 1 + 2}.
      {"W-14",
       "f32[2]",
       "reduce-window(p0, p1), window={size=2 pad=1_0}, to_apply=f",
       {"f32[2]", "f32[]"},
       {"{1, 2}", "5"},
       "{11, 8}",
       "negate",
       "",
       kAdd},
      // {2, inf}; the padding is zero, and 0 * inf is NaN.
      {"W-26",
       "f32[1,2,1]",
       "convolution(p0, p1), window={size=2 pad=1_0}, dim_labels=b0f_0io->b0f",
       {"f32[1,2,1]", "f32[2,1,1]"},
       {"{{{2}, {3}}}", "{{{inf}}, {{1}}}"},
       "{{{nan}, {inf}}}"},
      {"X-1",
       "c64[1]",
       "multiply(p0, p1)",
       {"c64[1]", "c64[1]"},
       {"{(inf, 1)}", "{(1, 2)}"},
       "{(-inf, 3)}"},
      {"X-1",
       "c64[1]",
       "multiply(p0, p1)",
       {"c64[1]", "c64[1]"},
       {"{(inf, 1)}", "{(1, 2)}"},
       "{(5, 3)}"},
      // A product beyond the type, by plain formulas.
      {"X-1",
       "c64[1]",
       "multiply(p0, p1)",
       {"c64[1]", "c64[1]"},
       {"{(1e30, 1e36)}", "{(-1e30, 1e12)}"},
       "{(-inf, inf)}"},
      {"X-3",
       "c64[1]",
       "power(p0, p1)",
       {"c64[1]", "c64[1]"},
       {"{(0, 0)}", "{(-1, 0)}"},
       "{(7, 0)}"},
      {"X-7", "c64[1]", "exponential(p0)", {"c64[1]"}, {"{(nan, 0)}"}, "{(nan, nan)}"},
      {"X-8", "f32[1]", "abs(p0)", {"c64[1]"}, {"{(nan, inf)}"}, "{nan}"},
  };
}

Literal Value(const std::string& shape, const std::string& text) {
  const auto module =
      ParseModule("HloModule m\nENTRY e { ROOT r = " + shape + " constant(" + text + ") }");
  EXPECT_TRUE(module.ok()) << shape << text << module.status();
  return module.ok() ? *(*module)->entry()->root()->literal() : Literal();
}

class DecisionPoints : public testing::Test {
 protected:
  DecisionPoints() {
    auto all =
        TargetProfile::FromText("extends: \"xla-cpu\" admit: \"I-1\" admit: \"V-1\"", "test");
    EXPECT_TRUE(all.ok()) << all.status();
    if (all.ok()) all_ = *all;
  }

  // Whether the profile lists what the row shows as a deviation.
  bool IsKnownDeviation(absl::string_view name) const {
    for (int k = 0; k < kDecisionPoints; ++k) {
      const auto point = static_cast<DecisionPoint>(k);
      if (DecisionPointName(point) == name) return all_.KnownDeviation(point) != nullptr;
    }
    return false;
  }

  // The module of the row's instruction, and of what goes on from it.
  static Probe ProbeOf(const Row& row, bool goes_on) {
    const std::string shape = row.next_shape.empty() ? row.result : row.next_shape;
    std::string text = row.computations + "ENTRY e { ", inputs = "inputs:";
    for (size_t k = 0; k < row.parameters.size(); ++k) {
      const std::string number = std::to_string(k);
      text += "p" + number + " = " + row.parameters[k] + " parameter(" + number + ") ";
      inputs += "\n  arg" + number + " = literal " + row.parameters[k] + " " + row.operands[k];
    }
    text += std::string(goes_on ? "" : "ROOT ") + "d = " + row.result + " " + row.instruction;
    if (goes_on) text += " ROOT n = " + shape + " " + row.next + "(d)";
    const auto probes = MakeProbes(CaseOf(text + " }", inputs + "\nexpect: golden"), {});
    EXPECT_TRUE(probes.ok()) << row.point << ": " << probes.status();
    return probes.ok() ? probes->front() : Probe();
  }
  static Verdict Judged(const Probe& probe, const Literal& actual, const TargetProfile& profile) {
    const auto judgement = JudgeProbe(probe, {{actual}}, profile, {});
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    if (!judgement.ok()) return Verdict::kExact;
    return judgement->verdict;
  }
  // What the program makes of another value of the instruction.
  static Literal Next(const Row& row, const Literal& other) {
    const std::string shape = row.next_shape.empty() ? row.result : row.next_shape;
    const auto module = ParseModule("HloModule m\nENTRY e { p = " + std::string(row.result) +
                                    " parameter(0) ROOT n = " + shape + " " + row.next + "(p) }");
    EXPECT_TRUE(module.ok()) << module.status();
    return *Interpret(**module, {&other, 1});
  }

  TargetProfile all_ = *TargetProfile::Find("xla-cpu");
  const TargetProfile none_ = *TargetProfile::Find("golden");
};

TEST_F(DecisionPoints, AreAdmittedAloneAndInPrograms) {
  std::set<std::string> seen;
  for (const Row& row : Rows()) {
    SCOPED_TRACE(std::string(row.point) + " " + row.instruction);
    const Literal other = Value(row.result, row.other);
    const Probe alone = ProbeOf(row, false), program = ProbeOf(row, true);
    ASSERT_FALSE(alone.golden.empty() || program.golden.empty());
    EXPECT_EQ(Judged(alone, other, all_),
              IsKnownDeviation(row.point) ? Verdict::kKnownDeviation : Verdict::kAllowed);
    EXPECT_EQ(Judged(alone, other, none_), Verdict::kWrong);
    const Literal next = Next(row, other);
    EXPECT_LT(Judged(program, next, all_), Verdict::kWrong);
    EXPECT_EQ(Judged(program, next, none_), Verdict::kWrong);
    seen.insert(row.point);
  }
  for (int k = 0; k < kDecisionPoints; ++k) {
    const auto point = static_cast<DecisionPoint>(k);
    EXPECT_EQ(seen.count(std::string(DecisionPointName(point))), 1u) << DecisionPointName(point);
    EXPECT_TRUE(all_.Admits(point)) << DecisionPointName(point);
  }
}

// Where operands decide nothing the program has its one value, whatever the profile admits.
TEST_F(DecisionPoints, LeaveTheRestAsItIs) {
  const Row rows[] = {
      {"I-1", "s32[1]", "divide(p0, p1)", {"s32[1]", "s32[1]"}, {"{7}", "{-1}"}, "{42}"},
      {"P-1", "s32[1]", "power(p0, p1)", {"s32[1]", "s32[1]"}, {"{-2}", "{3}"}, "{0}"},
      {"P-1", "s32[1]", "power(p0, p1)", {"s32[1]", "s32[1]"}, {"{-1}", "{0}"}, "{0}"},
      {"P-3", "u8[1]", "power(p0, p1)", {"u8[1]", "u8[1]"}, {"{3}", "{5}"}, "{0}", "not"},
      {"I-8", "s4[1]", "popcnt(p0)", {"s4[1]"}, {"{5}"}, "{6}"},
      {"N-2.1", "f32[1]", "copy(p0)", {"f32[1]"}, {"{nan(0x400001)}"}, "{nan}", "copy"},
      {"N-2.1", "bf16[1]", "copy(p0)", {"bf16[1]"}, {"{-nan}"}, "{nan}", "copy"},
      {"N-2.1", "bf16[1]", "copy(p0)", {"bf16[1]"}, {"{nan(0x1)}"}, "{inf}", "copy"},
      {"F-1", "f16[1]", "logistic(p0)", {"f16[1]"}, {"{-11}"}, "{0}"},
      {"R-2",
       "f32[1]",
       "reduce-precision(p0), exponent_bits=8, mantissa_bits=0",
       {"f32[1]"},
       {"{3}"},
       "{nan}"},
      {"V-1", "s32[1]", "convert(p0)", {"f32[1]"}, {"{2e9}"}, "{-2147483648}"},
      {"V-2", "f16[1]", "convert(p0)", {"f64[1]"}, {"{2049.00000095367431640625}"}, "{2060}"},
      {"W-12",
       "s32[1]",
       "reduce(p0, p1), dimensions={0}, to_apply=f",
       {"s32[2,1]", "s32[]"},
       {"{{1}, {2}}", "0"},
       "{6}",
       "negate",
       "",
       "f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }\n  "},
      {"X-1",
       "c64[1]",
       "multiply(p0, p1)",
       {"c64[1]", "c64[1]"},
       {"{(3, 1)}", "{(1, 2)}"},
       "{(nan, 3)}"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.point) + " " + row.instruction);
    const Literal other = Value(row.result, row.other);
    EXPECT_EQ(Judged(ProbeOf(row, false), other, all_), Verdict::kWrong);
    EXPECT_EQ(Judged(ProbeOf(row, true), Next(row, other), all_), Verdict::kWrong);
  }
}

}  // namespace
}  // namespace assay::conformance
