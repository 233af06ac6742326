// The widths of the rules of transforms, systems and factors, against enumerated operands and the
// extreme perturbations that their backward errors admit: width_testing.h.
#include <complex>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/width_testing.h"

namespace assay::conformance {
namespace {

using enum ElementType;

constexpr int kRows = 3;

Real UnitOf(ElementType type) { return std::ldexp(Real{1}, -Info(type).format->precision()); }
// Roundings that one function with a budget counts for.
Real RoundingsOf(Opcode opcode, ElementType type) {
  return 2 * std::max(0.5, Strict().FindBudget(opcode, type).ulps);
}

// What 14.7 admits of the norm of a transform of so many points, the largest of radix 2 and mixed
// radices; of real numbers with two levels more, of an inverse with its scaling.
Real FourierRadius(int points, bool real, bool inverse) {
  const Real u = 0x1p-24L, root = std::numbers::sqrt2_v<Real>;
  const Real h = u + GammaOf(4, u) * (root + u), levels = std::log2(points) + (real ? 2 : 0);
  const Real binary = levels * h / (1 - levels * h);
  const Real mixed = 1.1L * std::sqrt(Real(points)) * (u + root * GammaOf(points + 2, u));
  return std::max(binary, mixed) + (inverse ? 2 * u : 0);
}

TEST_F(WidthsTest, Transforms) {
  const Places places(kF32);
  const RoundedArithmetic f32(kF32);
  const struct {
    const char* type;
    bool real, inverse;
    int coefficients;
    double of_points, of_intervals;
  } transforms[] = {{"FFT", false, false, 4, 3.5, 3.6},
                    {"IFFT", false, true, 4, 3.2, 3.3},
                    {"RFFT", true, false, 3, 2.7, 2.9}};
  for (const auto& fft : transforms) {
    const int width = fft.real ? 1 : 2;  // parts of a number
    // The part of a coefficient as a sum of parts of the four numbers: roots of unity are 1, i, -1
    // and -i.
    const auto terms = [&fft, width](int64_t i, const Reals& x) {
      const int64_t coefficient = i / 2 % fft.coefficients;
      Reals of_part;
      for (int64_t j = 0; j < 4; ++j) {
        const int64_t turns = (fft.inverse ? j : 3 * j) * coefficient % 4;
        const Real re = x[width * j], im = width == 2 ? x[width * j + 1] : 0;
        const std::complex<Real> rotated[] = {{re, im}, {-im, re}, {-re, -im}, {im, -re}};
        of_part.push_back(i % 2 == 0 ? rotated[turns].real() : rotated[turns].imag());
      }
      return of_part;
    };
    MeasuredRule rule{
        fft.type,
        kF32,
        absl::StrCat("C[30,", fft.coefficients, "]"),
        absl::StrCat("fft(x0), fft_type=", fft.type, ", fft_length={4}"),
        {fft.real ? "T[30,4]" : "C[30,4]"},
        "",
        [&fft, width](int64_t i) {
          std::vector<OperandPart> parts;
          const int64_t first = i / (2 * fft.coefficients) * 4 * width;
          for (int64_t k = first; k < first + 4 * width; ++k) parts.push_back({0, k});
          return parts;
        },
        [&](int64_t i, const Reals& x) {
          Real sum = 0, square = 0;
          for (const Real term : terms(i, x)) sum += term;
          for (const Real part : x) square += part * part;
          const Real scale = fft.inverse ? 0.25L : 1;
          return Within(places, sum * scale,
                        FourierRadius(4, fft.real, fft.inverse) * scale * 2 * std::sqrt(square));
        }};
    rule.attains = [&](int64_t i, const Reals& x) {
      Reals sums = SumsOf(terms(i, x));
      if (fft.inverse) sums = f32.Multiply(sums, {0.25L});
      return RangeOfValues(places, sums);
    };
    MeasureTimes(rule, 1, fft.of_points, fft.of_intervals);
  }
}

// Calls visit(signs) for all choices of a sign for each of so many perturbations.
template <typename Visit>
void ForEachSigns(int count, Visit visit) {
  std::vector<int> signs(count);
  for (int64_t bits = 0; bits < int64_t{1} << count; ++bits) {
    for (int k = 0; k < count; ++k) signs[k] = (bits >> k & 1) != 0 ? 1 : -1;
    visit(signs);
  }
}

// What |b - T x| <= gam(n) |T| |x| admits (14.8) is the set of exact solutions for coefficients
// that are off by gam(n) each (Oettli and Prager). Its extremes are at those of the coefficients.
TEST_F(WidthsTest, TriangularSystems) {
  for (const ElementType type : kWideWidthTypes) {
    const Places places(type);
    const RoundedArithmetic own(type);
    const Real gamma = GammaOf(kRows - 1 + RoundingsOf(Opcode::kDivide, type), UnitOf(type));
    const auto at = [](int64_t i, int64_t j) { return i * (i + 1) / 2 + j; };
    MeasuredRule solve{"triangular-solve",
                       type,
                       "T[30,3,1]",
                       "triangular-solve(x0, x1), left_side=true, lower=true, unit_diagonal=false,"
                       " transpose_a=NO_TRANSPOSE",
                       {"T[30,3,3]", "T[30,3,1]"},
                       "",
                       [](int64_t part) {
                         // Coefficients of the rows up to this one, then right-hand sides.
                         const int64_t batch = part / kRows, row = part % kRows;
                         std::vector<OperandPart> parts;
                         for (int64_t i = 0; i <= row; ++i) {
                           for (int64_t j = 0; j <= i; ++j)
                             parts.push_back({0, (batch * kRows + i) * kRows + j});
                         }
                         for (int64_t i = 0; i <= row; ++i) parts.push_back({1, batch * kRows + i});
                         return parts;
                       },
                       [&](int64_t part, const Reals& v) {
                         const int64_t row = part % kRows, count = at(row, row) + 1;
                         PlaceRange range;
                         ForEachSigns(static_cast<int>(count), [&](const std::vector<int>& signs) {
                           const auto t = [&](int64_t i, int64_t j) {
                             return v[at(i, j)] * (1 + signs[at(i, j)] * gamma);
                           };
                           Real x[kRows];
                           for (int64_t i = 0; i <= row; ++i) {
                             Real rest = v[count + i];
                             for (int64_t j = 0; j < i; ++j) rest -= t(i, j) * x[j];
                             x[i] = rest / t(i, i);
                           }
                           // Half a unit of the last place may be lost at either end.
                           Join(Within(places, x[row], 0), &range);
                         });
                         return range;
                       }};
    solve.attains = [&](int64_t part, const Reals& v) {
      const int64_t row = part % kRows, count = at(row, row) + 1;
      std::vector<Reals> x;
      for (int64_t i = 0; i <= row; ++i) {
        std::vector<Reals> terms = {{v[count + i]}};
        Reals fused = terms[0];
        for (int64_t j = 0; j < i; ++j) {
          terms.push_back(own.Multiply({-v[at(i, j)]}, x[j]));
          fused = own.MultiplyAdd({-v[at(i, j)]}, x[j], fused);
        }
        const Reals rest =
            InAnyOrder(terms, [&](const Reals& a, const Reals& b) { return own.Add(a, b); });
        x.push_back(own.Divide(Union(rest, fused), {v[at(i, i)]}));
      }
      return RangeOfValues(places, x.back());
    };
    solve.adjust = [](int operand, int64_t part, Real value) {
      const bool diagonal = operand == 0 && part % (kRows * kRows) % (kRows + 1) == 0;
      return diagonal ? 2 + std::fabs(value) : value / 2;
    };
    solve.largest = 2;
    MeasureTimes(solve, 1, 1.25, 1.25);
  }
}

// The same of |a - L L^T| <= gam(n + 1) |L| |L^T|.
TEST_F(WidthsTest, CholeskyFactors) {
  for (const ElementType type : kWideWidthTypes) {
    const Places places(type);
    // A root is squared: its error counts twice; without one n + 1 has two for the pivot.
    const Real gamma = GammaOf(
        kRows - 1 +
            std::max(2 * RoundingsOf(Opcode::kSqrt, type), RoundingsOf(Opcode::kDivide, type)),
        UnitOf(type));
    const auto at = [](int64_t i, int64_t j) { return i * (i + 1) / 2 + j; };
    MeasuredRule factor{"cholesky",
                        type,
                        "T[8,3,3]",
                        "cholesky(x0), lower=true",
                        {"T[8,3,3]"},
                        "",
                        [](int64_t part) {
                          const int64_t first = part / (kRows * kRows) * kRows * kRows;
                          const int64_t row = part % (kRows * kRows) / kRows;
                          std::vector<OperandPart> parts;
                          for (int64_t i = 0; i <= row; ++i) {
                            for (int64_t j = 0; j <= i; ++j)
                              parts.push_back({0, first + i * kRows + j});
                          }
                          return parts;
                        },
                        [&](int64_t part, const Reals& a) {
                          const int64_t row = part % (kRows * kRows) / kRows, column = part % kRows;
                          // A perturbation of each product of two elements of the factor.
                          int count = 0;
                          for (int64_t i = 0; i <= row; ++i) {
                            for (int64_t j = 0; j <= i; ++j) count += static_cast<int>(j) + 1;
                          }
                          PlaceRange range;
                          ForEachSigns(count, [&](const std::vector<int>& signs) {
                            Real l[kRows][kRows];
                            int next = 0;
                            for (int64_t i = 0; i <= row; ++i) {
                              for (int64_t j = 0; j <= i; ++j) {
                                Real rest = a[at(i, j)];
                                for (int64_t k = 0; k < j; ++k) {
                                  rest -= l[i][k] * l[j][k] * (1 + signs[next++] * gamma);
                                }
                                const Real relative = 1 + signs[next++] * gamma;
                                l[i][j] = i == j ? std::sqrt(rest / relative)
                                                 : rest / (l[j][j] * relative);
                              }
                            }
                            Join(Within(places, l[row][column], 0), &range);
                          });
                          return range;
                        }};
    factor.skips = [](int64_t part) { return part % kRows > part % (kRows * kRows) / kRows; };
    factor.adjust = [](int, int64_t part, Real value) {
      return part % (kRows * kRows) % (kRows + 1) == 0 ? 2 + std::fabs(value) : value / 2;
    };
    factor.largest = 1;
    MeasureTimes(factor, 1, 1.5, 1.5);
  }
}

}  // namespace
}  // namespace assay::conformance
