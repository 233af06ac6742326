// Maps: one operation is judged as this operation, several by the interval of the program.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/diagnose/module_judge.h"
#include "conformance/profiles/testing.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace map_judge_test {
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
TEST(MapJudgeTest, OneOperationIsThisOperation) {
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

TEST(MapJudgeTest, SeveralOperationsAreAProgram) {
  const char kTwo[] = "s = multiply(a, b) ROOT r = add(s, a)";
  EXPECT_LE(Judged(kTwo, "(1, 2)", "(3, 4)", "(-4, 12)", "cpu"), Verdict::kCorrectlyRounded);
  EXPECT_EQ(Judged(kTwo, "(1, 2)", "(3, 4)", "(-4, 13)", "cpu"), Verdict::kWrong);
}

}  // namespace
}  // namespace map_judge_test
}  // namespace assay::conformance
