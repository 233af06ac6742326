// Golden values of complex operands inside boxes lie inside the enclosing box of the result.
#include "conformance/enclosure/complex_boxes.h"

#include <cmath>
#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/elementwise.h"
#include "conformance/enclosure/golden_instructions.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

constexpr int64_t kBoxes = 64, kPoints = 200;

const std::vector<std::string>& Functions() {
  static const auto* const kNames =
      new std::vector<std::string>{"abs(x)",          "add(x, y)",
                                   "subtract(x, y)",  "multiply(x, y)",
                                   "multiply(x, x)",  "divide(x, y)",
                                   "negate(x)",       "exponential(x)",
                                   "log(x)",          "exponential-minus-one(x)",
                                   "log-plus-one(x)", "logistic(x)",
                                   "power(x, y)",     "sqrt(x)",
                                   "rsqrt(x)",        "sign(x)",
                                   "tanh(x)",         "sine(x)",
                                   "cosine(x)",       "tan(x)",
                                   "sinh(x)",         "cosh(x)",
                                   "real(x)",         "imag(x)"};
  return *kNames;
}

// Ends of a part: narrow intervals, some about zero, on an axis, far out or next to nothing.
std::pair<double, double> Part(std::mt19937& random) {
  const auto uniform = [&](double scale) {
    return scale * (static_cast<double>(random()) / 0x1p31 - 1);
  };
  const double middle = uniform(3);
  switch (random() % 8) {
    case 0:
      return {0, 0};
    case 1:
      return {-0.125, std::fabs(uniform(1))};
    case 2:
      return {middle, middle};
    case 3:
      return {middle * 0x1p62, middle * 0x1p62 + 0x1p60};
    case 4:
      return {middle * 0x1p-130, middle * 0x1p-130 + 0x1p-128};
    default:
      return {middle, middle + std::fabs(uniform(0.5))};
  }
}

class ComplexBoxesTest : public testing::TestWithParam<ElementType> {
 protected:
  ElementType part() const { return Info(GetParam()).component; }

  Box RandomBox() {
    Literal low = Literal::Zeros(Shape(GetParam(), {kBoxes})), high = low;
    for (int64_t i = 0; i < kBoxes; ++i) {
      const auto [re_low, re_high] = Part(random_);
      const auto [im_low, im_high] = Part(random_);
      low.Set(i, {EncodeFloat(part(), re_low), EncodeFloat(part(), im_low)});
      high.Set(i, {EncodeFloat(part(), re_high), EncodeFloat(part(), im_high)});
    }
    return {low, high, {}, nullptr, false};
  }
  // Ends now and then.
  uint64_t Between(uint64_t low, uint64_t high) {
    const Line line(part());
    const int64_t first = line.Ordinal(low), last = line.Ordinal(high);
    if (random_() % 4 == 0) return random_() % 2 == 0 ? low : high;
    const double t = static_cast<double>(random_()) / 0x1p32;
    const double a = DecodeFloat(part(), low), b = DecodeFloat(part(), high);
    const int64_t at = line.Ordinal(EncodeFloat(part(), a + t * (b - a)));
    return line.Bits(std::clamp(at, first, last));
  }
  Literal PointIn(const Box& box) {
    Literal point = box.low;
    for (int64_t i = 0; i < kBoxes; ++i) {
      const Element low = box.low.Get(i), high = box.high.Get(i);
      point.Set(i, {Between(low.bits, high.bits), Between(low.imag, high.imag)});
    }
    return point;
  }
  // Whether an element of the value lies in the box, part by part.
  static bool Holds(const Box& box, const Literal& value, int64_t i) {
    const ElementType type = Info(value.element_type()).component;
    const Line line(type);
    const Element at = value.Get(i), low = box.low.Get(i), high = box.high.Get(i);
    const Element nan = box.has_nan() ? box.nan.Get(i) : Element{};
    const auto inside = [&](uint64_t x, uint64_t least, uint64_t most, bool may_be_nan) {
      if (line.IsNan(x)) return may_be_nan || line.IsNan(least);
      return line.Ordinal(least) <= line.Ordinal(x) && line.Ordinal(x) <= line.Ordinal(most);
    };
    return inside(at.bits, low.bits, high.bits, nan.bits != 0) &&
           (!IsComplex(value.element_type()) ||
            inside(at.imag, low.imag, high.imag, nan.imag != 0));
  }

  std::mt19937 random_{17};
};

TEST_P(ComplexBoxesTest, HoldWhatGoldenGives) {
  std::map<std::string, int64_t> known;
  for (const std::string& function : Functions()) {
    const bool real = function[0] == 'r' && function[1] == 'e';
    const bool to_real = real || function == "abs(x)" || function == "imag(x)";
    const std::string type = absl::StrCat(Name(GetParam()), "[", kBoxes, "]");
    auto module = ParseModule(absl::StrCat(
        "HloModule m\nENTRY e {\n x = ", type, " parameter(0)\n y = ", type,
        " parameter(1)\n ROOT r = ", to_real ? absl::StrCat(Name(part()), "[", kBoxes, "]") : type,
        " ", function, "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    const Instruction& instruction = *(*module)->entry()->root();
    GoldenInstructions golden{RunBudget{}};
    const EvaluateAt evaluate = [&](absl::Span<const Literal* const> values, Literal* value) {
      return golden.EvaluateAt(&golden.Of(instruction), values, value);
    };
    std::vector<Box> operands;
    for (int64_t k = 0; k < instruction.operand_count(); ++k) operands.push_back(RandomBox());
    if (function == "multiply(x, x)") operands[1] = operands[0];
    std::vector<const Box*> boxes;
    for (const Box& operand : operands) boxes.push_back(&operand);
    Box box;
    const absl::Status status = EncloseElementwise(instruction, Boxes(boxes), evaluate, &box);
    ASSERT_TRUE(status.ok()) << status;
    for (int64_t i = 0; i < kBoxes; ++i) {
      known[function] += std::isfinite(DecodeFloat(part(), box.low.Get(i).bits)) &&
                         std::isfinite(DecodeFloat(part(), box.high.Get(i).bits));
    }
    for (int64_t k = 0; k < kPoints; ++k) {
      std::vector<Literal> points;
      for (const Box& operand : operands) points.push_back(PointIn(operand));
      if (function == "multiply(x, x)") points[1] = points[0];
      auto value = golden.Evaluate(instruction, points);
      ASSERT_TRUE(value.ok()) << value.status();
      for (int64_t i = 0; i < kBoxes; ++i) {
        ASSERT_TRUE(Holds(box, *value, i))
            << function << ": element " << i << " of " << PrintLiteral(box.low) << " to "
            << PrintLiteral(box.high) << " is " << PrintLiteral(*value);
      }
    }
  }
  // Those far out overflow, those about zero have no quotient, angle or logarithm.
  for (const auto& [function, count] : known) EXPECT_GE(count, kBoxes / 8) << function;
}

INSTANTIATE_TEST_SUITE_P(Types, ComplexBoxesTest,
                         testing::Values(ElementType::kC64, ElementType::kC128),
                         [](const auto& type) { return std::string(Name(type.param)); });

}  // namespace
}  // namespace assay::conformance
