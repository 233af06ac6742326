#include "conformance/judge/residuals.h"

#include <algorithm>
#include <complex>
#include <optional>
#include <utility>

#include "conformance/judge/inverse_sizes.h"

namespace assay::conformance {
namespace {

// Wide enough for residuals of f64: products of 64 bits against bounds of 53.
using Real = long double;
using Complex = std::complex<Real>;
constexpr Real kRoundoff = 0x1p-64L;

bool IsFinite(const Complex& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

// One matrix of a batch.
class MatrixView {
 public:
  MatrixView(const Literal& literal, int64_t batch)
      : literal_(literal),
        rows_(literal.shape().dimension(literal.shape().rank() - 2)),
        columns_(literal.shape().dimension(literal.shape().rank() - 1)),
        start_(batch * rows_ * columns_) {}

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t Position(int64_t i, int64_t j) const { return start_ + i * columns_ + j; }
  Complex operator()(int64_t i, int64_t j) const {
    const Element element = literal_.Get(Position(i, j));
    const ElementType part = PartType(literal_);
    return {DecodeFloat(part, element.bits),
            IsComplex(literal_.element_type()) ? DecodeFloat(part, element.imag) : 0.0};
  }

 private:
  const Literal& literal_;
  int64_t rows_, columns_, start_;
};

// A dense square matrix in row-major order.
struct Square {
  explicit Square(int64_t n) : n(n), elements(n * n) {}
  Complex& operator()(int64_t i, int64_t j) { return elements[i * n + j]; }
  const Complex& operator()(int64_t i, int64_t j) const { return elements[i * n + j]; }
  int64_t n;
  std::vector<Complex> elements;
};

// Returns X with T X = I for a lower triangular T.
Square Inverse(const Square& t) {
  Square x(t.n);
  for (int64_t c = 0; c < t.n; ++c) {
    for (int64_t i = c; i < t.n; ++i) {
      Complex rest = i == c ? 1 : 0;
      for (int64_t j = c; j < i; ++j) rest -= t(i, j) * x(j, c);
      x(i, c) = rest / t(i, i);
    }
  }
  return x;
}

// Tests a residual that comes from `terms` roundings of terms with the sum of magnitudes
// `magnitude`.
class ResidualTest {
 public:
  ResidualTest(const Literal& result, const ResidualRoundings& roundings,
               const TargetProfile& profile)
      : own_(roundings.Relative(result.element_type())),
        lost_(LostToUnderflow(profile, PartType(result))) {
    const double u = UnitRoundoff(PartType(result));
    const double k = roundings.Count(result.element_type());
    // The residual is judged as accumulated in f32 and rounded once if the type itself has no
    // bound.
    judged_ = own_ < kInfinity ? own_
                               : roundings.Factor(result.element_type()) *
                                         Gamma(k, UnitRoundoff(ElementType::kF32)) +
                                     2 * u + u * u;
    slack_ = 8 * k * kRoundoff;
  }

  double gamma() const { return own_; }

  // `lost` is the number of operations that may underflow.
  Residual Find(Real residual, Real magnitude, Real lost) const {
    const Real bound = judged_ * magnitude + lost * lost_, slack = slack_ * magnitude;
    if (residual + slack <= bound) return Residual::kInside;
    return own_ < kInfinity && residual - slack > bound ? Residual::kOutside : Residual::kUnknown;
  }

 private:
  Real own_, judged_, slack_, lost_;
};

class CholeskyJudge {
 public:
  CholeskyJudge(const Subject& subject, const Literal& golden, const Literal& actual, int64_t batch)
      : lower_(subject.instruction.GetBool(Attr::kLower)),
        a_(subject.operands[0], batch),
        golden_(golden, batch),
        actual_(actual, batch),
        n_(a_.rows()),
        test_(golden, CholeskyRoundings(subject.profile, golden.element_type(), n_),
              subject.profile),
        part_(PartType(golden)),
        unit_(UnitRoundoff(part_)) {}

  void Find(std::vector<Residual>* residuals) const {
    // Golden ignores imaginary parts of the operand's diagonal; others may not (10.1).
    bool succeeds = true, finite = true, reads_imaginary = false;
    for (int64_t i = 0; i < n_; ++i) {
      reads_imaginary = reads_imaginary || a_(i, i).imag() != 0;
      for (int64_t j = 0; j <= i; ++j) {
        succeeds = succeeds && IsFinite(Factor(golden_, i, j));
        finite = finite && IsFinite(Factor(actual_, i, j));
      }
    }
    const Residual failure =
        finite || !MustSucceed(succeeds) ? Residual::kUnknown : Residual::kOutside;
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        // The other triangle, and the factor of a matrix without one, are unconstrained.
        Residual residual_of = Residual::kFree;
        if (j <= i && succeeds) {
          if (!IsFinite(Factor(actual_, i, j))) {
            residual_of = failure;
          } else {
            residual_of = i == j && !DiagonalIsReal(i) ? Residual::kOutside : Entry(i, j);
          }
          if (reads_imaginary && residual_of > Residual::kInside) {
            residual_of = Residual::kFree;
          }
        }
        (*residuals)[lower_ ? actual_.Position(i, j) : actual_.Position(j, i)] = residual_of;
      }
    }
  }

 private:
  // Returns an element of L, or of the adjoint of U.
  Complex Factor(const MatrixView& matrix, int64_t i, int64_t j) const {
    return lower_ ? matrix(i, j) : std::conj(matrix(j, i));
  }

  Residual Entry(int64_t i, int64_t j) const {
    Complex rest = Factor(a_, i, j);
    if (i == j) rest = rest.real();
    Real magnitude = 0, lost = static_cast<Real>(n_) + 1;
    for (int64_t k = 0; k <= j; ++k) {
      const Complex x = Factor(actual_, i, k), y = Factor(actual_, j, k);
      rest -= x * std::conj(y);
      magnitude += std::abs(x) * std::abs(y);
      lost += std::abs(x) + std::abs(y);
    }
    return test_.Find(std::abs(rest), magnitude, lost);
  }

  bool DiagonalIsReal(int64_t i) const {
    const Complex value = Factor(actual_, i, i);
    return value.real() >= 0 && std::fabs(value.imag()) <= 2 * unit_ * value.real();
  }

  // Returns true if the smallest eigenvalue of D^-1/2 a D^-1/2, where D is the diagonal, is so
  // large that every factorisation succeeds. It is at least 1 / |L^-1|^2 for the factor L of that
  // matrix.
  bool MustSucceed(bool succeeds) const {
    const double gamma = test_.gamma();
    if (!succeeds || !(gamma < 1)) return false;
    Square scaled(n_);
    for (int64_t i = 0; i < n_; ++i) {
      const Real size = a_(i, i).real();
      if (!(size > SmallestNormal(part_))) return false;
      for (int64_t j = 0; j <= i; ++j) scaled(i, j) = Factor(golden_, i, j) / std::sqrt(size);
    }
    Real square = 0;
    for (const Complex& element : Inverse(scaled).elements) square += std::norm(element);
    // The factor 2 is due to the rounding of the golden factor.
    return 1 / square > 2 * static_cast<Real>(n_) * gamma / (1 - gamma);
  }

  const bool lower_;
  const MatrixView a_, golden_, actual_;
  const int64_t n_;
  const ResidualTest test_;
  const ElementType part_;
  const Real unit_;
};

// op(a) X = b, or X op(a) = b read as op(a)^T X^T = b^T, as T x = b with rows in the order in which
// they are solved: T is a lower triangle.
class SolveJudge {
 public:
  SolveJudge(const Subject& subject, const Literal& golden, const Literal& actual, int64_t batch)
      : inverted_blocks_(subject.profile.linear_algebra().inverted_blocks),
        left_(subject.instruction.GetBool(Attr::kLeftSide)),
        unit_diagonal_(subject.instruction.GetBool(Attr::kUnitDiagonal)),
        transpose_(subject.instruction.GetEnum<TransposeA>(Attr::kTransposeA)),
        a_(subject.operands[0], batch),
        b_(subject.operands[1], batch),
        golden_(golden, batch),
        actual_(actual, batch),
        n_(a_.rows()),
        sides_(left_ ? b_.columns() : b_.rows()),
        transposed_((transpose_ != TransposeA::kNoTranspose) == left_),
        reversed_(subject.instruction.GetBool(Attr::kLower) == transposed_),
        t_(n_),
        test_(golden, SolveRoundings(subject.profile, golden.element_type(), n_), subject.profile),
        relaxed_(golden, InverseRoundings(subject.profile, golden.element_type(), n_),
                 subject.profile),
        least_(LostToUnderflow(subject.profile, PartType(golden))),
        largest_(DecodeFloat(PartType(golden), MaxFinite(PartType(golden)))) {
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j <= i; ++j) t_(i, j) = Coefficient(Row(i), Row(j));
      singular_ = singular_ || t_(i, i) == Complex(0);
    }
  }

  void Find(std::vector<Residual>* residuals) {
    for (int64_t c = 0; c < sides_; ++c) {
      std::vector<Residual> column(n_);
      bool all = true;
      for (int64_t i = 0; i < n_; ++i) {
        column[i] = Entry(i, c);
        all = all && column[i] < Residual::kUnknown;
      }
      if (!all && inverted_blocks_) RelaxByInverse(c, &column);
      for (int64_t i = 0; i < n_; ++i) (*residuals)[Position(Row(i), c)] = column[i];
    }
  }

 private:
  int64_t Row(int64_t i) const { return reversed_ ? n_ - 1 - i : i; }

  Complex Coefficient(int64_t i, int64_t j) const {
    if (i == j && unit_diagonal_) return 1;
    const Complex value = transposed_ ? a_(j, i) : a_(i, j);
    return transpose_ == TransposeA::kAdjoint ? std::conj(value) : value;
  }

  int64_t Position(int64_t i, int64_t c) const {
    return left_ ? actual_.Position(i, c) : actual_.Position(c, i);
  }
  Complex Of(const MatrixView& matrix, int64_t i, int64_t c) const {
    return left_ ? matrix(Row(i), c) : matrix(c, Row(i));
  }

  Residual Entry(int64_t i, int64_t c) const {
    Complex rest = Of(b_, i, c);
    Real magnitude = 0, lost = static_cast<Real>(n_) + 1;
    for (int64_t j = 0; j <= i; ++j) {
      const Complex x = Of(actual_, j, c);
      rest -= t_(i, j) * x;
      magnitude += std::abs(t_(i, j)) * std::abs(x);
      lost += std::abs(t_(i, j)) + std::abs(x);
    }
    if (std::isfinite(magnitude)) return test_.Find(std::abs(rest), magnitude, lost);
    // True for elements that depend on a division by zero or on an infinite operand.
    const bool bad = singular_ || !std::isfinite(Scale(c));
    if (bad) return Residual::kFree;
    const bool fails = IsFinite(Of(golden_, i, c)) && !IsFinite(Of(actual_, i, c));
    return fails && !MayOverflow(i, c) ? Residual::kOutside : Residual::kUnknown;
  }

  // Returns true if terms of a row up to this one may overflow the type.
  bool MayOverflow(int64_t last, int64_t c) const {
    for (int64_t i = 0; i <= last; ++i) {
      Real magnitude = std::abs(Of(b_, i, c));
      for (int64_t j = 0; j < i; ++j) magnitude += std::abs(t_(i, j) * Of(golden_, j, c));
      if (magnitude * (1 + test_.gamma()) > largest_) return true;
    }
    return false;
  }

  // Returns a scale that is finite if the whole system is.
  Real Scale(int64_t c) const {
    Real scale = 0;
    for (const Complex& element : t_.elements) scale += std::abs(element);
    for (int64_t i = 0; i < n_; ++i) scale += std::abs(Of(b_, i, c)) + std::abs(Of(golden_, i, c));
    return scale;
  }

  // Solves by inverses: |x~ - x| <= gam(3n) |T^-1| |T| |T^-1| |b|, and what underflows. Behind a
  // number that may overflow on the way, what is not finite is inconclusive.
  void RelaxByInverse(int64_t c, std::vector<Residual>* column) {
    if (singular_ || !std::isfinite(Scale(c))) return;
    if (inverse_.n != n_) {
      inverse_ = Inverse(t_);
      sizes_.emplace(SizesOfInverse());
    }
    std::vector<Real> v(n_);
    for (int64_t i = 0; i < n_; ++i) v[i] = std::abs(Of(b_, i, c));
    const std::vector<double> sides(v.begin(), v.end());
    for (const Square* factor : {&inverse_, &t_, &inverse_}) {
      std::vector<Real> product(n_);
      for (int64_t i = 0; i < n_; ++i) {
        for (int64_t j = 0; j <= i; ++j) product[i] += std::abs((*factor)(i, j)) * v[j];
      }
      v = std::move(product);
    }
    const std::vector<double> lost = sizes_->Lost(sides);
    const int64_t fitting = sizes_->FirstOverflow(sides, least_, static_cast<double>(largest_));
    for (int64_t i = 0; i < n_; ++i) {
      const Complex actual = Of(actual_, i, c);
      const Real distance = std::abs(actual - Of(golden_, i, c));
      if (relaxed_.Find(distance, v[i], lost[i]) == Residual::kInside) {
        (*column)[i] = Residual::kInside;
      } else if (i >= fitting && !IsFinite(actual) && (*column)[i] == Residual::kOutside) {
        (*column)[i] = Residual::kUnknown;
      }
    }
  }

  InverseSizes SizesOfInverse() const {
    std::vector<double> magnitudes(n_ * n_), diagonal(n_);
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        magnitudes[i * n_ + j] = static_cast<double>(std::abs(t_(i, j)));
      }
      diagonal[i] = magnitudes[i * n_ + i];
    }
    return InverseSizes(std::move(magnitudes), std::move(diagonal));
  }

  const bool inverted_blocks_, left_, unit_diagonal_;
  const TransposeA transpose_;
  const MatrixView a_, b_, golden_, actual_;
  const int64_t n_, sides_;
  const bool transposed_, reversed_;  // T is a transposed, or conjugated too; rows from the last
  Square t_;
  const ResidualTest test_, relaxed_;
  const double least_;  // the absolute error of an operation that underflows
  const Real largest_;
  bool singular_ = false;
  Square inverse_{0};
  std::optional<InverseSizes> sizes_;  // set with inverse_
};

}  // namespace

double ResidualRoundings::Factor(ElementType type) const {
  return IsComplex(type) ? std::sqrt(2.0) : 1;
}

double ResidualRoundings::Count(ElementType type) const {
  return (IsComplex(type) ? complex_terms : terms) + 2 * ulps;
}

double ResidualRoundings::Relative(ElementType type) const {
  return Factor(type) * Gamma(Count(type), UnitRoundoff(Info(type).component));
}

// Returns the budget of a function in ulps beyond the one rounding that the number of terms
// includes.
static double BeyondRounding(const TargetProfile& profile, Opcode opcode, ElementType type) {
  return std::max(0.0, profile.FindBudget(opcode, type).ulps - 0.5);
}

ResidualRoundings CholeskyRoundings(const TargetProfile& profile, ElementType type, int64_t n) {
  const auto rows = static_cast<double>(n);
  return {rows + 1, 2 * rows + 7,
          std::max(2 * BeyondRounding(profile, Opcode::kSqrt, type),
                   BeyondRounding(profile, Opcode::kDivide, type))};
}

ResidualRoundings SolveRoundings(const TargetProfile& profile, ElementType type, int64_t n) {
  const auto rows = static_cast<double>(n);
  return {rows, 2 * rows + 4, BeyondRounding(profile, Opcode::kDivide, type)};
}

ResidualRoundings InverseRoundings(const TargetProfile& profile, ElementType type, int64_t n) {
  const auto rows = static_cast<double>(n);
  return {3 * rows, 6 * rows + 4, 3 * BeyondRounding(profile, Opcode::kDivide, type)};
}

double LostToUnderflow(const TargetProfile& profile, ElementType part) {
  const bool flushes = profile.MayFlushOperands(part) || profile.MayFlushResults(part);
  return flushes ? SmallestNormal(part) : UlpOf(part, 0);
}

bool HasResidual(Opcode opcode) {
  return opcode == Opcode::kCholesky || opcode == Opcode::kTriangularSolve;
}

std::vector<Residual> FindResiduals(const Subject& subject, const Literal& golden,
                                    const Literal& actual) {
  const Shape& shape = golden.shape();
  const int64_t size = shape.dimension(shape.rank() - 2) * shape.dimension(shape.rank() - 1);
  std::vector<Residual> residuals(golden.element_count());
  for (int64_t batch = 0; size > 0 && batch < golden.element_count() / size; ++batch) {
    if (subject.instruction.opcode() == Opcode::kCholesky) {
      CholeskyJudge(subject, golden, actual, batch).Find(&residuals);
    } else {
      SolveJudge(subject, golden, actual, batch).Find(&residuals);
    }
  }
  return residuals;
}

}  // namespace assay::conformance
