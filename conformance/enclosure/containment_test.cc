// Random programs, evaluated again and again as a conforming target may: functions off by their
// budget, sums in other orders, products rounded with their sums, conversions there and back left
// out. Not one value may lie outside the enclosure.
#include <cmath>
#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/enclosure/enclosure.h"
#include "evaluator/facts/isolate.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

constexpr int kSide = 4;
constexpr int kElements = kSide * kSide;

double Decode(const Literal& literal, int64_t i) {
  return DecodeFloat(literal.element_type(), literal.Get(i).bits);
}
void Encode(Literal* literal, int64_t i, double value) {
  literal->Set(i, Element{EncodeFloat(literal->element_type(), value)});
}

enum class Steps { kElementwise, kBasic, kAll };

// A program of T[4,4] values; every step takes some of those before it.
class ProgramWriter {
 public:
  ProgramWriter(std::mt19937& random, ElementType type, Steps steps)
      : random_(random), type_(type), steps_(steps) {}

  std::string Write(int length) {
    text_ =
        "HloModule m\nadd { a = T[] parameter(0)\n b = T[] parameter(1)\n"
        " ROOT s = T[] add(a, b) }\n"
        "turn { s = (s32[], A, A) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
        " x = A get-tuple-element(s), index=1\n y = A get-tuple-element(s), index=2\n"
        " one = s32[] constant(1)\n j = s32[] add(i, one)\n z = A tanh(x)\n"
        " w = A multiply(z, y)\n v = A add(w, x)\n ROOT t = (s32[], A, A) tuple(j, v, y) }\n"
        "again { s = (s32[], A, A) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
        " n = s32[] constant(3)\n ROOT c = pred[] compare(i, n), direction=LT }\n"
        "ENTRY e {\n x0 = A parameter(0)\n x1 = A parameter(1)\n zero = T[] constant(0)\n";
    for (int i = 0; i < length; ++i) Append(i + 1 == length);
    return absl::StrReplaceAll(absl::StrCat(text_, "}\n"),
                               {{"A ", absl::StrCat(Name(type_), "[4,4] ")},
                                {"A,", absl::StrCat(Name(type_), "[4,4],")},
                                {"A)", absl::StrCat(Name(type_), "[4,4])")},
                                {"T[", absl::StrCat(Name(type_), "[")}});
  }

 private:
  std::string Pick() {
    return absl::StrCat("x", count_ - 1 - std::min<int>(random_() % 3, count_ - 1));
  }

  void Append(bool root) {
    static const char* const kUnary[] = {
        "exponential", "tanh", "logistic",     "sine", "abs",   "negate", "cosine",
        "sqrt",        "cbrt", "log-plus-one", "erf",  "floor", "rsqrt",  "log"};
    static const char* const kBinary[] = {"add",    "subtract", "multiply",
                                          "divide", "maximum",  "minimum"};
    const std::string name = absl::StrCat(root ? " ROOT x" : " x", count_, " = A ");
    const std::string a = Pick(), b = Pick(), c = Pick(), d = Pick(), n = absl::StrCat(count_);
    const int kinds = steps_ == Steps::kElementwise ? 6 : steps_ == Steps::kBasic ? 10 : 15;
    switch (random_() % kinds) {
      case 0:
      case 1:
      case 2:
        absl::StrAppend(&text_, name, kUnary[random_() % std::size(kUnary)], "(", a, ")\n");
        break;
      case 3:
      case 4:
      case 5:
        absl::StrAppend(&text_, name, kBinary[random_() % std::size(kBinary)], "(", a, ", ", b,
                        ")\n");
        break;
      case 6:
        absl::StrAppend(&text_, " r", n, " = T[4] reduce(", a,
                        ", zero), dimensions={1}, to_apply=add\n", name, "broadcast(r", n,
                        "), dimensions={0}\n");
        break;
      case 7:
        absl::StrAppend(&text_, name, "dot(", a, ", ", b,
                        "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
        break;
      case 8:
        absl::StrAppend(&text_, " p", n, " = pred[4,4] compare(", a, ", ", b, "), direction=LT\n",
                        name, "select(p", n, ", ", c, ", ", d, ")\n");
        break;
      case 9:
        absl::StrAppend(&text_, name, "transpose(", a, "), dimensions={1,0}\n");
        break;
      case 10: {
        static const char* const kOther[] = {"f32", "bf16", "f16", "f64"};
        const char* other = kOther[random_() % std::size(kOther)];
        absl::StrAppend(&text_, " o", n, " = ", other, "[4,4] convert(", a, ")\n", name,
                        "convert(o", n, ")\n");
        break;
      }
      case 11:
        absl::StrAppend(&text_, name, "reduce-window(", a,
                        ", zero), window={size=1x4 pad=0_0x3_0}, to_apply=add\n");
        break;
      case 12:
        absl::StrAppend(&text_, " i", n, " = s32[4] constant({0, 2, 2, 1})\n", name, "scatter(", a,
                        ", i", n, ", ", b,
                        "), update_window_dims={1}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n");
        break;
      case 13:
        absl::StrAppend(&text_, " i", n, " = s32[] constant(0)\n t", n, " = (s32[], A, A) tuple(i",
                        n, ", ", a, ", ", b, ")\n w", n, " = (s32[], A, A) while(t", n,
                        "), condition=again, body=turn\n", name, "get-tuple-element(w", n,
                        "), index=1\n");
        break;
      default:
        absl::StrAppend(&text_, " l", n, " = T[] constant(-100)\n h", n, " = T[] constant(100)\n k",
                        n, " = A clamp(l", n, ", ", a, ", h", n, ")\n i", n, " = s8[4,4] convert(k",
                        n, ")\n", name, "convert(i", n, ")\n");
        break;
    }
    ++count_;
  }

  std::mt19937& random_;
  const ElementType type_;
  const Steps steps_;
  std::string text_;
  int count_ = 2;
};

// A conforming target with whims.
class WhimsicalTarget {
 public:
  WhimsicalTarget(const Module& module, const TargetProfile& profile)
      : module_(module), profile_(profile) {
    options_.budget.threads = 1;
    for (const auto& computation : module.computations()) {
      for (const auto& each : computation->instructions()) Prepare(*each);
    }
  }

  Literal Run(const std::vector<Literal>& arguments, std::mt19937& random) const {
    return RunComputation(*module_.entry(), arguments, random);
  }

 private:
  using Values = std::map<const Instruction*, Literal>;

  void Prepare(const Instruction& instruction) {
    switch (instruction.opcode()) {
      case Opcode::kParameter:
      case Opcode::kConstant:
      case Opcode::kTuple:
      case Opcode::kGetTupleElement:
      case Opcode::kWhile:
        return;
      default:
        break;
    }
    alone_.push_back(IsolateInstruction(instruction));
    auto planned = PlannedModule::Create(*alone_.back());
    EXPECT_TRUE(planned.ok()) << planned.status();
    planned_[&instruction] = *std::move(planned);
  }

  Literal RunComputation(const Computation& computation, const std::vector<Literal>& arguments,
                         std::mt19937& random) const {
    Values values;
    for (const auto& each : computation.instructions()) {
      // A bias of the whole run reaches the ends sooner than errors of all directions.
      const int lean = static_cast<int>(random() % 3) - 1;
      values[each.get()] = Apply(*each, arguments, values, lean, random);
    }
    return values.at(computation.root());
  }

  Literal Apply(const Instruction& instruction, const std::vector<Literal>& arguments,
                const Values& values, int lean, std::mt19937& random) const {
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction.operands()) {
      operands.push_back(values.at(operand));
    }
    switch (instruction.opcode()) {
      case Opcode::kParameter:
        return arguments[instruction.parameter_number()];
      case Opcode::kConstant:
        return *instruction.literal();
      case Opcode::kTuple:
        return Literal::Tuple(operands);
      case Opcode::kGetTupleElement:
        return operands[0].element(instruction.GetInt(Attr::kIndex));
      case Opcode::kWhile: {
        Literal state = operands[0];
        const Computation& again = *instruction.GetComputation(Attr::kCondition);
        while (RunComputation(again, {state}, random).Get(0).bits != 0) {
          state = RunComputation(*instruction.GetComputation(Attr::kBody), {state}, random);
        }
        return state;
      }
      case Opcode::kReduce:
      case Opcode::kDot:
      case Opcode::kReduceWindow:
      case Opcode::kScatter:
        return Sums(instruction, operands, random);
      case Opcode::kAdd:
        if (random() % 2 == 0 && IsFloat(instruction.shape().element_type()) &&
            instruction.operand(0)->opcode() == Opcode::kMultiply) {
          return Contracted(instruction, operands, values);
        }
        break;
      case Opcode::kConvert:
        // There and back: what was narrowed in between may not have been.
        if (random() % 2 == 0 && instruction.operand(0)->opcode() == Opcode::kConvert &&
            IsFloat(instruction.operand(0)->shape().element_type()) &&
            instruction.operand(0)->operand(0)->shape() == instruction.shape()) {
          return values.at(instruction.operand(0)->operand(0));
        }
        break;
      default:
        break;
    }
    auto golden = planned_.at(&instruction)->Run(operands, options_);
    EXPECT_TRUE(golden.ok()) << golden.status();
    Literal value = *std::move(golden);
    if (instruction.info().accuracy == Accuracy::kFunction) Err(instruction, lean, random, &value);
    return value;
  }

  // By what the budget leaves beside golden's own rounding.
  void Err(const Instruction& instruction, int lean, std::mt19937& random, Literal* value) const {
    const ElementType type = value->element_type();
    const FloatFormat& format = *Info(type).format;
    const double budget = profile_.FindBudget(instruction.opcode(), type).ulps;
    const int steps = static_cast<int>(std::floor(budget - 0.5));
    for (int64_t i = 0; i < value->element_count() && steps > 0; ++i) {
      const double golden = Decode(*value, i);
      if (!std::isfinite(golden) || golden == 0) continue;
      int off = lean * steps;
      if (lean == 0) off = static_cast<int>(random() % (2 * steps + 1)) - steps;
      const int exponent = std::max(std::ilogb(golden), format.min_exponent());
      Encode(value, i,
             golden + std::ldexp(static_cast<double>(off), exponent - format.significand_bits));
    }
  }

  // The terms of an element: pairs of factors.
  using Terms = std::vector<std::pair<double, double>>;
  static Terms TermsOf(const Instruction& instruction, const std::vector<Literal>& operands,
                       int row, int column) {
    Terms terms;
    auto at = [&](int operand, int r, int c) { return Decode(operands[operand], r * kSide + c); };
    switch (instruction.opcode()) {
      case Opcode::kReduce:
        for (int k = 0; k < kSide; ++k) terms.emplace_back(at(0, column, k), 1);
        break;
      case Opcode::kDot:
        for (int k = 0; k < kSide; ++k) terms.emplace_back(at(0, row, k), at(1, k, column));
        break;
      case Opcode::kReduceWindow:
        for (int k = 0; k <= column; ++k) terms.emplace_back(at(0, row, k), 1);
        break;
      default:
        terms.emplace_back(at(0, row, column), 1);
        for (int k = 0; k < kSide; ++k) {
          const auto to = static_cast<int>(operands[1].Get(k).bits);
          if (to == row) terms.emplace_back(at(2, k, column), 1);
        }
        break;
    }
    return terms;
  }

  // Terms added in a random order, each rounded alone or with its addition.
  template <typename Real>
  static double Sum(const Terms& terms, bool fused) {
    Real sum = 0;
    for (const auto& [left, right] : terms) {
      const auto a = static_cast<Real>(left), b = static_cast<Real>(right);
      if (fused) {
        sum = std::fma(a, b, sum);
      } else {
        const volatile Real product = a * b;
        sum = sum + product;
      }
    }
    return sum;
  }

  static Literal Sums(const Instruction& instruction, const std::vector<Literal>& operands,
                      std::mt19937& random) {
    Literal result = Literal::Zeros(instruction.shape());
    const bool wide = result.element_type() == ElementType::kF64;
    for (int64_t i = 0; i < result.element_count(); ++i) {
      Terms terms =
          TermsOf(instruction, operands, static_cast<int>(i) / kSide, static_cast<int>(i) % kSide);
      std::shuffle(terms.begin(), terms.end(), random);
      const bool fused = random() % 2 == 0;
      Encode(&result, i, wide ? Sum<double>(terms, fused) : Sum<float>(terms, fused));
    }
    return result;
  }

  static Literal Contracted(const Instruction& add, const std::vector<Literal>& operands,
                            const Values& values) {
    const Instruction* product = add.operand(0);
    const Literal& a = values.at(product->operand(0));
    const Literal& b = values.at(product->operand(1));
    Literal result = Literal::Zeros(add.shape());
    const bool wide = result.element_type() == ElementType::kF64;
    for (int64_t i = 0; i < kElements; ++i) {
      const double x = Decode(a, i), y = Decode(b, i), z = Decode(operands[1], i);
      Encode(&result, i,
             wide ? std::fma(x, y, z)
                  : std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)));
    }
    return result;
  }

  const Module& module_;
  const TargetProfile& profile_;
  RunOptions options_;
  std::vector<std::unique_ptr<Module>> alone_;
  std::map<const Instruction*, std::unique_ptr<PlannedModule>> planned_;
};

// Wild ones have zeros, infinities, NaNs, and numbers that overflow or underflow soon.
Literal RandomArgument(std::mt19937& random, ElementType type, bool wild) {
  Literal literal = Literal::Zeros(Shape(type, {kSide, kSide}));
  std::uniform_real_distribution<double> benign(0.25, 3.0);
  const double largest = DecodeFloat(type, MaxFinite(type));
  const double special[] = {0.0,     -0.0,         INFINITY,      -INFINITY, NAN,
                            largest, largest / -2, 1.5 / largest, -1.0};
  for (int64_t i = 0; i < kElements; ++i) {
    Encode(&literal, i, random() % 8 == 0 ? -benign(random) : benign(random));
    if (wild && random() % 4 == 0) Encode(&literal, i, special[random() % std::size(special)]);
  }
  return literal;
}

TEST(ContainmentTest, NoConformingValueLiesOutside) {
  auto profile = TargetProfile::Find("xla-cpu");
  ASSERT_TRUE(profile.ok()) << profile.status();
  constexpr ElementType kTypes[] = {ElementType::kF32, ElementType::kBF16, ElementType::kF32,
                                    ElementType::kF16, ElementType::kF32,  ElementType::kF64};
  std::mt19937 random(20261122);
  int64_t evaluations = 0, tame = 0, judged = 0, moved = 0;
  for (int program = 0; program < 1000; ++program) {
    const ElementType type = kTypes[program % std::size(kTypes)];
    const bool wild = program % 5 == 4;
    const std::string text =
        ProgramWriter(random, type, program % 3 == 0 ? Steps::kBasic : Steps::kAll)
            .Write(2 + program % 7);
    auto module = ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
    const std::vector<Literal> arguments = {RandomArgument(random, type, wild),
                                            RandomArgument(random, type, wild)};
    auto enclosure = Enclose(**module, arguments, *profile, RunBudget{});
    ASSERT_TRUE(enclosure.ok()) << enclosure.status() << "\n" << text;
    auto golden = Interpret(**module, arguments);
    ASSERT_TRUE(golden.ok()) << golden.status();
    const WhimsicalTarget target(**module, *profile);
    for (int run = 0; run < 100; ++run) {
      const Literal actual = target.Run(arguments, random);
      auto judgement = JudgeWhole(*enclosure, *golden, actual);
      ASSERT_TRUE(judgement.ok()) << judgement.status();
      ++evaluations;
      ASSERT_NE(judgement->verdict, Verdict::kWrong)
          << text << "golden " << judgement->evidence[0].golden << " actual "
          << judgement->evidence[0].actual << ": " << judgement->evidence[0].reason;
      if (wild) continue;
      tame += kElements;
      judged += kElements - judgement->counts[static_cast<int>(Verdict::kNotJudgeable)];
      moved += judgement->counts[static_cast<int>(Verdict::kWithinBound)];
    }
  }
  EXPECT_EQ(evaluations, 100000);
  // It would mean little if nothing were known or nothing moved.
  EXPECT_GT(judged, tame * 7 / 10);
  EXPECT_GT(moved, tame / 10);
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
    std::vector<Literal> arguments = {RandomArgument(random, ElementType::kF32, false),
                                      RandomArgument(random, ElementType::kF32, false)};
    for (Literal& argument : arguments) {
      for (int64_t i = 0; i < kElements; ++i) Encode(&argument, i, std::fabs(Decode(argument, i)));
    }
    auto enclosure = Enclose(**module, arguments, *profile, RunBudget{});
    ASSERT_TRUE(enclosure.ok()) << enclosure.status();
    const WhimsicalTarget target(**module, *profile);
    std::vector<double> least(kElements, INFINITY), greatest(kElements, -INFINITY);
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
