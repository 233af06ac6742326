#include "conformance/enclosure/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conformance/enclosure/interval.h"
#include "conformance/enclosure/interval_array.h"
#include "conformance/enclosure/radii.h"
#include "conformance/judge/bounds.h"
#include "conformance/judge/residuals.h"
#include "evaluator/ops/exact_solve.h"

namespace assay {
namespace {

// Transforms are linear: every part of a coefficient is off by no more than the sum of how far the
// numbers of its block are, for no root of unity is larger than one.
absl::StatusOr<std::vector<Box>> EncloseFourier(const Instruction& fft, const Box& operand,
                                                const FoldContext& context) {
  const IntervalArray parts(operand);
  if (!parts.bounded()) return AnythingOf(fft);
  const bool complex = IsComplex(operand.low.element_type());
  const ElementType part = Info(operand.low.element_type()).component;
  Literal centres = operand.low;
  std::byte* const middle_data = centres.mutable_data();
  std::vector<double> radii(operand.low.element_count());
  for (int64_t i = 0; i < parts.size(); ++i) {
    const Interval& x = parts[i];
    const uint64_t bits = EncodeFloat(part, x.low / 2 + x.high / 2);
    StoreElement(part, Element{bits}, middle_data, i);
    const double middle = DecodeFloat(part, bits);
    radii[complex ? i / 2 : i] += std::max(x.high - middle, middle - x.low);
  }

  const FftType type = fft.GetEnum<FftType>(Attr::kFftType);
  const absl::Span<const int64_t> lengths = fft.GetInts(Attr::kFftLength);
  double points = 1;
  for (const int64_t length : lengths) points *= static_cast<double>(length);
  const bool inverse = type == FftType::kIfft || type == FftType::kIrfft;
  // Half a spectrum counts twice.
  const double scale = (type == FftType::kIrfft ? 2 : 1) / (inverse ? points : 1);
  const auto block_of = [&](const Shape& shape) {
    int64_t block = 1;
    for (size_t d = 0; d < lengths.size(); ++d) {
      block *= shape.dimension(shape.rank() - 1 - static_cast<int64_t>(d));
    }
    return block;
  };
  const int64_t from = block_of(operand.shape()), to = block_of(fft.shape());

  const absl::StatusOr<Literal> golden = context.evaluate({centres});
  if (!golden.ok()) return golden.status();
  absl::StatusOr<std::vector<double>> widths =
      context.radii({AllMagnitudes(fft, Boxes({&operand}))});
  if (!widths.ok()) return widths.status();
  Box box = Box::Point(*golden);
  const IntervalArray values(box);
  const bool complex_result = IsComplex(golden->element_type());
  const double u = UnitRoundoff(part);
  for (int64_t i = 0; i < golden->element_count(); ++i) {
    double spread = 0;
    const double* block = radii.data() + i / to * from;
    for (int64_t k = 0; k < from; ++k) spread += block[k];
    // Sums in double, upwards; both golden values, here and anywhere in the box, are rounded.
    spread *= scale * (1 + static_cast<double>(from + 4) * 0x1p-52);
    const double size = complex_result
                            ? std::max(values[2 * i].magnitude(), values[2 * i + 1].magnitude())
                            : values[i].magnitude();
    double& width = (*widths)[i];
    width += spread + 4 * u * (size + spread + width) + SmallestNormal(part);
  }
  WidenByRadii(*widths, &box);
  return std::vector<Box>{std::move(box)};
}

// The matrices of a batch, one after the other.
struct Batch {
  explicit Batch(const Shape& shape)
      : rows(shape.dimension(shape.rank() - 2)),
        columns(shape.dimension(shape.rank() - 1)),
        size(rows * columns),
        count(size == 0 ? 0 : shape.element_count() / size) {}
  int64_t rows, columns, size, count;
};

// T x = b whose residual is accepted: |b - T x| <= gamma |T| |x| + lost, so x solves a system whose
// coefficients are off by no more than that.
class IntervalSolve {
 public:
  IntervalSolve(const Instruction& solve, const TargetProfile& profile, const IntervalArray& a,
                const IntervalArray& b)
      : form_(solve),
        a_(a),
        b_(b),
        least_(SmallestNormal(solve.shape().element_type())),
        largest_(
            DecodeFloat(solve.shape().element_type(), MaxFinite(solve.shape().element_type()))),
        inverts_(profile.linear_algebra().inverted_blocks),
        gamma_(SolveRoundings(profile, solve.shape().element_type(), form_.n())
                   .Relative(solve.shape().element_type())),
        inverse_gamma_(InverseRoundings(profile, solve.shape().element_type(), form_.n())
                           .Relative(solve.shape().element_type())) {}

  void Run(int64_t a_start, int64_t b_start, std::vector<Interval>* x) {
    a_start_ = a_start;
    for (int64_t column = 0; column < form_.columns(); ++column) {
      const std::vector<double> more =
          inverts_ ? ByInverses(b_start, column) : std::vector<double>();
      std::vector<Interval> exact(form_.n()), accepted(form_.n());
      for (int64_t i = 0; i < form_.n(); ++i) {
        const Interval b = b_[b_start + form_.PlaceOfB(i, column)];
        accepted[i] = Row(i, b, gamma_, least_, accepted);
        if (inverts_) {
          exact[i] = Row(i, b, 0, 0, exact);
          accepted[i] = Hull(accepted[i], exact[i] + Interval::Around(more[i]));
        }
        // Past the largest number there may be infinities, and NaNs behind them.
        if (accepted[i].magnitude() > largest_) accepted[i] = Interval::Everything();
        (*x)[b_start + form_.PlaceOfB(i, column)] = accepted[i];
      }
    }
  }

 private:
  Interval At(int64_t i, int64_t j) const {
    if (i == j && form_.unit_diagonal()) return Interval::Point(1);
    return a_[a_start_ + form_.PlaceOfT(i, j)];
  }

  // Element i of the solution, of those before it.
  Interval Row(int64_t i, const Interval& b, double gamma, double least,
               const std::vector<Interval>& x) const {
    const Interval relative = Interval::Point(1) + Interval::Around(gamma);
    Interval rest = b;
    double terms = b.magnitude();
    double lost = static_cast<double>(form_.n()) + 1;
    for (int64_t j = 0; j < i; ++j) {
      rest = rest - (At(i, j) * relative + Interval::Around(least)) * x[j];
      lost += At(i, j).magnitude();
      terms += At(i, j).magnitude() * x[j].magnitude();
    }
    // Some of the terms may overflow without the others, and be NaN with them.
    if (!(terms * (1 + 2 * gamma_) <= largest_)) return Interval::Everything();
    lost += At(i, i).magnitude();
    return (rest + Interval::Around(2 * lost * least)) /
           (At(i, i) * relative + Interval::Around(least));
  }

  // gamma |T^-1| |T| |T^-1| |b| and what flushing takes; |T^-1| is no more than the inverse of the
  // matrix of the least diagonal and the largest other coefficients, taken as negative.
  std::vector<double> ByInverses(int64_t b_start, int64_t column) const {
    std::vector<double> v(form_.n());
    for (int64_t i = 0; i < form_.n(); ++i) {
      v[i] = b_[b_start + form_.PlaceOfB(i, column)].magnitude();
    }
    v = Inverted(v);
    std::vector<double> product(form_.n());
    for (int64_t i = 0; i < form_.n(); ++i) {
      for (int64_t j = 0; j <= i; ++j) product[i] += At(i, j).magnitude() * v[j];
    }
    v = Inverted(product);
    // Sums of positive numbers in double.
    const double up = 1 + 8 * static_cast<double>(form_.n() + 2) * 0x1p-52;
    for (double& each : v) {
      each = each * inverse_gamma_ * up + 2 * static_cast<double>(form_.n()) * least_;
      if (std::isnan(each)) each = kInfinity;
    }
    return v;
  }
  std::vector<double> Inverted(const std::vector<double>& v) const {
    std::vector<double> y(form_.n());
    for (int64_t i = 0; i < form_.n(); ++i) {
      double sum = v[i];
      for (int64_t j = 0; j < i; ++j) sum += At(i, j).magnitude() * y[j];
      y[i] = sum / At(i, i).least_magnitude();
    }
    return y;
  }

  const TriangularForm form_;
  const IntervalArray &a_, &b_;
  const double least_, largest_;
  const bool inverts_;
  const double gamma_, inverse_gamma_;
  int64_t a_start_ = 0;
};

std::vector<Box> EncloseSolve(const Instruction& solve, Boxes operands,
                              const TargetProfile& profile) {
  if (IsComplex(solve.shape().element_type())) return AnythingOf(solve);
  const IntervalArray a(operands[0]), b(operands[1]);
  IntervalSolve substitution(solve, profile, a, b);
  std::vector<Interval> x(b.size(), Interval::Everything());
  const Batch matrices(operands[0].shape()), sides(operands[1].shape());
  for (int64_t k = 0; k < sides.count; ++k) {
    substitution.Run(k * matrices.size, k * sides.size, &x);
  }
  return {BoxOfIntervals(solve, x)};
}

// The factor of what is off by the bound of the residual. With D_i = |L_i|^2, of row i,
// (1 - gamma) D_i <= a_ii + lost, and |L_i| |L_j| <= sqrt(D_i D_j). Both halves of a row of n
// numbers in `lost` are at most n + D_i.
class IntervalCholesky {
 public:
  IntervalCholesky(int64_t n, double gamma, double least)
      : n_(n), gamma_(gamma), least_(least), factor_(n * n), most_(n) {}

  // Of the lower triangle that at(i, j) gives. False: a pivot may not be positive.
  template <typename At>
  bool Run(At at) {
    const double rows = 2 * static_cast<double>(n_) + 2, rest = 1 - gamma_ - 2 * least_;
    if (!(rest > 0)) return false;
    for (int64_t i = 0; i < n_; ++i) {
      most_[i] = (at(i, i).high + rows * least_) / rest * (1 + 0x1p-50);
      if (!(most_[i] > 0) || !std::isfinite(most_[i])) return false;
    }
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const double off = gamma_ * std::sqrt(most_[i]) * std::sqrt(most_[j]) +
                           least_ * (rows + most_[i] + most_[j]);
        Interval sum = at(i, j) + Interval::Around(off * (1 + 0x1p-50));
        for (int64_t k = 0; k < j; ++k) {
          sum = sum - (i == j ? Square(Of(i, k)) : Of(i, k) * Of(j, k));
        }
        if (i == j && !(sum.low > 0)) return false;
        factor_[i * n_ + j] = i == j ? SquareRoot(sum) : sum / Of(j, j);
      }
    }
    return true;
  }
  const Interval& Of(int64_t i, int64_t j) const { return factor_[i * n_ + j]; }

 private:
  const int64_t n_;
  const double gamma_, least_;
  std::vector<Interval> factor_;
  std::vector<double> most_;
};

std::vector<Box> EncloseCholesky(const Instruction& cholesky, const Box& operand,
                                 const TargetProfile& profile) {
  const ElementType type = cholesky.shape().element_type();
  if (IsComplex(type)) return AnythingOf(cholesky);
  const IntervalArray a(operand);
  const Batch matrices(operand.shape());
  const int64_t n = matrices.rows;
  const bool lower = cholesky.GetBool(Attr::kLower);
  std::vector<Interval> factors(a.size(), Interval::Everything());
  IntervalCholesky factor(n, CholeskyRoundings(profile, type, n).Relative(type),
                          SmallestNormal(type));
  for (int64_t k = 0; k < matrices.count; ++k) {
    const auto place = [&](int64_t i, int64_t j) {
      return k * matrices.size + (lower ? i * n + j : j * n + i);
    };
    if (!factor.Run([&](int64_t i, int64_t j) { return a[place(i, j)]; })) continue;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) factors[place(i, j)] = factor.Of(i, j);
    }
  }
  return {BoxOfIntervals(cholesky, factors)};
}

}  // namespace

absl::StatusOr<std::vector<Box>> EncloseLinearAlgebra(const Instruction& instruction,
                                                      Boxes operands, const TargetProfile& profile,
                                                      const FoldContext& context) {
  switch (instruction.opcode()) {
    case Opcode::kFft:
      return EncloseFourier(instruction, operands[0], context);
    case Opcode::kTriangularSolve:
      return EncloseSolve(instruction, operands, profile);
    case Opcode::kCholesky:
      return EncloseCholesky(instruction, operands[0], profile);
    default:
      return AnythingOf(instruction);
  }
}

}  // namespace assay
