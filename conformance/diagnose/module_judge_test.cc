// Modules that are judged as one operation, and such as are judged by the interval of the program.
#include "conformance/diagnose/module_judge.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/profiles/testing.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace module_judge_test {
namespace {

// Judges `actual` for a map of `region` over c128[1] arrays.
Verdict Judged(const std::string& region, const std::string& x, const std::string& y,
               const std::string& actual, const char* profile) {
  const auto module = ParseModule(
      absl::StrCat("HloModule m\nf { a = c128[] parameter(0) b = c128[] parameter(1) ", region,
                   " }\nENTRY e { x = c128[1] parameter(0) y = c128[1] parameter(1) "
                   "ROOT r = c128[1] map(x, y), dimensions={0}, to_apply=f }"));
  EXPECT_TRUE(module.ok()) << module.status();
  const auto value = [](const std::string& text) {
    return *ParseTypedLiteral(absl::StrCat("c128[1] {", text, "}"));
  };
  const std::vector<Literal> arguments = {value(x), value(y)};
  const absl::StatusOr<Literal> golden = Interpret(**module, arguments);
  EXPECT_TRUE(golden.ok()) << golden.status();
  const auto judgement =
      JudgeModule(**module, {arguments}, {*golden}, {value(actual)}, BuiltInProfile(profile), {});
  EXPECT_TRUE(judgement.ok()) << judgement.status();
  return judgement.ok() ? judgement->verdict : Verdict::kNotJudgeable;
}

constexpr char kProduct[] = "ROOT r = multiply(b, a)";

// A product with an infinite factor is any value that is not finite, by plain formulas.
TEST(ModuleJudgeTest, AMapOfOneOperationIsThisOperation) {
  for (const char* profile : {"cpu", "xla-cpu"}) {
    EXPECT_EQ(Judged(kProduct, "(inf, 1)", "(1, 2)", "(-inf, 3)", profile), Verdict::kAllowed);
    EXPECT_EQ(Judged(kProduct, "(inf, 1)", "(1, 2)", "(nan, nan)", profile), Verdict::kAllowed);
    EXPECT_EQ(Judged(kProduct, "(1, 2)", "(3, 4)", "(-5, 10)", profile),
              Verdict::kCorrectlyRounded);
    EXPECT_EQ(Judged(kProduct, "(1, 2)", "(3, 4)", "(-5, 11)", profile), Verdict::kWrong);
    EXPECT_EQ(Judged(kProduct, "(1, 2)", "(3, 4)", "(nan, nan)", profile), Verdict::kWrong);
  }
  EXPECT_EQ(Judged(kProduct, "(inf, 1)", "(1, 2)", "(nan, nan)", "golden"), Verdict::kWrong);
}

TEST(ModuleJudgeTest, AMapOfSeveralOperationsIsAProgram) {
  const char kTwo[] = "s = multiply(a, b) ROOT r = add(s, a)";
  EXPECT_LE(Judged(kTwo, "(1, 2)", "(3, 4)", "(-4, 12)", "cpu"), Verdict::kCorrectlyRounded);
  EXPECT_EQ(Judged(kTwo, "(1, 2)", "(3, 4)", "(-4, 13)", "cpu"), Verdict::kWrong);
}

// 3e38 + 3e38 - 3e38 overflows in f32 in one order, also beside an infinite imaginary part.
TEST(ModuleJudgeTest, SumsThatMayOverflowBesideAnInfinity) {
  const auto module = ParseModule(
      "HloModule m\nf { a = c64[] parameter(0) b = c64[] parameter(1) ROOT s = add(a, b) }\n"
      "ENTRY e { x = c64[3] parameter(0) i = c64[] constant((0, 0)) "
      "s = c64[] reduce(x, i), dimensions={0}, to_apply=f ROOT r = negate(s) }");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<Literal> arguments = {
      *ParseTypedLiteral("c64[3] {(3e38, inf), (3e38, 0), (-3e38, 0)}")};
  const absl::StatusOr<Literal> golden = Interpret(**module, arguments);
  ASSERT_TRUE(golden.ok()) << golden.status();
  const auto judged = [&](const char* actual) {
    const auto judgement = JudgeModule(**module, {arguments}, {*golden},
                                       {*ParseTypedLiteral(absl::StrCat("c64[] ", actual))},
                                       BuiltInProfile("cpu-strict"), {});
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    return judgement->verdict;
  };
  EXPECT_LE(judged("(-3e38, -inf)"), Verdict::kCorrectlyRounded);
  EXPECT_NE(judged("(-inf, -inf)"), Verdict::kWrong);
}

}  // namespace
}  // namespace module_judge_test
}  // namespace assay::conformance
