// Kernels of cholesky, triangular-solve and batch normalisation against their definitions, bit for
// bit, and both against Boost's floats of 200 digits.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/differential.h"
#include "evaluator/kernels/wide_oracle.h"
#include "spec/testing/element_types.h"

namespace assay::evaluator {
namespace {

std::vector<ElementType> FloatAndComplexTypes() {
  std::vector<ElementType> types = FloatTypes();
  types.push_back(ElementType::kC64);
  types.push_back(ElementType::kC128);
  return types;
}

class LinearAlgebra : public ::testing::Test {
 protected:
  // A uniform number in (-1, 1) to so many bits.
  double Random(int bits) {
    const double whole = std::ldexp(static_cast<double>(random_() >> 11), bits - 53);
    return std::ldexp(std::trunc(whole), -bits) * (random_() % 2 == 0 ? 1 : -1) + 0.0;
  }
  static uint64_t Encode(ElementType type, double value) { return EncodeFloat(type, value); }
  // A number of the type, to so many bits.
  Element RandomElement(ElementType type, int bits) {
    const ElementType part = Info(type).component;
    return {Encode(part, Random(bits)), IsComplex(type) ? Encode(part, Random(bits)) : 0};
  }
  Literal RandomLiteral(const Shape& shape, int bits) {
    Literal literal = Literal::Zeros(shape);
    for (int64_t i = 0; i < literal.element_count(); ++i) {
      literal.Set(i, RandomElement(shape.element_type(), bits));
    }
    return literal;
  }
  static Shape Sized(ElementType type, std::vector<int64_t> sizes) { return Shape(type, sizes); }
  static std::string TextOf(const Shape& shape) {
    return ShapeText(shape.element_type(), absl::StrJoin(shape.dimensions(), ","));
  }

  std::mt19937_64 random_{11};
  Differential differential_;
};

class Cholesky : public LinearAlgebra {
 protected:
  // Positive definite for certain: every diagonal element above the sum of its row.
  Literal Dominant(ElementType type, int64_t n, int bits) {
    Literal a = RandomLiteral(Sized(type, {n, n}), bits);
    const ElementType part = Info(type).component;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        Element element = a.Get(i * n + j);
        if (i == j) {
          element.bits = Encode(part, static_cast<double>(2 * n) + std::fabs(Random(bits)));
        }
        a.Set(i * n + j, element);
        if (IsComplex(type)) {
          const double imaginary = DecodeFloat(part, element.imag);
          element.imag = Encode(part, -imaginary);
        }
        if (i != j) a.Set(j * n + i, element);
      }
    }
    return a;
  }
  Differential::Case Case(const Shape& a, bool lower) {
    const std::string shape = TextOf(a);
    return {
        absl::StrCat(shape, " cholesky(p0), lower=", lower ? "true" : "false"), {shape}, "", {}};
  }
  // `a` holds matrices of size n. Returns how many are positive definite.
  int64_t CheckAgainstWide(const Literal& a, int64_t n, bool lower) {
    const std::vector<Literal> factors = differential_.CheckOn(Case(a.shape(), lower), {a});
    if (HasFailure()) return 0;
    const ElementType part = Info(a.element_type()).component;
    const std::vector<WideComplex> values = WideValues(a);
    int64_t positive = 0;
    for (int64_t first = 0; first < a.element_count(); first += n * n) {
      std::vector<WideComplex> matrix(n * n);
      Wide size = 0;
      for (int64_t k = 0; k < n * n; ++k) {
        // U is the adjoint of the factor of the mirror image.
        const int64_t at = lower ? k : k % n * n + k / n;
        matrix[k] = lower ? values[first + at] : Conjugate(values[first + at]);
        size += abs(matrix[k].re) + abs(matrix[k].im);
      }
      const std::vector<WideComplex> l = WideCholesky(matrix, n);
      positive += !l.empty();
      for (int64_t k = 0; k < n * n; ++k) {
        const int64_t at = lower ? k : k % n * n + k / n;
        const Element got = factors[0].Get(first + at);
        const WideComplex want = l.empty() ? WideComplex() : lower ? l[k] : Conjugate(l[k]);
        const auto pattern = [&](const Wide& x) {
          return l.empty() ? CanonicalNan(part) : RoundWide(part, x, size);
        };
        EXPECT_EQ(got.bits, pattern(want.re)) << first << ": " << at;
        EXPECT_EQ(got.imag, IsComplex(a.element_type()) ? pattern(want.im) : 0) << first;
        if (HasFailure()) return 0;
      }
    }
    return positive;
  }
};

TEST_F(Cholesky, IsItsDefinition) {
  for (const ElementType type : FloatAndComplexTypes()) {
    for (const char* sizes : {"1,1", "3,3", "2,4,4", "2,2,2,2", "0,0", "2,0,0"}) {
      for (const char* lower : {"true", "false"}) {
        const std::string shape = ShapeText(type, sizes);
        differential_.Check({absl::StrCat(shape, " cholesky(p0), lower=", lower), {shape}, "", {}});
      }
    }
    for (const int bits : {2, 10, 50}) {
      for (const int64_t n : {5, 6}) {
        const Literal a = Dominant(type, n, bits);
        differential_.CheckOn(Case(a.shape(), n == 6), {a});
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(differential_.fallbacks(), 0);
}

TEST_F(Cholesky, IsExact) {
  for (const ElementType type : {ElementType::kF16, ElementType::kBF16, ElementType::kF32,
                                 ElementType::kF64, ElementType::kC64, ElementType::kC128}) {
    for (const int64_t n : {1, 2, 3, 5, 8, 13, 20}) {
      for (const int bits : {3, 12, 53}) {
        EXPECT_EQ(CheckAgainstWide(Dominant(type, n, bits), n, n % 2 == 0), 1);
        if (HasFailure()) return;
      }
    }
  }
}

// Matrices of whole numbers in a type of three bits: many are singular or indefinite, and a third
// of the elements of the others lie in the middle of two values.
TEST_F(Cholesky, OfSmallWholeNumbers) {
  for (const ElementType type : {ElementType::kF8E5M2, ElementType::kBF16, ElementType::kC64}) {
    const int64_t count = 1500, n = 3;
    Literal a = Literal::Zeros(Sized(type, {count, n, n}));
    for (int64_t i = 0; i < a.element_count(); ++i) {
      const int64_t row = i / n % n, column = i % n;
      const auto whole = [&] { return static_cast<double>(random_() % 7) - 3; };
      const double value = row == column ? static_cast<double>(int64_t{1} << 2 * (random_() % 3)) *
                                               (1 + row * (random_() % 3))
                                         : whole();
      a.Set(i, {Encode(Info(type).component, value),
                IsComplex(type) ? Encode(ElementType::kF32, whole()) : 0});
    }
    const int64_t positive = CheckAgainstWide(a, n, type != ElementType::kBF16);
    EXPECT_GT(positive, count / 8);
    EXPECT_LT(positive, count);
  }
}

// The tiers behind the first: nearly singular matrices of all sizes and their exact cousins.
TEST_F(Cholesky, OfHilbertMatrices) {
  for (const int64_t n : {3, 7, 10, 12}) {
    Literal a = Literal::Zeros(Sized(ElementType::kF64, {n, n}));
    for (int64_t i = 0; i < n * n; ++i) {
      a.Set(i, {Encode(ElementType::kF64, 1.0 / static_cast<double>(i / n + i % n + 1))});
    }
    CheckAgainstWide(a, n, true);
  }
}

// One whole matrix of rank r < n: row i is a combination of the first r rows.
TEST_F(Cholesky, OfSingularMatrices) {
  for (const int64_t n : {4, 9, 16}) {
    std::vector<double> factor(n * n);
    for (int64_t i = 0; i < n * n; ++i) {
      factor[i] = i % n < n - 1 ? static_cast<double>(random_() % 9) - 4 : 0;
    }
    Literal a = Literal::Zeros(Sized(ElementType::kF32, {n, n}));
    for (int64_t i = 0; i < n * n; ++i) {
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += factor[i / n * n + k] * factor[i % n * n + k];
      a.Set(i, {Encode(ElementType::kF32, sum)});
    }
    EXPECT_EQ(CheckAgainstWide(a, n, true), 0);
  }
}

// The 24 forms.
struct SolveForm {
  bool left, lower, unit;
  const char* transpose;
};
std::vector<SolveForm> SolveForms() {
  std::vector<SolveForm> forms;
  for (const bool left : {true, false}) {
    for (const bool lower : {true, false}) {
      for (const bool unit : {true, false}) {
        for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
          forms.push_back({left, lower, unit, transpose});
        }
      }
    }
  }
  return forms;
}

class TriangularSolve : public LinearAlgebra {
 protected:
  static Differential::Case Case(const SolveForm& form, const std::string& a,
                                 const std::string& b) {
    const auto word = [](bool value) { return value ? "true" : "false"; };
    return {absl::StrCat(b, " triangular-solve(p0, p1), left_side=", word(form.left),
                         ", lower=", word(form.lower), ", unit_diagonal=", word(form.unit),
                         ", transpose_a=", form.transpose),
            {a, b},
            "",
            {}};
  }
  // op(a) x = b for one matrix, as 10.2 writes it; b is [n, m], or [m, n] on the right.
  static std::vector<WideComplex> Solve(const SolveForm& form, int64_t n, int64_t m,
                                        const std::vector<WideComplex>& a,
                                        const std::vector<WideComplex>& b) {
    const bool transposed = form.transpose[0] != 'N';
    std::vector<WideComplex> t(n * n), x = b;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const bool stored = form.lower ? j <= i : i <= j;
        WideComplex value = stored ? a[i * n + j] : WideComplex();
        if (i == j && form.unit) value = {1, 0};
        if (form.transpose[0] == 'A') value = Conjugate(value);
        t[transposed ? j * n + i : i * n + j] = value;
      }
    }
    const bool low = form.lower != transposed;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = low == form.left ? step : n - 1 - step;
      for (int64_t c = 0; c < m; ++c) {
        const auto at = [&](int64_t k) { return form.left ? k * m + c : c * n + k; };
        for (int64_t j = 0; j < n; ++j) {
          if (low == form.left ? j >= i : j <= i) continue;
          x[at(i)] = x[at(i)] - (form.left ? t[i * n + j] : t[j * n + i]) * x[at(j)];
        }
        x[at(i)] = x[at(i)] / t[i * n + i];
      }
    }
    return x;
  }
  // Matrices `a` of size n, and `b` with m right-hand sides each.
  void CheckAgainstWide(const SolveForm& form, int64_t n, int64_t m, const Literal& a,
                        const Literal& b) {
    const std::vector<Literal> x =
        differential_.CheckOn(Case(form, TextOf(a.shape()), TextOf(b.shape())), {a, b});
    if (HasFailure()) return;
    const ElementType part = Info(a.element_type()).component;
    const std::vector<WideComplex> all_a = WideValues(a), all_b = WideValues(b);
    for (int64_t k = 0; k * n * n < a.element_count(); ++k) {
      const auto sub = [k](const std::vector<WideComplex>& values, int64_t size) {
        return std::vector<WideComplex>(values.begin() + k * size, values.begin() + (k + 1) * size);
      };
      const std::vector<WideComplex> want = Solve(form, n, m, sub(all_a, n * n), sub(all_b, n * m));
      Wide size = 1;
      for (const WideComplex& value : want) size += abs(value.re) + abs(value.im);
      for (int64_t i = 0; i < n * m; ++i) {
        const Element got = x[0].Get(k * n * m + i);
        EXPECT_EQ(got.bits, RoundWide(part, want[i].re, size)) << k << ": " << i;
        EXPECT_EQ(got.imag, IsComplex(a.element_type()) ? RoundWide(part, want[i].im, size) : 0);
        if (HasFailure()) return;
      }
    }
  }
};

TEST_F(TriangularSolve, IsItsDefinition) {
  for (const ElementType type : FloatAndComplexTypes()) {
    for (const SolveForm& form : SolveForms()) {
      const std::string a = ShapeText(type, "2,4,4");
      differential_.Check(Case(form, a, ShapeText(type, form.left ? "2,4,3" : "2,3,4")));
      if (HasFailure()) return;
    }
    for (const char* b : {"1,5", "1,0"}) {
      differential_.Check(
          Case({true, true, false, "TRANSPOSE"}, ShapeText(type, "1,1"), ShapeText(type, b)));
    }
    differential_.Check(
        Case({true, true, false, "TRANSPOSE"}, ShapeText(type, "0,0"), ShapeText(type, "0,2")));
  }
  EXPECT_EQ(differential_.fallbacks(), 0);
}

TEST_F(TriangularSolve, IsExact) {
  for (const ElementType type : {ElementType::kF16, ElementType::kBF16, ElementType::kF32,
                                 ElementType::kF64, ElementType::kC64, ElementType::kC128}) {
    for (const SolveForm& form : SolveForms()) {
      const int64_t n = 2 + static_cast<int64_t>(random_() % 6), m = 3;
      const int bits = random_() % 2 == 0 ? 4 : 53;
      Literal a = RandomLiteral(Sized(type, {n, n}), bits);
      const uint64_t zero = Encode(Info(type).component, 0);
      for (int64_t i = 0; i < n * n; i += n + 1) {
        if (a.Get(i).bits == zero) a.Set(i, {Encode(Info(type).component, 0.5)});
      }
      CheckAgainstWide(form, n, m, a,
                       RandomLiteral(form.left ? Sized(type, {n, m}) : Sized(type, {m, n}), bits));
      if (HasFailure()) return;
    }
  }
}

// Ties in the middle of two values, and quotients of whole numbers of all kinds.
TEST_F(TriangularSolve, OfSmallWholeNumbers) {
  for (const ElementType type : {ElementType::kF8E5M2, ElementType::kBF16, ElementType::kC64}) {
    const int64_t count = 400, n = 3, m = 2;
    Literal a = Literal::Zeros(Sized(type, {count, n, n}));
    Literal b = Literal::Zeros(Sized(type, {count, n, m}));
    const auto fill = [&](Literal& literal, int range) {
      const ElementType part = Info(type).component;
      for (int64_t i = 0; i < literal.element_count(); ++i) {
        const auto whole = [&] {
          const auto value = static_cast<double>(1 + random_() % range);
          return Encode(part, random_() % 2 == 0 ? value : -value);
        };
        literal.Set(i, {whole(), IsComplex(type) ? whole() : 0});
      }
    };
    fill(a, 4);
    fill(b, type == ElementType::kBF16 ? 256 : 6);
    CheckAgainstWide({true, true, false, "NO_TRANSPOSE"}, n, m, a, b);
    CheckAgainstWide({true, false, true, "ADJOINT"}, n, m, a, b);
  }
}

// The condition of random triangular matrices grows as 2^n: two doubles do not suffice.
TEST_F(TriangularSolve, OfIllConditionedMatrices) {
  for (const ElementType type : {ElementType::kF32, ElementType::kC128}) {
    const int64_t n = 60, m = 1;
    CheckAgainstWide({true, true, false, "NO_TRANSPOSE"}, n, m,
                     RandomLiteral(Sized(type, {n, n}), 20),
                     RandomLiteral(Sized(type, {n, m}), 20));
  }
}

class BatchNorm : public LinearAlgebra {
 protected:
  static Differential::Case Case(const std::string& op, const std::string& x,
                                 const std::string& vector, int axis, const std::string& epsilon) {
    const bool training = op == "training", grad = op == "grad";
    const std::string results =
        training || grad ? absl::StrCat("(", x, ", ", vector, ", ", vector, ")") : x;
    Differential::Case c = {
        absl::StrCat(results, " batch-norm-", op, "(p0, p1, p2", training ? "" : ", p3, p4",
                     "), epsilon=", epsilon, ", feature_index=", axis),
        {x, vector, vector},
        "",
        {}};
    if (!training) c.parameters.insert(c.parameters.end(), {vector, grad ? x : vector});
    return c;
  }
  static Wide Value(const Literal& literal, int64_t i) {
    return DecodeFloat(literal.element_type(), literal.Get(i).bits);
  }
  static void ExpectPart(const Literal& actual, int64_t i, const Wide& want, const Wide& size) {
    ASSERT_EQ(actual.Get(i).bits, RoundWide(actual.element_type(), want, size)) << i;
  }

  // All operands of positive variance; the last axis is the feature.
  void CheckAgainstWide(ElementType type, int64_t m, int64_t features, int bits) {
    const Shape matrix = Sized(type, {m, features}), vector = Sized(type, {features});
    const std::string x_text = TextOf(matrix), v_text = TextOf(vector);
    const Literal x = RandomLiteral(matrix, bits), dy = RandomLiteral(matrix, bits);
    const Literal scale = RandomLiteral(vector, bits), offset = RandomLiteral(vector, bits);
    const Literal mean = RandomLiteral(vector, bits);
    Literal variance = RandomLiteral(vector, bits);
    for (int64_t f = 0; f < features; ++f) {
      variance.Set(f, {Encode(type, std::fabs(DecodeFloat(type, variance.Get(f).bits)))});
    }
    const Wide epsilon = DecodeFloat(type, Encode(type, 0.25f));
    const std::vector<Literal> trained =
        differential_.CheckOn(Case("training", x_text, v_text, 1, "0.25"), {x, scale, offset});
    const std::vector<Literal> inferred = differential_.CheckOn(
        Case("inference", x_text, v_text, 1, "0.25"), {x, scale, offset, mean, variance});
    const std::vector<Literal> grads = differential_.CheckOn(
        Case("grad", x_text, v_text, 1, "0.25"), {x, scale, mean, variance, dy});
    if (HasFailure()) return;
    for (int64_t f = 0; f < features; ++f) {
      Wide mu = 0, var = 0, p = 0, q = 0;
      for (int64_t i = 0; i < m; ++i) {
        mu += Value(x, i * features + f) / m;
        p += Value(dy, i * features + f);
        q += Value(dy, i * features + f) * (Value(x, i * features + f) - Value(mean, f));
      }
      for (int64_t i = 0; i < m; ++i) {
        const Wide distance = Value(x, i * features + f) - mu;
        var += distance * distance / m;
      }
      ExpectPart(trained[1], f, mu, 1);
      ExpectPart(trained[2], f, var, 1);
      const Wide s = sqrt(Value(variance, f) + epsilon);
      ExpectPart(grads[1], f, q / s, 10);
      ExpectPart(grads[2], f, p, 10);
      for (int64_t i = f; i < m * features; i += features) {
        const Wide gamma = Value(scale, f);
        ExpectPart(trained[0], i,
                   gamma * (Value(x, i) - mu) / sqrt(var + epsilon) + Value(offset, f), 10);
        ExpectPart(inferred[0], i, gamma * (Value(x, i) - Value(mean, f)) / s + Value(offset, f),
                   10);
        ExpectPart(
            grads[0], i,
            gamma / (s * m) * (m * Value(dy, i) - p - (Value(x, i) - Value(mean, f)) * q / (s * s)),
            10);
        if (HasFailure()) return;
      }
    }
  }
};

TEST_F(BatchNorm, IsItsDefinition) {
  for (const ElementType type : FloatTypes()) {
    for (const char* op : {"training", "inference", "grad"}) {
      for (const auto& [sizes, axis] :
           std::vector<std::pair<std::vector<int64_t>, int>>{{{5, 3}, 1},
                                                             {{3, 5}, 0},
                                                             {{2, 19, 3}, 1},
                                                             {{4}, 0},
                                                             {{0, 2}, 1},
                                                             {{2, 0}, 1},
                                                             {{700, 1, 3}, 2}}) {
        const Shape shape(type, sizes);
        for (const char* epsilon : {"0", "0.001", "-1", "1e38"}) {
          differential_.Check(
              Case(op, TextOf(shape), ShapeText(type, absl::StrCat(sizes[axis])), axis, epsilon));
        }
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_EQ(differential_.fallbacks(), 0);
}

TEST_F(BatchNorm, MixesTypes) {
  differential_.Check(
      {"bf16[4,3] batch-norm-inference(p0, p1, p2, p3, p4), epsilon=0.001, "
       "feature_index=1",
       {"bf16[4,3]", "f32[3]", "f64[3]", "f16[3]", "f32[3]"},
       "",
       {}});
  EXPECT_EQ(differential_.fallbacks(), 0);
}

TEST_F(BatchNorm, RefusesStatisticsThatAreNoVectors) {
  auto module = ParseModule(
      "HloModule m\n\nENTRY e {\n x = f32[4,3] parameter(0)\n v = f32[3] parameter(1)\n"
      " w = f32[3,0] parameter(2)\n ROOT r = f32[4,3] batch-norm-inference(x, v, v, v, w), "
      "epsilon=1, feature_index=1\n}\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const absl::Status status = PrepareKernel(*(*module)->entry()->root()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
}

TEST_F(BatchNorm, IsExact) {
  for (const ElementType type : {ElementType::kF8E5M2, ElementType::kF16, ElementType::kBF16,
                                 ElementType::kF32, ElementType::kF64}) {
    for (const int64_t m : {1, 2, 3, 4, 9, 16, 50}) {
      for (const int bits : {1, 3, 12, 53}) {
        CheckAgainstWide(type, m, 3, bits);
        if (HasFailure()) return;
      }
    }
  }
}

}  // namespace
}  // namespace assay::evaluator
