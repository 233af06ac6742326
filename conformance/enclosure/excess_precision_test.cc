// Excess precision of narrow types, which a target keeps in f32, f16 or bf16 or narrows at random:
// no value of a random program may lie outside of its enclosure, and values that no such target
// returns must.
#include <cmath>
#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/enclosure/enclosure_testing.h"
#include "conformance/enclosure/randomised_target.h"
#include "conformance/judge/bounds.h"
#include "conformance/profiles/testing.h"
#include "spec/testing/schedule.h"

namespace assay::conformance {
namespace {

using containment::Decode;
using containment::kElements;
using containment::kSide;

// A program of T[4,4] values, and of K for T where they are kept.
std::string WriteProgram(std::mt19937& random, ElementType type, int length) {
  std::string text =
      "HloModule m\nadd { a = K[] parameter(0)\n b = K[] parameter(1)\n ROOT s = K[] add(a, b) }\n"
      "larger { a = K[] parameter(0)\n b = K[] parameter(1)\n ROOT s = K[] maximum(a, b) }\n"
      "ENTRY e {\n x0 = A parameter(0)\n x1 = A parameter(1)\n";
  const bool scale = type == ElementType::kF8E8M0FNU;
  absl::StrAppend(&text, " start = K[] constant(", scale ? 1 : 0, ")\n");
  int count = 2;
  const auto pick = [&] { return absl::StrCat("x", count - 1 - random() % std::min(count, 3)); };
  for (; count < length + 2; ++count) {
    static const char* const kUnary[] = {"exponential", "tanh", "logistic", "abs",
                                         "negate",      "sqrt", "floor",    "sign",
                                         "sine",        "log",  "cbrt",     "rsqrt"};
    static const char* const kBinary[] = {"add",    "subtract", "multiply", "multiply",
                                          "divide", "maximum",  "minimum",  "add"};
    const std::string name = absl::StrCat(count == length + 1 ? " ROOT x" : " x", count, " = A ");
    const std::string a = pick(), b = pick(), c = pick(), n = absl::StrCat(count);
    switch (random() % 11) {
      case 0:
      case 1:
        absl::StrAppend(&text, name, kUnary[random() % std::size(kUnary)], "(", a, ")\n");
        break;
      case 2:
        absl::StrAppend(&text, " r", n, " = K[4] reduce(", a,
                        ", start), dimensions={1}, to_apply=", scale ? "larger\n" : "add\n", name,
                        "broadcast(r", n, "), dimensions={0}\n");
        break;
      case 3:
        absl::StrAppend(&text, name, "dot(", a, ", ", b,
                        "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
        break;
      case 4:
        absl::StrAppend(&text, " p", n, " = pred[4,4] compare(", a, ", ", b, "), direction=LT\n",
                        name, "select(p", n, ", ", c, ", ", a, ")\n");
        break;
      case 5: {
        static const char* const kOther[] = {"f32", "bf16", "f16", "f64"};
        absl::StrAppend(&text, " o", n, " = ", kOther[random() % std::size(kOther)],
                        "[4,4] convert(", a, ")\n", name, "convert(o", n, ")\n");
        break;
      }
      case 6:
        absl::StrAppend(&text, name, "transpose(", a, "), dimensions={1,0}\n");
        break;
      default:
        absl::StrAppend(&text, name, kBinary[random() % std::size(kBinary)], "(", a, ", ", b,
                        ")\n");
        break;
    }
  }
  return absl::StrReplaceAll(absl::StrCat(text, "}\n"), {{"A ", "K[4,4] "}});
}

// Evaluates a program of T out of the same program of f32.
class KeepingTarget {
 public:
  KeepingTarget(ElementType type, const Module& narrow, const Module& wide,
                const TargetProfile& profile)
      : type_(type), narrow_(*narrow.entry()), wide_(*wide.entry()), profile_(profile) {
    options_.budget.threads = 1;
    for (const auto& each : wide_.instructions()) {
      if (each->opcode() == Opcode::kParameter || each->opcode() == Opcode::kConstant) continue;
      alone_.push_back(analysis::IsolateInstruction(*each));
      auto planned = PlannedModule::Create(*alone_.back());
      EXPECT_TRUE(planned.ok()) << planned.status();
      planned_[each.get()] = *std::move(planned);
    }
  }

  Literal Run(const std::vector<Literal>& arguments, std::mt19937& random) const {
    std::map<const Instruction*, Literal> values;
    for (int64_t i = 0; i < wide_.instruction_count(); ++i) {
      const Instruction& step = *wide_.instructions()[i];
      const bool wide = narrow_.instructions()[i]->shape().element_type() == type_;
      std::vector<Literal> operands;
      for (const Instruction* operand : step.operands()) operands.push_back(values.at(operand));
      Literal value = Apply(step, arguments, operands, random);
      if (wide && step.info().accuracy == Accuracy::kFunction) Err(step, random, &value);
      // Of an array all or none, or each element as it comes.
      const unsigned whim = random() % 3;
      static constexpr ElementType kComputedIn[] = {ElementType::kF32, ElementType::kBF16,
                                                    ElementType::kF16};
      const ElementType in = kComputedIn[random() % (type_ == ElementType::kF8E8M0FNU ? 2 : 3)];
      for (int64_t e = 0; wide && e < value.element_count(); ++e) {
        Set(&value, e, DecodeFloat(in, EncodeFloat(in, Decode(value, e))));
        const bool narrows = whim == 0 || (whim == 1 && random() % 2 == 0);
        if (narrows) Set(&value, e, DecodeFloat(type_, Narrowed(Decode(value, e), random)));
      }
      values[&step] = std::move(value);
    }
    Literal result = Literal::Zeros(narrow_.root()->shape());
    for (int64_t e = 0; e < result.element_count(); ++e) {
      result.Set(e, Element{Narrowed(Decode(values.at(wide_.root()), e), random)});
    }
    return result;
  }

 private:
  static void Set(Literal* literal, int64_t i, double value) {
    containment::Encode(literal, i, value);
  }

  uint64_t Narrowed(double value, std::mt19937& random) const {
    if (std::isnan(value) && !Info(type_).format->has_nan()) {
      return random() % (uint64_t{1} << Info(type_).bits);
    }
    return EncodeFloat(type_, value);
  }

  Literal Apply(const Instruction& step, const std::vector<Literal>& arguments,
                const std::vector<Literal>& operands, std::mt19937& random) const {
    if (step.opcode() == Opcode::kParameter) {
      const Literal& argument = arguments[step.parameter_number()];
      Literal wide = Literal::Zeros(step.shape());
      for (int64_t i = 0; i < wide.element_count(); ++i) Set(&wide, i, Decode(argument, i));
      return wide;
    }
    if (step.opcode() == Opcode::kConstant) return *step.literal();
    const bool sums =
        step.opcode() == Opcode::kReduce && step.to_apply()->root()->opcode() == Opcode::kAdd;
    if (sums || step.opcode() == Opcode::kDot) return Sums(step, operands, random);
    auto value = planned_.at(&step)->Run(operands, options_);
    EXPECT_TRUE(value.ok()) << value.status();
    return *std::move(value);
  }

  // Within the budget of narrow types, in ulps of f16, which golden's rounding to f32 is far below.
  void Err(const Instruction& step, std::mt19937& random, Literal* value) const {
    const double budget = profile_.FindBudget(step.opcode(), type_).ulps;
    std::uniform_real_distribution<double> share(-0.99, 0.99);
    for (int64_t i = 0; i < value->element_count(); ++i) {
      const double golden = Decode(*value, i);
      if (!std::isfinite(golden) || golden == 0 || std::fabs(golden) > 65504) continue;
      Set(value, i, golden + share(random) * budget * UlpOf(ElementType::kF16, golden));
    }
  }

  // In f32 and any order; partial sums in T where the profile has them so.
  Literal Sums(const Instruction& step, const std::vector<Literal>& operands,
               std::mt19937& random) const {
    const bool dot = step.opcode() == Opcode::kDot;
    const bool partials = profile_.FindAccumulation(type_, dot).partials && random() % 2 == 0;
    Literal result = Literal::Zeros(step.shape());
    for (int64_t i = 0; i < result.element_count(); ++i) {
      std::vector<float> terms;
      for (int k = 0; k < kSide; ++k) {
        const double left = Decode(operands[0], (dot ? i / kSide : i) * kSide + k);
        const double right = dot ? Decode(operands[1], k * kSide + i % kSide) : 1;
        terms.push_back(static_cast<float>(left) * static_cast<float>(right));
      }
      std::shuffle(terms.begin(), terms.end(), random);
      double sum = 0;
      for (const float term : terms) {
        sum = static_cast<float>(sum) + term;
        if (partials) sum = DecodeFloat(type_, Narrowed(sum, random));
      }
      Set(&result, i, sum);
    }
    return result;
  }

  const ElementType type_;
  const Computation& narrow_;
  const Computation& wide_;
  const TargetProfile& profile_;
  RunOptions options_;
  std::vector<std::unique_ptr<Module>> alone_;
  std::map<const Instruction*, std::unique_ptr<PlannedModule>> planned_;
};

// Large values, so that much goes beyond the type.
Literal LargeArgument(std::mt19937& random, ElementType type) {
  Literal literal = Literal::Zeros(Shape(type, {kSide, kSide}));
  const double largest =
      std::min(DecodeFloat(type, MaxFinite(type)), type == ElementType::kF8E8M0FNU ? 0x1p126 : 1e9);
  std::uniform_real_distribution<double> benign(0.25, 3.0), large(largest / 4, largest);
  for (int64_t i = 0; i < kElements; ++i) {
    const double value = random() % 4 == 0 ? large(random) : benign(random);
    containment::Encode(&literal, i, random() % 8 == 0 && MinNormal(type) != 0 ? -value : value);
  }
  return literal;
}

class ExcessPrecisionTest : public testing::TestWithParam<ElementType> {};

TEST_P(ExcessPrecisionTest, NoConformingValueLiesOutside) {
  const ElementType type = GetParam();
  std::mt19937 random(static_cast<unsigned>(type));
  int64_t judged = 0, all = 0, moved = 0;
  for (int program = 0; program < (kScheduleStride == 1 ? 300 : 100); ++program) {
    const TargetProfile& profile = BuiltInProfile(program % 2 == 0 ? "xla-cpu" : "gpu");
    const std::string text = WriteProgram(random, type, 1 + program % 6);
    auto narrow = ParseModule(absl::StrReplaceAll(text, {{"K[", absl::StrCat(Name(type), "[")}}));
    auto wide = ParseModule(absl::StrReplaceAll(text, {{"K[", "f32["}}));
    ASSERT_TRUE(narrow.ok()) << narrow.status() << text;
    ASSERT_TRUE(wide.ok()) << wide.status();
    const std::vector<Literal> arguments = {LargeArgument(random, type),
                                            LargeArgument(random, type)};
    auto enclosure = Enclose(**narrow, arguments, profile, RunBudget{});
    ASSERT_TRUE(enclosure.ok()) << enclosure.status() << text;
    auto golden = Interpret(**narrow, arguments);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const KeepingTarget target(type, **narrow, **wide, profile);
    for (int run = 0; run < Scheduled(60); ++run) {
      const Literal actual = target.Run(arguments, random);
      auto judgement = JudgeWhole(*enclosure, *golden, actual);
      ASSERT_TRUE(judgement.ok()) << judgement.status();
      ASSERT_NE(judgement->verdict, Verdict::kWrong)
          << profile.name() << "\n"
          << text << "golden " << judgement->evidence[0].golden << " actual "
          << judgement->evidence[0].actual << ": " << judgement->evidence[0].reason;
      all += kElements;
      judged += kElements - judgement->counts[static_cast<int>(Verdict::kNotJudgeable)];
      moved += judgement->counts[static_cast<int>(Verdict::kWithinBound)];
    }
  }
  RecordProperty("judged", absl::StrCat(judged * 100 / all, "%"));
  // It would mean little if nothing were known or nothing moved.
  EXPECT_GT(judged, all * 7 / 10);
  EXPECT_GT(moved, all / 200);
}

INSTANTIATE_TEST_SUITE_P(Types, ExcessPrecisionTest,
                         testing::Values(ElementType::kF8E5M2, ElementType::kF8E4M3,
                                         ElementType::kF8E3M4, ElementType::kF4E2M1FN,
                                         ElementType::kF6E2M3FN, ElementType::kF6E3M2FN,
                                         ElementType::kF8E4M3FN, ElementType::kF8E4M3FNUZ,
                                         ElementType::kF8E4M3B11FNUZ, ElementType::kF8E5M2FNUZ,
                                         ElementType::kF8E8M0FNU),
                         [](const auto& info) { return std::string(Name(info.param)); });

using ExcessPrecisionValuesTest = EnclosureTest;

// 500 is a NaN of f8e4m3fn. Kept in f32 it stays 500, and half of it 250; it is never 448, which a
// saturating conversion gives (V-4).
TEST_F(ExcessPrecisionValuesTest, WhatOverflowsToNanIsTheNumberOrNan) {
  const std::string narrowed = "a = f32[1] parameter(0)\n b = f8e4m3fn[1] convert(a)\n ";
  const std::vector<Literal> operands = {F32({500})};
  const Literal nan = F32({NAN});
  const BoxTree wide = Of(narrowed + "ROOT r = f32[1] convert(b)", operands);
  EXPECT_EQ(Judged(wide, nan, nan), Verdict::kCorrectlyRounded);
  EXPECT_EQ(Judged(wide, nan, F32({500})), Verdict::kWithinBound);
  EXPECT_EQ(Judged(wide, nan, F32({448})), Verdict::kWrong);
  EXPECT_EQ(Judged(wide, nan, F32({501})), Verdict::kWrong);
  const BoxTree strict = Of(narrowed + "ROOT r = f32[1] convert(b)", operands, "cpu-strict");
  EXPECT_EQ(Judged(strict, nan, nan), Verdict::kExact);
  EXPECT_EQ(Judged(strict, nan, F32({500})), Verdict::kWrong);
  const BoxTree fits = Of(narrowed + "ROOT r = f32[1] convert(b)", {F32({400})});
  EXPECT_EQ(Judged(fits, F32({416}), F32({400})), Verdict::kWithinBound);
  EXPECT_EQ(Judged(fits, F32({416}), F32({500})), Verdict::kWrong);
  EXPECT_EQ(Judged(fits, F32({416}), nan), Verdict::kWrong);
  const Shape scalar(ElementType::kF32, {});
  const BoxTree dot = Of(narrowed +
                             "h = f8e4m3fn[1] constant({0.5})\n ROOT r = f32[] dot(b, h), "
                             "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
                         operands);
  const auto of_dot = [&](float value) {
    return Judged(dot, nan.WithShape(scalar), F32({value}).WithShape(scalar));
  };
  EXPECT_EQ(of_dot(250), Verdict::kWithinBound);
  EXPECT_EQ(of_dot(224), Verdict::kWrong);
  EXPECT_EQ(of_dot(500), Verdict::kWrong);
  // What is returned has been narrowed.
  const BoxTree returned = Of(narrowed + "ROOT r = f8e4m3fn[1] negate(b)", operands);
  EXPECT_EQ(
      Judged(returned, Array(ElementType::kF8E4M3FN, {NAN}), Array(ElementType::kF8E4M3FN, {-448})),
      Verdict::kWrong);
}

// 4 + 4 is 6 in f4e2m1fn, or 8 where it is kept; less 4 that is 2 or 4.
TEST_F(ExcessPrecisionValuesTest, WhatSaturatesIsTheNumberOrTheLargest) {
  constexpr ElementType kType = ElementType::kF4E2M1FN;
  const std::string sum = "a = f4e2m1fn[1] parameter(0)\n s = f4e2m1fn[1] add(a, a)\n ";
  const auto judged = [&](const BoxTree& tree, double golden, double actual) {
    return Judged(tree, Array(kType, {golden}), Array(kType, {actual}));
  };
  const BoxTree difference = Of(sum + "ROOT r = f4e2m1fn[1] subtract(s, a)", {Array(kType, {4})});
  EXPECT_EQ(judged(difference, 2, 2), Verdict::kCorrectlyRounded);
  EXPECT_EQ(judged(difference, 2, 4), Verdict::kWithinBound);
  EXPECT_EQ(judged(difference, 2, 6), Verdict::kWrong);
  EXPECT_EQ(judged(difference, 2, 1.5), Verdict::kWrong);
  EXPECT_EQ(
      judged(Of(sum + "ROOT r = f4e2m1fn[1] subtract(s, a)", {Array(kType, {4})}, "cpu-strict"), 2,
             4),
      Verdict::kWrong);
  // Doubled again and again, and halved as often.
  const BoxTree back = Of(sum +
                              "t = f4e2m1fn[1] add(s, s)\n h = f4e2m1fn[1] constant({0.5})\n "
                              "u = f4e2m1fn[1] multiply(t, h)\n v = f4e2m1fn[1] multiply(u, h)\n "
                              "ROOT r = f4e2m1fn[1] multiply(v, h)",
                          {Array(kType, {4})});
  EXPECT_EQ(judged(back, 1, 2), Verdict::kWithinBound);
  EXPECT_EQ(judged(back, 1, 3), Verdict::kWrong);
  EXPECT_EQ(judged(back, 1, 0), Verdict::kWrong);
}

// The largest value of f8e5m2, or just beside it where it is kept: no infinity.
TEST_F(ExcessPrecisionValuesTest, TheLargestValueIsFinite) {
  const BoxTree tree =
      Of("a = f32[1] parameter(0)\n s = f32[1] constant({57344})\n b = f32[1] multiply(a, s)\n"
         "c = f8e5m2[1] convert(b)\n ROOT r = f32[1] convert(c)",
         {F32({1})});
  EXPECT_LT(Judged(tree, F32({57344}), F32({57344.004F})), Verdict::kNotJudgeable);
  EXPECT_EQ(Judged(tree, F32({57344}), F32({INFINITY})), Verdict::kWrong);
  EXPECT_EQ(Judged(tree, F32({57344}), F32({49152})), Verdict::kWrong);
}

// A scale below the least one is that one, or less where it is kept.
TEST_F(ExcessPrecisionValuesTest, ScalesBelowTheLeast) {
  constexpr ElementType kType = ElementType::kF8E8M0FNU;
  const BoxTree tree =
      Of("a = f8e8m0fnu[1] parameter(0)\n h = f8e8m0fnu[1] constant({0.0625})\n"
         "b = f8e8m0fnu[1] multiply(a, h)\n s = f8e8m0fnu[1] constant({16})\n"
         "ROOT r = f8e8m0fnu[1] multiply(b, s)",
         {Array(kType, {0x1p-126})}, "gpu");
  const auto judged = [&](double actual) {
    return Judged(tree, Array(kType, {0x1p-123}), Array(kType, {actual}));
  };
  EXPECT_LT(judged(0x1p-126), Verdict::kNotJudgeable);
  EXPECT_LT(judged(0x1p-123), Verdict::kNotJudgeable);
  EXPECT_EQ(judged(0x1p-120), Verdict::kWrong);
}

}  // namespace
}  // namespace assay::conformance
