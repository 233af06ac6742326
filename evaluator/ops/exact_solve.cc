// Substitution by columns: once y(j) = r(j) / P is known, r(i) becomes t(j, j) r(i) - t(i, j) r(j),
// over the common denominator P t(j, j).
#include "evaluator/ops/exact_solve.h"

#include <cmath>
#include <limits>

#include "evaluator/ops/special_elements.h"
#include "evaluator/real/dyadic.h"

namespace assay::evaluator {
namespace {

using real::ComplexDyadic;
using real::Dyadic;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Substitution {
 public:
  Substitution(ElementType type, int64_t n, absl::Span<const double> t, bool unit_diagonal,
               absl::Span<const double> c)
      : type_(type),
        parts_(IsComplex(type) ? 2 : 1),
        n_(n),
        t_(t),
        unit_(unit_diagonal),
        rest_(n),
        special_(n, 0.0) {
    for (int64_t i = 0; i < n; ++i) {
      if (IsFinite(&c[i * parts_])) {
        rest_[i] = Exact(&c[i * parts_]);
      } else {
        special_[i] = parts_ == 1 ? c[i] : kNan;
      }
    }
  }

  absl::Status Run(absl::Span<Element> y, EvaluationContext& context) {
    for (int64_t j = 0; j < n_; ++j) {
      const double one[] = {1, 0};
      const double* diagonal = unit_ ? one : At(j, j);
      const double special = SpecialQuotient(j, diagonal);
      if (special != 0) {
        y[j] = SpecialElement(special);
        for (int64_t i = j + 1; i < n_; ++i) special_[i] -= *At(i, j) * special;
        continue;
      }
      if (!std::isfinite(*diagonal)) rest_[j] = {};  // a quotient by infinity
      const ComplexDyadic step = std::isfinite(*diagonal) ? Exact(diagonal) : ComplexDyadic{1, {}};
      denominator_ = denominator_ * step;
      y[j] = Quotient(rest_[j]);
      if (absl::Status status = Update(j, step, context); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  const double* At(int64_t i, int64_t j) const { return &t_[(i * n_ + j) * parts_]; }
  bool IsFinite(const double* value) const {
    return std::isfinite(value[0]) && std::isfinite(value[parts_ - 1]);
  }
  ComplexDyadic Exact(const double* value) const {
    return {value[0], parts_ == 2 ? Dyadic(value[1]) : Dyadic()};
  }

  // y(j) where it is an infinity or NaN, 0 where it is finite.
  double SpecialQuotient(int64_t j, const double* diagonal) const {
    if (parts_ == 2) {
      const bool divides = IsFinite(diagonal) && (diagonal[0] != 0 || diagonal[1] != 0);
      return divides ? special_[j] : kNan;
    }
    if (std::isnan(*diagonal)) return kNan;
    if (special_[j] != 0) return special_[j] / *diagonal;
    if (*diagonal != 0) return 0;
    return rest_[j].re.Sign() * denominator_.re.Sign() / *diagonal;
  }

  Element SpecialElement(double value) const {
    if (std::isnan(value)) return NanOf(type_);
    return {Infinity(type_, value < 0)};
  }

  Element Quotient(const ComplexDyadic& numerator) const {
    const ElementType part = Info(type_).component;
    if (parts_ == 1) return {real::RoundQuotient(part, numerator.re, denominator_.re)};
    const ComplexDyadic product = numerator * denominator_.Conjugate();
    const Dyadic norm = denominator_.Norm();
    return {real::RoundQuotient(part, product.re, norm),
            real::RoundQuotient(part, product.im, norm)};
  }

  // Takes t(i, j) y(j) off every later row.
  absl::Status Update(int64_t j, const ComplexDyadic& step, EvaluationContext& context) {
    const ComplexDyadic numerator = rest_[j];
    int64_t work = 0;
    for (int64_t i = j + 1; i < n_; ++i) {
      const double* t = At(i, j);
      if (IsFinite(t)) {
        rest_[i] = step * rest_[i] - Exact(t) * numerator;
        work += 2 + (rest_[i].re.limbs() + rest_[i].im.limbs()) / 4;
      } else {
        rest_[i] = step * rest_[i];
        special_[i] -= parts_ == 2 ? kNan : *t * numerator.re.Sign() * denominator_.re.Sign();
      }
    }
    return context.ChargeCostly(1 + work);
  }

  const ElementType type_;
  const int64_t parts_;
  const int64_t n_;
  const absl::Span<const double> t_;
  const bool unit_;
  ComplexDyadic denominator_ = {1, {}};
  std::vector<ComplexDyadic> rest_;  // numerators of what is left of c
  std::vector<double> special_;      // the sum of the terms that are no finite numbers, or 0
};

}  // namespace

TriangularForm::TriangularForm(const Instruction& solve) {
  const Shape& a = solve.operand(0)->shape();
  const Shape& b = solve.operand(1)->shape();
  const auto transpose = static_cast<TransposeA>(solve.GetInt(Attr::kTransposeA));
  const bool transposed = transpose != TransposeA::kNoTranspose;
  left_ = solve.GetBool(Attr::kLeftSide);
  unit_ = solve.GetBool(Attr::kUnitDiagonal);
  conjugated_ = transpose == TransposeA::kAdjoint;
  swapped_ = transposed == left_;
  reversed_ = solve.GetBool(Attr::kLower) == swapped_;
  n_ = a.dimensions().back();
  columns_ = b.dimension(b.rank() - (left_ ? 1 : 2));
}

absl::Status ExactSolve(ElementType type, int64_t n, absl::Span<const double> t, bool unit_diagonal,
                        absl::Span<const double> c, absl::Span<Element> y,
                        EvaluationContext& context) {
  return Substitution(type, n, t, unit_diagonal, c).Run(y, context);
}

}  // namespace assay::evaluator
