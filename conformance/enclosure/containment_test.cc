// Random programs, evaluated again and again as a conforming target may: functions off by their
// budget, sums in other orders, products rounded with their sums, zeros of the other sign. Not one
// value may lie outside the enclosure.
#include <cmath>
#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/enclosure.h"
#include "evaluator/facts/isolate.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

constexpr int kSide = 4;
constexpr int kElements = kSide * kSide;

float Decode(const Literal& literal, int64_t i) {
  return static_cast<float>(DecodeFloat(ElementType::kF32, literal.Get(i).bits));
}
void Encode(Literal* literal, int64_t i, float value) {
  literal->Set(i, Element{EncodeFloat(ElementType::kF32, value)});
}

// A program of f32[4,4] values; every instruction takes two of those before it.
std::string RandomProgram(std::mt19937& random, int length, bool elementwise_only) {
  static const char* const kUnary[] = {"exponential", "tanh",   "logistic", "sine", "abs",
                                       "negate",      "cosine", "sqrt",     "cbrt", "log-plus-one",
                                       "erf",         "floor",  "rsqrt",    "log"};
  static const char* const kBinary[] = {"add",    "subtract", "multiply",
                                        "divide", "maximum",  "minimum"};
  std::string text =
      "HloModule m\nadd { a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT s = f32[] add(a, b) }\nENTRY e {\n x0 = f32[4,4] parameter(0)\n"
      " x1 = f32[4,4] parameter(1)\n zero = f32[] constant(0)\n";
  int count = 2;
  auto pick = [&] { return absl::StrCat("x", count - 1 - std::min<int>(random() % 3, count - 1)); };
  for (int i = 0; i < length; ++i) {
    const std::string name = absl::StrCat(i + 1 == length ? " ROOT x" : " x", count, " = ");
    const int kind = static_cast<int>(random() % (elementwise_only ? 6 : 10));
    if (kind < 3) {
      const char* op = kUnary[random() % std::size(kUnary)];
      const std::string a = pick();
      absl::StrAppend(&text, name, "f32[4,4] ", op, "(", a, ")\n");
    } else if (kind < 6) {
      const char* op = kBinary[random() % std::size(kBinary)];
      const std::string a = pick(), b = pick();
      absl::StrAppend(&text, name, "f32[4,4] ", op, "(", a, ", ", b, ")\n");
    } else if (kind == 6) {
      absl::StrAppend(&text, " r", count, " = f32[4] reduce(", pick(),
                      ", zero), dimensions={1}, to_apply=add\n", name, "f32[4,4] broadcast(r",
                      count, "), dimensions={0}\n");
    } else if (kind == 7) {
      const std::string a = pick(), b = pick();
      absl::StrAppend(&text, name, "f32[4,4] dot(", a, ", ", b,
                      "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
    } else if (kind == 8) {
      const std::string a = pick(), b = pick(), c = pick(), d = pick();
      absl::StrAppend(&text, " p", count, " = pred[4,4] compare(", a, ", ", b, "), direction=LT\n",
                      name, "f32[4,4] select(p", count, ", ", c, ", ", d, ")\n");
    } else {
      absl::StrAppend(&text, name, "f32[4,4] transpose(", pick(), "), dimensions={1,0}\n");
    }
    ++count;
  }
  return absl::StrCat(text, "}\n");
}

// A conforming target with whims.
class WhimsicalTarget {
 public:
  WhimsicalTarget(const Module& module, const TargetProfile& profile)
      : module_(module), profile_(profile) {
    for (const auto& each : module.entry()->instructions()) {
      if (each->opcode() == Opcode::kParameter || each->opcode() == Opcode::kConstant) continue;
      alone_.push_back(IsolateInstruction(*each));
      auto planned = PlannedModule::Create(*alone_.back());
      EXPECT_TRUE(planned.ok()) << planned.status();
      planned_[each.get()] = *std::move(planned);
    }
    options_.budget.threads = 1;
  }

  Literal Run(const std::vector<Literal>& arguments, std::mt19937& random) const {
    std::map<const Instruction*, Literal> values;
    // A bias of the whole run reaches the ends sooner than errors of all directions.
    for (const auto& each : module_.entry()->instructions()) {
      const int lean = static_cast<int>(random() % 3) - 1;
      if (each->opcode() == Opcode::kParameter) {
        values[each.get()] = arguments[each->parameter_number()];
      } else if (each->opcode() == Opcode::kConstant) {
        values[each.get()] = *each->literal();
      } else {
        values[each.get()] = Apply(*each, values, lean, random);
      }
    }
    return values.at(module_.entry()->root());
  }

 private:
  Literal Apply(const Instruction& instruction, std::map<const Instruction*, Literal>& values,
                int lean, std::mt19937& random) const {
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction.operands()) {
      operands.push_back(values.at(operand));
    }
    switch (instruction.opcode()) {
      case Opcode::kReduce:
        return Sums(
            instruction, [&](int row, int k) { return Decode(operands[0], row * kSide + k); },
            [](int, int) { return 1.0f; }, 1, random);
      case Opcode::kDot:
        return Sums(
            instruction, [&](int row, int k) { return Decode(operands[0], row * kSide + k); },
            [&](int column, int k) { return Decode(operands[1], k * kSide + column); }, kSide,
            random);
      case Opcode::kAdd:
        if (random() % 2 == 0 && instruction.operand(0)->opcode() == Opcode::kMultiply) {
          return Contracted(instruction, operands, values);
        }
        break;
      default:
        break;
    }
    auto golden = planned_.at(&instruction)->Run(operands, options_);
    EXPECT_TRUE(golden.ok()) << golden.status();
    Literal value = *std::move(golden);
    if (instruction.info().accuracy != Accuracy::kFunction) return value;
    const double budget = profile_.FindBudget(instruction.opcode(), ElementType::kF32).ulps;
    const int steps = static_cast<int>(std::floor(budget - 0.5));
    for (int64_t i = 0; i < value.element_count() && steps > 0; ++i) {
      const float golden_value = Decode(value, i);
      if (!std::isfinite(golden_value) || golden_value == 0) continue;
      int off = lean * steps;
      if (lean == 0) off = static_cast<int>(random() % (2 * steps + 1)) - steps;
      const int exponent = std::max(std::ilogb(golden_value), -126);
      Encode(
          &value, i,
          static_cast<float>(golden_value + std::ldexp(static_cast<double>(off), exponent - 23)));
    }
    return value;
  }

  // Products added in a random order, each rounded alone or with its addition.
  template <typename Left, typename Right>
  Literal Sums(const Instruction& instruction, Left left, Right right, int columns,
               std::mt19937& random) const {
    Literal result = Literal::Zeros(instruction.shape());
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < columns; ++column) {
        int order[kSide] = {0, 1, 2, 3};
        std::shuffle(order, order + kSide, random);
        const bool fused = random() % 2 == 0;
        float sum = 0;
        for (const int k : order) {
          const float a = left(row, k), b = right(column, k);
          if (fused) {
            sum = std::fma(a, b, sum);
          } else {
            const volatile float product = a * b;
            sum = sum + product;
          }
        }
        Encode(&result, row * columns + column, sum);
      }
    }
    return result;
  }

  static Literal Contracted(const Instruction& add, const std::vector<Literal>& operands,
                            std::map<const Instruction*, Literal>& values) {
    const Instruction* product = add.operand(0);
    const Literal& a = values.at(product->operand(0));
    const Literal& b = values.at(product->operand(1));
    Literal result = Literal::Zeros(add.shape());
    for (int64_t i = 0; i < kElements; ++i) {
      Encode(&result, i, std::fma(Decode(a, i), Decode(b, i), Decode(operands[1], i)));
    }
    return result;
  }

  const Module& module_;
  const TargetProfile& profile_;
  RunOptions options_;
  std::vector<std::unique_ptr<Module>> alone_;
  std::map<const Instruction*, std::unique_ptr<PlannedModule>> planned_;
};

Literal RandomArgument(std::mt19937& random) {
  Literal literal = Literal::Zeros(Shape(ElementType::kF32, {kSide, kSide}));
  std::uniform_real_distribution<float> benign(0.25f, 3.0f);
  for (int64_t i = 0; i < kElements; ++i) {
    Encode(&literal, i, random() % 8 == 0 ? -benign(random) : benign(random));
  }
  return literal;
}

TEST(ContainmentTest, NoConformingValueLiesOutside) {
  auto profile = TargetProfile::Find("xla-cpu");
  ASSERT_TRUE(profile.ok()) << profile.status();
  std::mt19937 random(20261122);
  int64_t evaluations = 0, judged = 0, moved = 0;
  for (int program = 0; program < 500; ++program) {
    const std::string text = RandomProgram(random, 2 + program % 7, false);
    auto module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    const std::vector<Literal> arguments = {RandomArgument(random), RandomArgument(random)};
    auto enclosure = Enclose(**module, arguments, *profile, RunBudget{});
    ASSERT_TRUE(enclosure.ok()) << enclosure.status() << "\n" << text;
    auto golden = Interpret(**module, arguments);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const WhimsicalTarget target(**module, *profile);
    for (int run = 0; run < 200; ++run) {
      const Literal actual = target.Run(arguments, random);
      auto judgement = JudgeWhole(*enclosure, *golden, actual);
      ASSERT_TRUE(judgement.ok()) << judgement.status();
      ++evaluations;
      judged += kElements - judgement->counts[static_cast<int>(Verdict::kNotJudgeable)];
      moved += judgement->counts[static_cast<int>(Verdict::kWithinBound)];
      ASSERT_NE(judgement->verdict, Verdict::kWrong)
          << text << "golden " << judgement->evidence[0].golden << " actual "
          << judgement->evidence[0].actual << ": " << judgement->evidence[0].reason;
    }
  }
  EXPECT_EQ(evaluations, 100000);
  // It would mean little if nothing were known or nothing moved.
  EXPECT_GT(judged, evaluations * kElements * 8 / 10);
  EXPECT_GT(moved, evaluations * kElements / 10);
}

// Of chains of elementwise operations the interval is at most four times as wide as what is seen.
TEST(ContainmentTest, ChainsAreEnclosedTightly) {
  auto profile = TargetProfile::Find("xla-cpu");
  ASSERT_TRUE(profile.ok());
  std::mt19937 random(7);
  double sum_of_logs = 0;
  int64_t intervals = 0;
  const char* const chains[] = {
      "x2 = f32[4,4] exponential(x0)\n x3 = f32[4,4] multiply(x2, x1)\n ROOT x4 = f32[4,4] "
      "tanh(x3)",
      "x2 = f32[4,4] logistic(x0)\n x3 = f32[4,4] add(x2, x1)\n x4 = f32[4,4] log(x3)\n"
      " ROOT x5 = f32[4,4] multiply(x4, x1)",
      "x2 = f32[4,4] sine(x0)\n x3 = f32[4,4] cosine(x2)\n x4 = f32[4,4] divide(x1, x3)\n"
      " ROOT x5 = f32[4,4] sqrt(x4)"};
  for (const char* chain : chains) {
    auto module =
        ParseModule(absl::StrCat("HloModule m\nENTRY e {\n x0 = f32[4,4] parameter(0)\n"
                                 " x1 = f32[4,4] parameter(1)\n ",
                                 chain, "\n}\n"));
    ASSERT_TRUE(module.ok()) << module.status();
    std::vector<Literal> arguments = {RandomArgument(random), RandomArgument(random)};
    for (Literal& argument : arguments) {
      for (int64_t i = 0; i < kElements; ++i) Encode(&argument, i, std::fabs(Decode(argument, i)));
    }
    auto enclosure = Enclose(**module, arguments, *profile, RunBudget{});
    ASSERT_TRUE(enclosure.ok()) << enclosure.status();
    const WhimsicalTarget target(**module, *profile);
    std::vector<float> least(kElements, INFINITY), greatest(kElements, -INFINITY);
    for (int run = 0; run < 2000; ++run) {
      const Literal actual = target.Run(arguments, random);
      for (int i = 0; i < kElements; ++i) {
        least[i] = std::min(least[i], Decode(actual, i));
        greatest[i] = std::max(greatest[i], Decode(actual, i));
      }
    }
    for (int i = 0; i < kElements; ++i) {
      const double width = Decode(enclosure->box.high, i) - Decode(enclosure->box.low, i);
      const double seen = greatest[i] - least[i];
      ASSERT_GT(seen, 0);
      sum_of_logs += std::log(width / seen);
      ++intervals;
    }
  }
  EXPECT_LE(std::exp(sum_of_logs / static_cast<double>(intervals)), 4.0);
}

}  // namespace
}  // namespace assay
