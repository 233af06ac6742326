// Cholesky factors of all small matrices of a few values, and Fourier transforms of all short
// arrays of a few values, against Boost's floats of 200 digits. All matrices or arrays of a size
// are one operand, one behind the other.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluator/kernels/small_worlds.h"
#include "evaluator/kernels/wide_fourier.h"

namespace assay::evaluator {
namespace {

using Ints = std::vector<int64_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Number {
  double re = 0, im = 0;
};
bool IsFinite(const Number& x) { return std::isfinite(x.re) && std::isfinite(x.im); }

// Any NaN is the canonical one.
void Append(SmallArray& array, double re, double im) {
  const ElementType part = Info(array.type).component;
  const auto pattern = [&](double x) {
    return std::isnan(x) ? CanonicalNan(part) : EncodeFloat(part, x);
  };
  array.values.push_back(pattern(re));
  if (IsComplex(array.type)) array.imaginary.push_back(pattern(im));
}
void AppendNan(SmallArray& array) { Append(array, kNan, kNan); }
void AppendWide(SmallArray& array, const WideComplex& x) {
  const ElementType part = Info(array.type).component;
  array.values.push_back(RoundWide(part, x.re, 1));
  if (IsComplex(array.type)) array.imaginary.push_back(RoundWide(part, x.im, 1));
}

// All matrices of size n with these numbers on the diagonal and below it (above it for the factor
// U); what stands in the other triangle is a NaN, which must not count.
void CheckCholesky(SmallWorlds& worlds, ElementType type, int64_t n, bool lower,
                   const std::vector<double>& diagonal, const std::vector<Number>& below) {
  if (worlds.Skips()) return;
  Ints choices;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      choices.push_back(static_cast<int64_t>(i == j ? diagonal.size() : below.size()));
    }
  }
  SmallArray a{type, {CountOf(choices), n, n}, {}}, factors = a;
  ForEach(choices, [&](const Ints& choice) {
    std::vector<Number> matrix(n * n, {kNan, kNan});
    std::vector<WideComplex> wide(n * n);
    bool finite = true;
    size_t next = 0;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const int64_t chosen = choice[next++];
        // The imaginary part of the diagonal does not count.
        const Number value = i == j ? Number{diagonal[chosen], 5} : below[chosen];
        finite = finite && IsFinite(value);
        matrix[lower ? i * n + j : j * n + i] = {value.re, lower ? value.im : -value.im};
        if (finite) wide[i * n + j] = {value.re, IsComplex(type) ? value.im : 0};
      }
    }
    const std::vector<WideComplex> l = finite ? WideCholesky(wide, n) : std::vector<WideComplex>();
    for (int64_t k = 0; k < n * n; ++k) {
      Append(a, matrix[k].re, matrix[k].im);
      if (l.empty()) {
        AppendNan(factors);
      } else {
        AppendWide(factors, lower ? l[k] : Conjugate(l[k % n * n + k / n]));
      }
    }
  });
  worlds.Check(Opcode::kCholesky, {&a}, {{Attr::kLower, lower}}, factors);
}

TEST(SmallWorlds, CholeskyFactors) {
  SmallWorlds worlds;
  const std::vector<Number> real = {{-1}, {0}, {1}, {2}, {3}};
  const std::vector<Number> complex = {{0}, {1, 1}, {1, -2}, {0, 1}, {-1, 0}};
  const std::vector<Number> special = {{0}, {2}, {kInf}, {kNan}};
  const std::vector<Number> complex_special = {{0}, {1, -kInf}, {kNan, 1}, {-1, 1}};
  for (const bool lower : {true, false}) {
    for (const ElementType type : {ElementType::kF32, ElementType::kBF16, ElementType::kF64}) {
      for (const int64_t n : {0, 1, 2, 3}) {
        CheckCholesky(worlds, type, n, lower, {-1, 0, 1, 2, 5}, n < 3 ? real : special);
      }
      CheckCholesky(worlds, type, 2, lower, {1, 4, kInf, kNan}, special);
      CheckCholesky(worlds, type, 3, lower, {1, 3, 4}, real);
    }
    for (const int64_t n : {0, 1, 2, 3}) {
      CheckCholesky(worlds, ElementType::kC64, n, lower, {1, 3, 5}, complex);
    }
    CheckCholesky(worlds, ElementType::kC64, 2, lower, {0, 2, 4, -kInf}, complex_special);
  }
  worlds.Report("cholesky");
}

// x with op(a) x = b for two rows, op(a) lower triangular, by substitution in doubles: exact where
// diagonals are powers of two. Complex numbers that are not finite, or divided by zero, are NaN.
std::vector<Number> Substituted(const Number& t00, const Number& t10, const Number& t11,
                                const Number& b0, const Number& b1, bool complex) {
  if (!complex) {
    const double x0 = b0.re / t00.re, x1 = (b1.re - t10.re * x0) / t11.re;
    return {{x0 + 0.0}, {x1 + 0.0}};
  }
  const Number nan = {kNan, kNan};
  const auto quotient = [&](const Number& a, const Number& b) -> Number {
    const double norm = b.re * b.re + b.im * b.im;
    if (!IsFinite(a) || !IsFinite(b) || norm == 0) return nan;
    return {(a.re * b.re + a.im * b.im) / norm + 0.0, (a.im * b.re - a.re * b.im) / norm + 0.0};
  };
  const Number x0 = quotient(b0, t00);
  const Number rest = {b1.re - (t10.re * x0.re - t10.im * x0.im),
                       b1.im - (t10.re * x0.im + t10.im * x0.re)};
  return {x0, IsFinite(x0) && IsFinite(t10) ? quotient(rest, t11) : nan};
}

// All systems of two rows with one right-hand side.
void CheckSolutions(SmallWorlds& worlds, ElementType type, bool left, bool lower, bool unit,
                    TransposeA transpose, const std::vector<Number>& of_a,
                    const std::vector<Number>& of_b) {
  if (worlds.Skips()) return;
  const auto many = static_cast<int64_t>(of_a.size()), few = static_cast<int64_t>(of_b.size());
  const Ints choices = {many, many, many, few, few};
  SmallArray a{type, {CountOf(choices), 2, 2}, {}}, b{type, {CountOf(choices), 2, 1}, {}};
  if (!left) b.sizes = {CountOf(choices), 1, 2};
  SmallArray x = b;
  const bool transposed = transpose != TransposeA::kNoTranspose;
  ForEach(choices, [&](const Ints& choice) {
    // Rows in the order in which they are solved.
    const Number one = {1, 0};
    const Number t[] = {of_a[choice[0]], of_a[choice[1]], of_a[choice[2]]};
    const std::vector<Number> solved =
        Substituted(unit ? one : t[0], t[1], unit ? one : t[2], of_b[choice[3]], of_b[choice[4]],
                    IsComplex(type));
    // x op(a) = b is op(a)^T x^T = b^T.
    const bool reversed = lower == (transposed == left);
    const double sign = transpose == TransposeA::kAdjoint ? -1 : 1;
    const int first = reversed ? 2 : 0;
    for (const int place : {0, 1, 2}) {
      if (place == 1) {
        // The other triangle does not count.
        const Number off = {t[1].re, sign * t[1].im}, junk = {kNan, kNan};
        Append(a, lower ? junk.re : off.re, lower ? junk.im : off.im);
        Append(a, lower ? off.re : junk.re, lower ? off.im : junk.im);
      } else {
        const Number& diagonal = t[place == first ? 0 : 2];
        Append(a, diagonal.re, sign * diagonal.im);
      }
    }
    for (const int row : {0, 1}) {
      const int at = reversed ? 1 - row : row;
      Append(b, of_b[choice[3 + at]].re, of_b[choice[3 + at]].im);
      Append(x, solved[at].re, solved[at].im);
    }
  });
  worlds.Check(Opcode::kTriangularSolve, {&a, &b},
               {{Attr::kLeftSide, left},
                {Attr::kLower, lower},
                {Attr::kUnitDiagonal, unit},
                {Attr::kTransposeA, static_cast<int64_t>(transpose)}},
               x);
}

TEST(SmallWorlds, TriangularSolutions) {
  SmallWorlds worlds;
  const std::vector<Number> of_a = {{-1}, {0}, {2}, {kInf}, {kNan}};
  const std::vector<Number> of_b = {{0}, {1}, {-6}, {-kInf}};
  const std::vector<Number> complex_a = {{1, 1}, {0, -2}, {0}, {1, kInf}};
  const std::vector<Number> complex_b = {{0}, {1, 2}, {-4, 1}, {kNan, 0}};
  for (const TransposeA transpose :
       {TransposeA::kNoTranspose, TransposeA::kTranspose, TransposeA::kAdjoint}) {
    ForEach({2, 2, 2}, [&](const Ints& form) {
      const bool left = form[0] != 0, lower = form[1] != 0, unit = form[2] != 0;
      for (const ElementType type : {ElementType::kBF16, ElementType::kF64}) {
        CheckSolutions(worlds, type, left, lower, unit, transpose, of_a, of_b);
      }
      CheckSolutions(worlds, ElementType::kC64, left, lower, unit, transpose, complex_a, complex_b);
    });
  }
  worlds.Report("triangular-solve");
}

// All arrays of length n of these numbers along one axis.
void CheckTransforms(SmallWorlds& worlds, FftType kind, bool wide, int64_t n,
                     const std::vector<Number>& numbers) {
  if (worlds.Skips()) return;
  const bool inverse = kind == FftType::kIfft || kind == FftType::kIrfft;
  const bool to_real = kind == FftType::kIrfft, from_real = kind == FftType::kRfft;
  const ElementType complex = wide ? ElementType::kC128 : ElementType::kC64;
  const ElementType real = wide ? ElementType::kF64 : ElementType::kF32;
  const int64_t half = n / 2 + 1, read = to_real ? half : n, written = from_real ? half : n;
  const Ints choices(read, static_cast<int64_t>(numbers.size()));
  SmallArray x{from_real ? real : complex, {CountOf(choices), read}, {}};
  SmallArray y{to_real ? real : complex, {CountOf(choices), written}, {}};
  ForEach(choices, [&](const Ints& choice) {
    bool finite = true;
    std::vector<WideComplex> values(n);
    for (int64_t j = 0; j < read; ++j) {
      const Number value = numbers[choice[j]];
      Append(x, value.re, value.im);
      // Imaginary parts of the ends of half a spectrum do not count.
      const bool is_real = from_real || (to_real && (j == 0 || 2 * j == n));
      finite = finite && IsFinite({value.re, is_real ? 0 : value.im});
      if (!finite) continue;
      values[j] = {value.re, is_real ? 0 : value.im};
      if (to_real && j != 0) values[n - j] = Conjugate(values[j]);
      if (to_real && 2 * j == n) values[j].im = 0;
    }
    // A single element is copied.
    if (n == 1) {
      Append(y, numbers[choice[0]].re, from_real ? 0 : numbers[choice[0]].im);
      return;
    }
    if (finite) values = WideTransform(values, inverse);
    for (int64_t k = 0; k < written; ++k) {
      if (!finite) {
        AppendNan(y);
      } else {
        AppendWide(y, inverse ? WideComplex{values[k].re / n, values[k].im / n} : values[k]);
      }
    }
  });
  worlds.Check(Opcode::kFft, {&x},
               {{Attr::kFftType, static_cast<int64_t>(kind)}, {Attr::kFftLength, Ints{n}}}, y);
}

TEST(SmallWorlds, FourierTransforms) {
  SmallWorlds worlds;
  const std::vector<Number> two = {{1, 0}, {-1, 1}}, four = {{0}, {1, 0}, {0, -2}, {3, 1}};
  const std::vector<Number> special = {{0}, {2, 1}, {kInf, 0}, {1, kNan}};
  for (const FftType kind : {FftType::kFft, FftType::kIfft, FftType::kRfft, FftType::kIrfft}) {
    for (const bool wide : {false, true}) {
      for (int64_t n = 1; n <= 8; ++n) {
        CheckTransforms(worlds, kind, wide, n, n <= 4 ? four : two);
        if (n <= 4) CheckTransforms(worlds, kind, wide, n, special);
      }
    }
  }
  worlds.Report("fft");
}

}  // namespace
}  // namespace assay::evaluator
