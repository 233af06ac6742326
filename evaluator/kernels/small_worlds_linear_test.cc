// Cholesky factors of all small matrices of a few values, and Fourier transforms of all short
// arrays of a few values, against Boost's floats of 200 digits. All matrices or arrays of a size
// are one operand, one behind the other.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluator/kernels/small_worlds.h"
#include "evaluator/kernels/wide_fourier.h"

namespace assay {
namespace {

using Ints = std::vector<int64_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Number {
  double re = 0, im = 0;
};
bool IsFinite(const Number& x) { return std::isfinite(x.re) && std::isfinite(x.im); }

void Append(SmallArray& array, double re, double im) {
  const ElementType part = Info(array.type).component;
  array.values.push_back(EncodeFloat(part, re));
  if (IsComplex(array.type)) array.imaginary.push_back(EncodeFloat(part, im));
}
void AppendNan(SmallArray& array) {
  const ElementType part = Info(array.type).component;
  array.values.push_back(CanonicalNan(part));
  if (IsComplex(array.type)) array.imaginary.push_back(CanonicalNan(part));
}
void AppendWide(SmallArray& array, const WideComplex& x) {
  const ElementType part = Info(array.type).component;
  array.values.push_back(RoundWide(part, x.re, 1));
  if (IsComplex(array.type)) array.imaginary.push_back(RoundWide(part, x.im, 1));
}

// All matrices of size n with these numbers on the diagonal and below it (above it for the factor
// U); what stands in the other triangle is a NaN, which must not count.
void CheckCholesky(SmallWorlds& worlds, ElementType type, int64_t n, bool lower,
                   const std::vector<double>& diagonal, const std::vector<Number>& below) {
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

// All arrays of length n of these numbers along one axis.
void CheckTransforms(SmallWorlds& worlds, FftType kind, bool wide, int64_t n,
                     const std::vector<Number>& numbers) {
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
}  // namespace assay
