// A randomised conforming target for tests of enclosures. It deviates at random within a profile:
// function errors up to the budget, other orders of sums, contraction, removed pairs of
// conversions, flushed denormals of elementwise operations. It supports programs whose sums are
// those of T[4,4] values.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_RANDOMISED_TARGET_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_RANDOMISED_TARGET_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/judge/element_rule.h"
#include "conformance/judge/freedoms.h"
#include "conformance/profiles/profile.h"
#include "gtest/gtest.h"
#include "interpreter/interpreter.h"
#include "spec/analysis/isolate.h"
#include "spec/element/element.h"

namespace assay::conformance::containment {

inline constexpr int kSide = 4;
inline constexpr int kElements = kSide * kSide;

inline double Decode(const Literal& literal, int64_t i) {
  return DecodeFloat(literal.element_type(), literal.Get(i).bits);
}
inline void Encode(Literal* literal, int64_t i, double value) {
  literal->Set(i, Element{EncodeFloat(literal->element_type(), value)});
}

class RandomisedTarget {
 public:
  RandomisedTarget(const Module& module, const TargetProfile& profile)
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
      case Opcode::kConditional:
        return;
      default:
        break;
    }
    alone_.push_back(analysis::IsolateInstruction(instruction));
    auto planned = PlannedModule::Create(*alone_.back());
    EXPECT_TRUE(planned.ok()) << planned.status();
    planned_[&instruction] = *std::move(planned);
  }

  Literal RunComputation(const Computation& computation, const std::vector<Literal>& arguments,
                         std::mt19937& random) const {
    Values values;
    for (const auto& each : computation.instructions()) {
      // Errors of one direction reach the ends of intervals sooner than errors of both.
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
      case Opcode::kConditional: {
        const bool first = operands[0].Get(0).bits != 0;
        return RunComputation(*instruction.called_computations()[first ? 0 : 1],
                              {operands[first ? 1 : 2]}, random);
      }
      case Opcode::kReduce:
      case Opcode::kDot:
      case Opcode::kReduceWindow:
      case Opcode::kScatter:
        return Sums(instruction, operands, random);
      case Opcode::kFft:
        return Transform(instruction, operands[0], random);
      case Opcode::kTriangularSolve:
        return OfValues(instruction.shape().element_type(), [&](auto value) {
          return Solve<decltype(value)>(operands[0], operands[1],
                                        instruction.GetBool(Attr::kLeftSide), random);
        });
      case Opcode::kCustomCall:
        return Call(instruction, operands, random);
      case Opcode::kBatchNormInference:
      case Opcode::kBatchNormTraining:
      case Opcode::kBatchNormGrad:
        return OfType(instruction.operand(0)->shape().element_type(), [&](auto real) {
          return Normalize<decltype(real)>(instruction, operands, random);
        });
      case Opcode::kCholesky:
        return OfValues(instruction.shape().element_type(),
                        [&](auto value) { return Factor<decltype(value)>(operands[0], random); });
      case Opcode::kAdd:
        if (random() % 2 == 0 && IsFloat(instruction.shape().element_type()) &&
            instruction.operand(0)->opcode() == Opcode::kMultiply) {
          return Contracted(instruction, operands, values);
        }
        break;
      case Opcode::kConvert:
        // A pair of conversions may be removed, and with it the narrowing in between.
        if (random() % 2 == 0 && instruction.operand(0)->opcode() == Opcode::kConvert &&
            IsFloat(instruction.operand(0)->shape().element_type()) &&
            instruction.operand(0)->operand(0)->shape() == instruction.shape()) {
          return values.at(instruction.operand(0)->operand(0));
        }
        break;
      default:
        break;
    }
    if (random() % 4 == 0) Flush(instruction, &operands);
    auto golden = planned_.at(&instruction)->Run(operands, options_);
    EXPECT_TRUE(golden.ok()) << golden.status();
    Literal value = *std::move(golden);
    if (instruction.info().accuracy == Accuracy::kFunction) {
      Err(instruction, operands, lean, random, &value);
    }
    return value;
  }

  // Flushes the denormals of operands.
  void Flush(const Instruction& instruction, std::vector<Literal>* operands) const {
    if (!MayFlush(instruction)) return;
    for (Literal& operand : *operands) {
      if (profile_.MayFlushOperands(operand.element_type())) operand = FlushDenormals(operand);
    }
  }

  // Adds errors of up to the budget less the rounding of the golden value.
  void Err(const Instruction& instruction, const std::vector<Literal>& operands, int lean,
           std::mt19937& random, Literal* value) const {
    const ElementType type = value->element_type();
    const FloatFormat& format = *Info(type).format;
    const double budget = profile_.FindBudget(instruction.opcode(), type).ulps;
    const int steps = static_cast<int>(std::floor(budget - 0.5));
    for (int64_t i = 0; i < value->element_count() && steps > 0; ++i) {
      const double golden = Decode(*value, i);
      if (!std::isfinite(golden) || golden == 0) continue;
      int off = lean * steps;
      if (lean == 0) off = static_cast<int>(random() % (2 * steps + 1)) - steps;
      // No error at special points, none that leaves the function's range.
      if (operands.size() == 1 && IsFloat(operands[0].element_type()) &&
          IsSpecialPoint(instruction.opcode(),
                         Decode(operands[0], operands[0].element_count() == 1 ? 0 : i))) {
        continue;
      }
      const int exponent = std::max(std::ilogb(golden), format.min_exponent());
      const double moved =
          golden + std::ldexp(static_cast<double>(off), exponent - format.significand_bits);
      const FunctionRange range = RangeOf(instruction.opcode(), type);
      if (moved >= range.low && moved <= range.high) Encode(value, i, moved);
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

  // Adds the terms in their order. A product is rounded alone or fused with its addition.
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

  // Batch normalisation, one column at a time. Sums have any order; the output is computed from x -
  // mean or as x * factor + offset.
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

  // A Fourier transform by its definition, on lines of four, whose roots of unity are 1, i, -1 and
  // -i.
  static Literal Transform(const Instruction& fft, const Literal& operand, std::mt19937& random) {
    Literal result = Literal::Zeros(fft.shape());
    const bool wide =
        operand.element_type() == ElementType::kF64 || operand.element_type() == ElementType::kC128;
    const bool inverse = IsComplex(operand.element_type());
    const ElementType part = wide ? ElementType::kF64 : ElementType::kF32;
    const auto at = [&](int row, int k, bool imaginary) {
      // The operand is half a spectrum; the other half is its conjugate. Imaginary parts of real
      // bins are ignored.
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

  // Returns a real or complex element of an array.
  template <typename Value>
  static Value ValueAt(const Literal& literal, int64_t i) {
    const ElementType part = Info(literal.element_type()).component;
    const Element element = literal.Get(i);
    if constexpr (std::is_floating_point_v<Value>) {
      return static_cast<Value>(DecodeFloat(part, element.bits));
    } else {
      using Real = typename Value::value_type;
      return Value(static_cast<Real>(DecodeFloat(part, element.bits)),
                   static_cast<Real>(DecodeFloat(part, element.imag)));
    }
  }
  template <typename Value>
  static void SetValue(Literal* literal, int64_t i, const Value& value) {
    const ElementType part = Info(literal->element_type()).component;
    literal->Set(
        i, Element{EncodeFloat(part, std::real(value)),
                   IsComplex(literal->element_type()) ? EncodeFloat(part, std::imag(value)) : 0});
  }
  template <typename Value>
  static Value ConjugateOf(const Value& value) {
    if constexpr (std::is_floating_point_v<Value>) return value;
    if constexpr (!std::is_floating_point_v<Value>) return std::conj(value);
  }
  template <typename Run>
  static Literal OfValues(ElementType type, Run run) {
    switch (type) {
      case ElementType::kC64:
        return run(std::complex<float>{});
      case ElementType::kC128:
        return run(std::complex<double>{});
      default:
        return OfType(type, run);
    }
  }

  // Multiplies and adds with one rounding.
  template <typename Real>
  static Real Fused(Real a, Real b, Real sum) {
    return std::fma(a, b, sum);
  }
  template <typename Real>
  static std::complex<Real> Fused(std::complex<Real> a, std::complex<Real> b,
                                  std::complex<Real> sum) {
    return {std::fma(a.real(), b.real(), std::fma(-a.imag(), b.imag(), sum.real())),
            std::fma(a.real(), b.imag(), std::fma(a.imag(), b.real(), sum.imag()))};
  }
  template <typename Value>
  static Value InAnyOrder(std::vector<std::pair<Value, Value>> terms, std::mt19937& random) {
    std::shuffle(terms.begin(), terms.end(), random);
    const bool fused = random() % 2 == 0;
    Value sum = 0;
    for (const auto& [a, b] : terms) sum = fused ? Fused(a, b, sum) : sum + a * b;
    return sum;
  }

  // Solves a triangular system by substitution.
  template <typename Value>
  static Literal Solve(const Literal& a, const Literal& b, bool left, std::mt19937& random) {
    Literal x = Literal::Zeros(b.shape());
    for (int side = 0; side < kSide; ++side) {
      const auto place = [&](int i) { return left ? i * kSide + side : side * kSide + i; };
      // x a = b with an upper triangle: a^T x^T = b^T with a lower one.
      const auto t = [&](int i, int j) {
        return ValueAt<Value>(a, left ? i * kSide + j : j * kSide + i);
      };
      for (int i = 0; i < kSide; ++i) {
        std::vector<std::pair<Value, Value>> terms = {{ValueAt<Value>(b, place(i)), 1}};
        for (int j = 0; j < i; ++j) terms.emplace_back(-t(i, j), ValueAt<Value>(x, place(j)));
        SetValue(&x, place(i), InAnyOrder(std::move(terms), random) / t(i, i));
      }
    }
    return x;
  }

  // A Cholesky factor, row by row. The other triangle keeps the operand's elements. Imaginary parts
  // of the diagonal are used or ignored at random.
  template <typename Value>
  static Literal Factor(const Literal& a, std::mt19937& random) {
    Literal factor = a;
    const bool real_diagonal = random() % 2 == 0;
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j <= i; ++j) {
        Value start = ValueAt<Value>(a, i * kSide + j);
        if (i == j && real_diagonal) start = std::real(start);
        std::vector<std::pair<Value, Value>> terms = {{start, 1}};
        for (int k = 0; k < j; ++k) {
          terms.emplace_back(-ValueAt<Value>(factor, i * kSide + k),
                             ConjugateOf(ValueAt<Value>(factor, j * kSide + k)));
        }
        Value rest = InAnyOrder(std::move(terms), random);
        if (i == j && real_diagonal) rest = std::real(rest);
        SetValue(&factor, i * kSide + j,
                 i == j ? std::sqrt(rest) : rest / ValueAt<Value>(factor, j * kSide + j));
      }
    }
    return factor;
  }

  // LU factors, column by column. A column is divided by its pivot or multiplied by the reciprocal.
  template <typename Value>
  static Literal Lu(const Instruction& call, const Literal& a, std::mt19937& random) {
    Literal factors = a, pivots = Literal::Zeros(call.shape().tuple_shapes()[1]);
    const auto at = [&](int i, int j) { return ValueAt<Value>(factors, i * kSide + j); };
    const auto rest = [&](int i, int j, int steps) {
      std::vector<std::pair<Value, Value>> terms = {{at(i, j), 1}};
      for (int k = 0; k < steps; ++k) terms.emplace_back(-at(i, k), at(k, j));
      return InAnyOrder(std::move(terms), random);
    };
    const auto size = [](const Value& x) {
      return std::abs(std::real(x)) + std::abs(std::imag(x));
    };
    for (int k = 0; k < kSide; ++k) {
      std::vector<Value> column(kSide);
      int pivot = k;
      for (int i = k; i < kSide; ++i) {
        column[i] = rest(i, k, k);
        if (size(column[i]) > size(column[pivot])) pivot = i;
      }
      pivots.Set(k, Element{static_cast<uint64_t>(pivot + 1)});
      std::swap(column[k], column[pivot]);
      for (int j = 0; j < kSide; ++j) {
        const Element above = factors.Get(k * kSide + j);
        factors.Set(k * kSide + j, factors.Get(pivot * kSide + j));
        factors.Set(pivot * kSide + j, above);
      }
      SetValue(&factors, k * kSide + k, column[k]);
      for (int j = k + 1; j < kSide; ++j) SetValue(&factors, k * kSide + j, rest(k, j, k));
      const bool reciprocal = random() % 2 == 0;
      for (int i = k + 1; i < kSide; ++i) {
        SetValue(&factors, i * kSide + k,
                 reciprocal ? column[i] * (Value(1) / column[k]) : column[i] / column[k]);
      }
    }
    return Literal::Tuple({factors, pivots, Literal::Zeros(call.shape().tuple_shapes()[2])});
  }

  // The LAPACK calls getrf, potrf and trsm, from the left with a lower triangle.
  static Literal Call(const Instruction& call, const std::vector<Literal>& operands,
                      std::mt19937& random) {
    return OfValues(operands[0].element_type(), [&](auto value) {
      using Value = decltype(value);
      if (operands.size() == 2) return Solve<Value>(operands[0], operands[1], true, random);
      if (call.shape().tuple_shapes().size() == 3) return Lu<Value>(call, operands[0], random);
      return Literal::Tuple(
          {Factor<Value>(operands[0], random), Literal::Zeros(call.shape().tuple_shapes()[1])});
    });
  }

  static Literal Contracted(const Instruction& add, const std::vector<Literal>& operands,
                            const Values& values) {
    const Instruction* product = add.operand(0);
    const Literal& a = values.at(product->operand(0));
    const Literal& b = values.at(product->operand(1));
    Literal result = Literal::Zeros(add.shape());
    const bool wide = result.element_type() == ElementType::kF64;
    for (int64_t i = 0; i < result.element_count(); ++i) {
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

}  // namespace assay::conformance::containment

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_RANDOMISED_TARGET_H_
