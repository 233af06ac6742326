// Random programs, evaluated again and again as a conforming target may: functions off by their
// budget, sums in other orders, products rounded with their sums, conversions there and back left
// out. Not one value may lie outside the enclosure.
#include <cmath>
#include <map>
#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
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
    const std::string wide = type_ == ElementType::kF64 ? "f64" : "f32";
    return absl::StrReplaceAll(absl::StrCat(text_, "}\n"),
                               {{"S ", absl::StrCat(wide, "[4,4] ")},
                                {"S[", absl::StrCat(wide, "[")},
                                {"A ", absl::StrCat(Name(type_), "[4,4] ")},
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
    const int kinds = steps_ == Steps::kElementwise ? 6 : steps_ == Steps::kBasic ? 10 : 20;
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
      case 14:
        absl::StrAppend(&text_, " sv", n, " = S convert(", a, ")\n fv", n, " = ",
                        type_ == ElementType::kF64 ? "c128" : "c64", "[4,3] fft(sv", n,
                        "), fft_type=RFFT, fft_length={4}\n g", n, " = S fft(fv", n,
                        "), fft_type=IRFFT, fft_length={4}\n", name, "convert(g", n, ")\n");
        break;
      case 15:
        absl::StrAppend(&text_, " sv", n, " = S convert(", a, ")\n t", n, " = S abs(sv", n,
                        ")\n uv", n, " = S[] constant(2)\n v", n, " = S broadcast(uv", n,
                        "), dimensions={}\n w", n, " = S add(t", n, ", v", n, ")\n r", n,
                        " = S convert(", b, ")\n y", n, " = S triangular-solve(w", n, ", r", n,
                        random_() % 2 == 0 ? "), left_side=true, lower=true, "
                                           : "), left_side=false, lower=false, ",
                        "unit_diagonal=false, transpose_a=NO_TRANSPOSE\n", name, "convert(y", n,
                        ")\n");
        break;
      case 16:  // tanh(a) tanh(a)^T + 6, whose other triangle is masked
        absl::StrAppend(
            &text_, " sv", n, " = S convert(", a, ")\n t", n, " = S tanh(sv", n, ")\n tt", n,
            " = S transpose(t", n, "), dimensions={1,0}\n q", n, " = S dot(t", n, ", tt", n,
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n uv", n,
            " = S constant({{6,0,0,0},{0,6,0,0},{0,0,6,0},{0,0,0,6}})\n v", n, " = S add(q", n,
            ", uv", n, ")\n y", n, " = S cholesky(v", n, "), lower=true\n p", n,
            " = pred[4,4] constant({{1,0,0,0},{1,1,0,0},{1,1,1,0},{1,1,1,1}})\n r", n,
            " = S select(p", n, ", y", n, ", uv", n, ")\n", name, "convert(r", n, ")\n");
        break;
      case 17:
      case 18:
        Normalize(a, b, name, n);
        break;
      default:
        absl::StrAppend(&text_, " l", n, " = T[] constant(-100)\n h", n, " = T[] constant(100)\n k",
                        n, " = A clamp(l", n, ", ", a, ", h", n, ")\n i", n, " = s8[4,4] convert(k",
                        n, ")\n", name, "convert(i", n, ")\n");
        break;
    }
    ++count_;
  }

  // Statistics and parameters are the first two rows of b, one of them squared.
  void Normalize(const std::string& a, const std::string& b, const std::string& name,
                 const std::string& n) {
    absl::StrAppend(&text_, " sv", n, " = S convert(", a, ")\n r", n, " = S convert(", b, ")\n q",
                    n, " = S[1,4] slice(r", n, "), slice={[0:1], [0:4]}\n g", n,
                    " = S[4] reshape(q", n, ")\n t", n, " = S[1,4] slice(r", n,
                    "), slice={[1:2], [0:4]}\n o", n, " = S[4] reshape(t", n, ")\n v", n,
                    " = S[4] multiply(o", n, ", o", n, ")\n");
    const std::string attributes = "), epsilon=0.5, feature_index=1\n";
    const int leaf = static_cast<int>(random_() % 3);
    const int kind = static_cast<int>(random_() % 3);
    std::string result = absl::StrCat("y", n);
    if (kind == 0) {
      absl::StrAppend(&text_, " y", n, " = S batch-norm-inference(sv", n, ", g", n, ", o", n, ", g",
                      n, ", v", n, attributes);
    } else {
      absl::StrAppend(&text_, " z", n, " = (S[4,4], S[4], S[4]) batch-norm-",
                      kind == 1 ? "training(sv" : "grad(sv", n, ", g", n, ", o", n);
      if (kind == 2) absl::StrAppend(&text_, ", v", n, ", r", n);
      absl::StrAppend(&text_, attributes, leaf == 0 ? " y" : " w", n,
                      leaf == 0 ? " = S " : " = S[4] ", "get-tuple-element(z", n, "), index=", leaf,
                      "\n");
      if (leaf != 0) {
        absl::StrAppend(&text_, " y", n, " = S broadcast(w", n, "), dimensions={1}\n");
      }
    }
    absl::StrAppend(&text_, name, "convert(y", n, ")\n");
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
      case Opcode::kFft:
        return Transform(instruction, operands[0], random);
      case Opcode::kTriangularSolve:
        return OfType(instruction.shape().element_type(), [&](auto real) {
          return Solve<decltype(real)>(instruction, operands[0], operands[1], random);
        });
      case Opcode::kBatchNormInference:
      case Opcode::kBatchNormTraining:
      case Opcode::kBatchNormGrad:
        return OfType(instruction.operand(0)->shape().element_type(), [&](auto real) {
          return Normalize<decltype(real)>(instruction, operands, random);
        });
      case Opcode::kCholesky:
        return OfType(instruction.shape().element_type(),
                      [&](auto real) { return Factor<decltype(real)>(operands[0], random); });
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

  template <typename Run>
  static Literal OfType(ElementType type, Run run) {
    return type == ElementType::kF64 ? run(double{}) : run(float{});
  }

  // A column at a time; sums in any order, the output as a scaled distance or as a line.
  template <typename Real>
  static Literal Normalize(const Instruction& instruction, const std::vector<Literal>& operands,
                           std::mt19937& random) {
    const Literal& x = operands[0];
    const Shape& shape = x.shape();
    const Shape row(shape.element_type(), {kSide});
    Literal outputs = Literal::Zeros(shape), first = Literal::Zeros(row), second = first;
    const bool grad = instruction.opcode() == Opcode::kBatchNormGrad;
    const bool training = instruction.opcode() == Opcode::kBatchNormTraining;
    const auto sum = [&](auto term) {
      Terms terms;
      for (int i = 0; i < kSide; ++i) terms.push_back(term(i));
      std::shuffle(terms.begin(), terms.end(), random);
      return static_cast<Real>(Sum<Real>(terms, random() % 2 == 0));
    };
    for (int k = 0; k < kSide; ++k) {
      const auto at = [&](const Literal& of, int i) {
        return static_cast<Real>(Decode(of, i * kSide + k));
      };
      const auto parameter = [&](int operand) {
        return static_cast<Real>(Decode(operands[operand], k));
      };
      using Term = std::pair<double, double>;
      Real mean = training ? 0 : parameter(grad ? 2 : 3);
      Real variance = training ? 0 : parameter(grad ? 3 : 4);
      const auto distance = [&](int i) { return at(x, i) - mean; };
      if (training) {
        mean = sum([&](int i) { return Term(at(x, i), 1); }) / kSide;
        variance = sum([&](int i) { return Term(distance(i), distance(i)); }) / kSide;
        Encode(&first, k, mean);
        Encode(&second, k, variance);
      }
      const Real w = variance + Real{0.5}, root = std::sqrt(w), scale = parameter(1);
      if (!grad) {
        const Real factor = scale / root, offset = parameter(2);
        const bool line = random() % 2 == 0;
        for (int i = 0; i < kSide; ++i) {
          const Real y =
              line ? at(x, i) * factor + (offset - mean * factor) : distance(i) * factor + offset;
          Encode(&outputs, i * kSide + k, y);
        }
        continue;
      }
      const Literal& dy = operands[4];
      const Real total = sum([&](int i) { return Term(at(dy, i), 1); });
      const Real products = sum([&](int i) { return Term(at(dy, i), distance(i)); });
      Encode(&first, k, products / root);
      Encode(&second, k, total);
      for (int i = 0; i < kSide; ++i) {
        const Real bracket = kSide * at(dy, i) - total - distance(i) * products / w;
        Encode(&outputs, i * kSide + k, scale / (root * kSide) * bracket);
      }
    }
    if (instruction.shape().is_array()) return outputs;
    return Literal::Tuple({outputs, first, second});
  }

  // By its definition, lines of four: roots of unity are 1, i, -1 and -i.
  static Literal Transform(const Instruction& fft, const Literal& operand, std::mt19937& random) {
    Literal result = Literal::Zeros(fft.shape());
    const bool wide =
        operand.element_type() == ElementType::kF64 || operand.element_type() == ElementType::kC128;
    const bool inverse = IsComplex(operand.element_type());
    const ElementType part = wide ? ElementType::kF64 : ElementType::kF32;
    const auto at = [&](int row, int k, bool imaginary) {
      // Half a spectrum, the other is its conjugate; imaginary parts that count for nothing.
      if (!inverse) return imaginary ? 0.0 : Decode(operand, row * kSide + k);
      const Element element = operand.Get(row * 3 + (k < 3 ? k : 1));
      const double value = DecodeFloat(part, imaginary ? element.imag : element.bits);
      return imaginary ? (k % 2 == 0 ? 0 : k == 3 ? -value : value) : value;
    };
    for (int row = 0; row < kSide; ++row) {
      for (int k = 0; k < (inverse ? kSide : 3); ++k) {
        Terms real, imaginary;
        for (int j = 0; j < kSide; ++j) {
          static constexpr double kCosine[] = {1, 0, -1, 0}, kSine[] = {0, 1, 0, -1};
          const double cosine = kCosine[j * k % 4], sine = kSine[j * k % 4] * (inverse ? 1 : -1);
          real.emplace_back(at(row, j, false), cosine);
          real.emplace_back(at(row, j, true), -sine);
          imaginary.emplace_back(at(row, j, false), sine);
          imaginary.emplace_back(at(row, j, true), cosine);
        }
        std::shuffle(real.begin(), real.end(), random);
        std::shuffle(imaginary.begin(), imaginary.end(), random);
        const auto sum = [&](const Terms& terms) {
          return wide ? Sum<double>(terms, false) : Sum<float>(terms, false);
        };
        if (inverse) {
          Encode(&result, row * kSide + k, sum(real) / 4);
        } else {
          result.Set(row * 3 + k,
                     Element{EncodeFloat(part, sum(real)), EncodeFloat(part, sum(imaginary))});
        }
      }
    }
    return result;
  }

  // Substitution; the terms of a row in any order.
  template <typename Real>
  static Literal Solve(const Instruction& solve, const Literal& a, const Literal& b,
                       std::mt19937& random) {
    const bool left = solve.GetBool(Attr::kLeftSide);
    Literal x = Literal::Zeros(solve.shape());
    for (int side = 0; side < kSide; ++side) {
      const auto place = [&](int i) { return left ? i * kSide + side : side * kSide + i; };
      // x a = b with an upper triangle: a^T x^T = b^T with a lower one.
      const auto t = [&](int i, int j) { return Decode(a, left ? i * kSide + j : j * kSide + i); };
      for (int i = 0; i < kSide; ++i) {
        Terms terms = {{Decode(b, place(i)), 1}};
        for (int j = 0; j < i; ++j) terms.emplace_back(-t(i, j), Decode(x, place(j)));
        std::shuffle(terms.begin(), terms.end(), random);
        const auto rest = static_cast<Real>(Sum<Real>(terms, random() % 2 == 0));
        Encode(&x, place(i), rest / static_cast<Real>(t(i, i)));
      }
    }
    return x;
  }

  // Row by row. The other triangle is filled with what was there.
  template <typename Real>
  static Literal Factor(const Literal& a, std::mt19937& random) {
    Literal factor = a;
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j <= i; ++j) {
        Terms terms = {{Decode(a, i * kSide + j), 1}};
        for (int k = 0; k < j; ++k) {
          terms.emplace_back(-Decode(factor, i * kSide + k), Decode(factor, j * kSide + k));
        }
        std::shuffle(terms.begin(), terms.end(), random);
        const auto rest = static_cast<Real>(Sum<Real>(terms, random() % 2 == 0));
        Encode(&factor, i * kSide + j,
               i == j ? std::sqrt(rest) : rest / static_cast<Real>(Decode(factor, j * kSide + j)));
      }
    }
    return factor;
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

// Of every chain of elementwise operations the interval is at most four times as wide as what is
// seen of it: the geometric mean over its elements.
class ChainTest : public testing::TestWithParam<const char*> {};

TEST_P(ChainTest, IsEnclosedTightly) {
  auto profile = TargetProfile::Find("xla-cpu");
  ASSERT_TRUE(profile.ok());
  std::mt19937 random(7);
  std::string chain;
  int step = 2;
  for (const std::string& operation : std::vector<std::string>(absl::StrSplit(GetParam(), "; "))) {
    absl::StrAppend(&chain, " x", step++, " = f32[4,4] ", operation, "\n");
  }
  chain.insert(chain.rfind(" x", chain.rfind(" = ")), " ROOT");
  auto module = ParseModule(absl::StrCat(
      "HloModule m\nENTRY e {\n x0 = f32[4,4] parameter(0)\n x1 = f32[4,4] parameter(1)\n", chain,
      "}\n"));
  ASSERT_TRUE(module.ok()) << module.status() << chain;
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
  double sum_of_logs = 0;
  for (int i = 0; i < kElements; ++i) {
    const double low = Decode(enclosure->box().low, i), high = Decode(enclosure->box().high, i);
    EXPECT_LE(low, least[i]);
    EXPECT_GE(high, greatest[i]);
    ASSERT_GT(greatest[i], least[i]);
    sum_of_logs += std::log((high - low) / (greatest[i] - least[i]));
  }
  const double ratio = std::exp(sum_of_logs / kElements);
  RecordProperty("ratio", absl::StrCat(ratio));
  EXPECT_LE(ratio, 4.0);
}

INSTANTIATE_TEST_SUITE_P(
    All, ChainTest,
    testing::Values(
        "exponential(x0); multiply(x2, x1); tanh(x3)",
        "logistic(x0); add(x2, x1); log(x3); multiply(x4, x1)",
        "sine(x0); cosine(x2); divide(x1, x3); sqrt(x4)", "tanh(x0); exponential(x2); rsqrt(x3)",
        "sqrt(x0); log-plus-one(x2); divide(x3, x1)",
        "negate(x0); exponential(x2); add(x3, x1); log(x4)",
        "exponential(x0); add(x2, x1); divide(x0, x3)", "cbrt(x0); erf(x2); multiply(x3, x1)",
        "atan2(x0, x1); sine(x2); exponential(x3)", "power(x0, x1); log(x2); logistic(x3)",
        "exponential-minus-one(x0); rsqrt(x2); maximum(x3, x1); tanh(x4)",
        "cosine(x0); abs(x2); sqrt(x3); multiply(x4, x4)"));

}  // namespace
}  // namespace assay
