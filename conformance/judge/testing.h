// Test helpers: literals, and a `Case` that parses an instruction from text and judges results of
// it.
#ifndef ASSAY_CONFORMANCE_JUDGE_TESTING_H_
#define ASSAY_CONFORMANCE_JUDGE_TESTING_H_

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/judge/allowance.h"
#include "conformance/profiles/testing.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/testing/literals.h"
#include "spec/text/parser.h"

namespace assay::conformance {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr double kUnit = 0x1p-24;  // unit roundoff of f32
inline constexpr double kUlp = 0x1p-23;   // of f32 in [1, 2)

inline Literal Matrix(int64_t rows, int64_t columns, const std::vector<double>& values,
                      ElementType type = ElementType::kF32) {
  return Array(type, values).WithShape(Shape(type, {rows, columns}));
}

// Returns a scalar of type c64.
inline Literal C64(float real, float imag) {
  return Literal::Scalar(ElementType::kC64, Element{EncodeFloat(ElementType::kF32, real),
                                                    EncodeFloat(ElementType::kF32, imag)});
}

// Returns the f32 that lies `steps` floats above `value`, or below it if `steps` is negative.
inline double Step(double value, int steps) {
  float result = static_cast<float>(value);
  for (int i = 0; i < std::abs(steps); ++i)
    result = std::nextafter(result, steps > 0 ? kInf : -kInf);
  return result;
}

// An instruction in a module of its own, whose operands are the parameters.
class Case {
 public:
  Case(const std::string& instruction, const std::vector<std::string>& parameters,
       const std::string& computations = "") {
    std::string text = absl::StrCat("HloModule m\n", computations, "ENTRY e {\n");
    for (size_t i = 0; i < parameters.size(); ++i) {
      absl::StrAppend(&text, "  p", i, " = ", parameters[i], " parameter(", i, ")\n");
    }
    auto module = ParseModule(absl::StrCat(text, "  ROOT r = ", instruction, "\n}\n"));
    EXPECT_TRUE(module.ok()) << module.status();
    module_ = *std::move(module);
  }

  // Judges `actual` against the golden value.
  Judgement Judge(const std::vector<Literal>& operands, const Literal& actual,
                  const std::string& profile = "xla-cpu") const {
    return JudgeBy(BuiltInProfile(profile), operands, actual);
  }
  Judgement JudgeBy(const TargetProfile& profile, const std::vector<Literal>& operands,
                    const Literal& actual) const {
    auto golden = Evaluate(operands);
    EXPECT_TRUE(golden.ok()) << golden.status();
    auto judgement =
        JudgeInstruction(root(), operands, *golden, actual, profile,
                         [](const Module& module, absl::Span<const Literal> arguments) {
                           return Interpret(module, arguments);
                         });
    EXPECT_TRUE(judgement.ok()) << judgement.status();
    return judgement.ok() ? *judgement : Judgement();
  }
  // Returns "golden" if the result is exact or correctly rounded, the names of the permitted
  // deviations if the verdict is kAllowed ("denormals signed_zero"), otherwise the name of the
  // verdict.
  std::string Explain(const std::vector<Literal>& operands, const Literal& actual,
                      const std::string& profile = "xla-cpu") const {
    const Judgement judgement = Judge(operands, actual, profile);
    if (judgement.verdict <= Verdict::kCorrectlyRounded) return "golden";
    if (judgement.verdict != Verdict::kAllowed) return std::string(VerdictName(judgement.verdict));
    std::vector<absl::string_view> taken;
    for (int k = 0; k < kFreedoms; ++k) {
      if (judgement.freedoms[k] > 0) taken.push_back(FreedomName(static_cast<Freedom>(k)));
    }
    return absl::StrJoin(taken, " ");
  }
  const Instruction& root() const { return *module_->entry()->root(); }
  absl::StatusOr<Literal> Evaluate(absl::Span<const Literal> operands) const {
    return Interpret(*module_, operands);
  }

 private:
  std::unique_ptr<Module> module_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_TESTING_H_
