#include "conformance/enclosure/systems.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/enclosure/matrices.h"
#include "conformance/judge/inverse_sizes.h"
#include "conformance/judge/residuals.h"
#include "evaluator/ops/exact_solve.h"

namespace assay::conformance {
namespace {

template <typename Number>
class IntervalSolve {
 public:
  IntervalSolve(const Instruction& solve, const TargetProfile& profile, Boxes operands)
      : form_(solve),
        a_(operands[0]),
        b_(operands[1]),
        range_(solve.shape().element_type(), profile),
        inverts_(profile.linear_algebra().inverted_blocks),
        gamma_(SolveRoundings(profile, solve.shape().element_type(), form_.n())
                   .Relative(solve.shape().element_type())),
        inverse_gamma_(InverseRoundings(profile, solve.shape().element_type(), form_.n())
                           .Relative(solve.shape().element_type())) {}

  void Run(int64_t a_start, int64_t b_start, std::vector<Interval>* parts) {
    a_start_ = a_start;
    const std::optional<InverseSizes> sizes = inverts_ ? Sizes() : std::nullopt;
    for (int64_t column = 0; column < form_.columns(); ++column) {
      const std::vector<double> more =
          inverts_ ? ByInverses(sizes, b_start, column) : std::vector<double>();
      std::vector<Number> exact(form_.n()), accepted(form_.n());
      for (int64_t i = 0; i < form_.n(); ++i) {
        const int64_t place = b_start + form_.PlaceOfB(i, column);
        accepted[i] = Row(i, b_[place], gamma_, range_.least, accepted);
        if (inverts_) {
          exact[i] = Row(i, b_[place], 0, 0, exact);
          accepted[i] = Hull(accepted[i], exact[i] + Disc<Number>(more[i]));
        }
        // Past the largest number there may be infinities, and NaNs behind them.
        if (!(Most(accepted[i]) <= range_.largest)) accepted[i] = Everything<Number>();
        Numbers<Number>::Store(place, accepted[i], parts);
      }
    }
  }

 private:
  Number At(int64_t i, int64_t j) const {
    if (i == j && form_.unit_diagonal()) return Number::Point(1);
    const Number value = a_[a_start_ + form_.PlaceOfT(i, j)];
    return form_.conjugated() ? Conjugate(value) : value;
  }

  // Element i of the solution, of those before it.
  Number Row(int64_t i, const Number& b, double gamma, double least,
             const std::vector<Number>& x) const {
    const Number relative = Number::Point(1) + Disc<Number>(gamma);
    Number rest = b;
    double terms = Most(b);
    double lost = static_cast<double>(form_.n()) + 1;
    for (int64_t j = 0; j < i; ++j) {
      rest = rest - (At(i, j) * relative + Disc<Number>(least)) * x[j];
      lost += Most(At(i, j));
      terms += Most(At(i, j)) * Most(x[j]);
    }
    // Some of the terms may overflow without the others, and be NaN with them.
    if (!(terms * (1 + 2 * gamma_) <= range_.largest)) return Everything<Number>();
    lost += Most(At(i, i));
    return range_.Quotient(rest + Disc<Number>(4 * lost * least),
                           At(i, i) * relative + Disc<Number>(least));
  }

  // Returns the bounds of a matrix whose coefficients are finite and whose diagonal is not zero.
  std::optional<InverseSizes> Sizes() const {
    std::vector<double> most(form_.n() * form_.n()), diagonal(form_.n());
    double sizes = 0;
    for (int64_t i = 0; i < form_.n(); ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        most[i * form_.n() + j] = Most(At(i, j));
        sizes += Most(At(i, j));
      }
      diagonal[i] = Least(At(i, i));
      if (!(diagonal[i] > 0)) return std::nullopt;
    }
    if (!std::isfinite(sizes)) return std::nullopt;
    return InverseSizes(std::move(most), std::move(diagonal));
  }

  // gamma |T^-1| |T| |T^-1| |b| and what underflows. Zeros of the inverse meet all of the matrix
  // and of the right side: what is not finite there, or in the inverse because the diagonal may be
  // zero, spreads to every element, and what overflows on the way to the rows behind.
  std::vector<double> ByInverses(const std::optional<InverseSizes>& sizes, int64_t b_start,
                                 int64_t column) const {
    std::vector<double> sides(form_.n());
    double sum = 0;
    for (int64_t i = 0; i < form_.n(); ++i) {
      sides[i] = Most(b_[b_start + form_.PlaceOfB(i, column)]);
      sum += sides[i];
    }
    if (!sizes || !std::isfinite(sum)) return std::vector<double>(form_.n(), kInfinity);
    std::vector<double> radii = sizes->Inverted(sizes->Product(sizes->Inverted(sides)));
    const std::vector<double> lost = sizes->Lost(sides);
    const int64_t fitting = sizes->FirstOverflow(sides, range_.least, range_.largest);
    // Sums of positive numbers in double.
    const double up = 1 + 8 * static_cast<double>(form_.n() + 2) * 0x1p-52;
    for (int64_t i = 0; i < form_.n(); ++i) {
      radii[i] = (radii[i] * inverse_gamma_ + lost[i] * range_.least) * up;
      if (i >= fitting || std::isnan(radii[i])) radii[i] = kInfinity;
    }
    return radii;
  }

  const evaluator::TriangularForm form_;
  const Numbers<Number> a_, b_;
  const NumberRange range_;
  const bool inverts_;
  const double gamma_, inverse_gamma_;
  int64_t a_start_ = 0;
};

// The square root of what is s (1 + theta).
Interval Root(const Interval& s, const Interval& relative) { return SquareRoot(s / relative); }
ComplexInterval Root(const ComplexInterval& s, const ComplexInterval& relative) {
  return SquareRoot(s / relative);
}

// Golden ignores imaginary parts of a diagonal; others may not, and divide by a factor's number or
// by its conjugate (10.1).
Interval EitherReading(const Interval& x) { return x; }
ComplexInterval EitherReading(const ComplexInterval& z) {
  return {z.re, Interval::Around(z.im.magnitude())};
}

template <typename Number>
class IntervalCholesky {
 public:
  IntervalCholesky(int64_t n, double gamma, const NumberRange& range)
      : n_(n),
        relative_(Number::Point(1) + Disc<Number>(gamma)),
        range_(range),
        bounds_(gamma < 0.5),
        factor_(n * n) {}

  // Factorises the matrix whose lower triangle at(i, j) gives. Returns false if a pivot may not be
  // positive.
  template <typename At>
  bool Run(At at) {
    if (!bounds_) return false;
    for (int64_t i = 0; i < n_; ++i) {
      if (!(4 * Most(at(i, i)) <= range_.largest)) return false;
      for (int64_t j = 0; j <= i; ++j) {
        if (!FindEntry(i, j, i == j ? EitherReading(at(i, j)) : at(i, j))) return false;
      }
    }
    return true;
  }
  const Number& Of(int64_t i, int64_t j) const { return factor_[i * n_ + j]; }

 private:
  bool FindEntry(int64_t i, int64_t j, Number rest) {
    // Flushing takes so many least numbers times the magnitudes of both rows.
    double lost = static_cast<double>(n_) + 1;
    for (int64_t k = 0; k < j; ++k) {
      const Number product = i == j ? SquaredModulus(Of(i, k)) : Of(i, k) * Conjugate(Of(j, k));
      rest = rest - product * relative_;
      lost += Most(Of(i, k)) + Most(Of(j, k));
    }
    const double least = range_.least;
    if (i == j) {
      rest = rest + Disc<Number>(4 * lost * least);
      if (!(RealPart(rest).low > 0)) return false;
      factor_[i * n_ + j] = Root(rest, relative_) + Disc<Number>(4 * least);
      return RealPart(Of(i, i)).low > 0;
    }
    lost += Most(Of(j, j));
    factor_[i * n_ + j] = range_.Quotient(rest + Disc<Number>(4 * lost * least),
                                          Of(j, j) * relative_ + Disc<Number>(least));
    return Most(Of(i, j)) < kInfinity;
  }

  const int64_t n_;
  const Number relative_;
  const NumberRange& range_;
  const bool bounds_;
  std::vector<Number> factor_;
};

template <typename Number>
std::vector<Interval> FactorParts(const Instruction& cholesky, const Box& operand,
                                  const TargetProfile& profile) {
  const ElementType type = cholesky.shape().element_type();
  const Numbers<Number> a(operand);
  const Batch matrices(operand.shape());
  const int64_t n = matrices.rows;
  const bool lower = cholesky.GetBool(Attr::kLower);
  const NumberRange range(type, profile);
  std::vector<Interval> parts = UnknownParts(operand.shape());
  IntervalCholesky<Number> factor(n, CholeskyRoundings(profile, type, n).Relative(type), range);
  for (int64_t k = 0; k < matrices.count; ++k) {
    // Returns the position of an element of L, or of the adjoint of U.
    const auto place = [&](int64_t i, int64_t j) {
      return k * matrices.size + (lower ? i * n + j : j * n + i);
    };
    const auto turned = [lower](const Number& x) { return lower ? x : Conjugate(x); };
    if (!factor.Run([&](int64_t i, int64_t j) { return turned(a[place(i, j)]); })) continue;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        Numbers<Number>::Store(place(i, j), turned(factor.Of(i, j)), &parts);
      }
    }
  }
  return parts;
}

}  // namespace

Box EncloseSolve(const Instruction& solve, Boxes operands, const TargetProfile& profile) {
  std::vector<Interval> parts = UnknownParts(solve.shape());
  const Batch matrices(operands[0].shape()), sides(operands[1].shape());
  OfNumbers(solve.shape().element_type(), [&](auto number) {
    IntervalSolve<decltype(number)> substitution(solve, profile, operands);
    for (int64_t k = 0; k < sides.count; ++k) {
      substitution.Run(k * matrices.size, k * sides.size, &parts);
    }
  });
  return BoxOfIntervals(solve, parts);
}

Box EncloseCholesky(const Instruction& cholesky, const Box& operand, const TargetProfile& profile) {
  return BoxOfIntervals(cholesky, OfNumbers(cholesky.shape().element_type(), [&](auto number) {
                          return FactorParts<decltype(number)>(cholesky, operand, profile);
                        }));
}

Box InfoOfFactors(const Shape& shape, const Box& factors, const Instruction* open) {
  Box info = Box::Point(Literal::Zeros(shape));
  const Batch matrices(factors.shape());
  const int64_t rows = matrices.rows;
  const Line& line = Line::Of(Info(factors.low.element_type()).component);
  UpdateParts(
      [&](const auto&, Place place, Ends* ends) {
        for (int64_t i = 0; i < rows; ++i) {
          const int64_t at = place.element * matrices.size + i * rows + i;
          const uint64_t low = factors.low.Get(at).bits, high = factors.high.Get(at).bits;
          const bool everything = line.IsNan(low) || (line.Ordinal(low) == line.least() &&
                                                      line.Ordinal(high) == line.greatest());
          if (everything) ends->high = static_cast<uint64_t>(rows);
        }
      },
      &info);
  if (!Literal::BitEqual(info.low, info.high)) info.open = open;
  return info;
}

}  // namespace assay::conformance
