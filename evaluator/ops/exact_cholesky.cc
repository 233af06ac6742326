// Bareiss' elimination: after step k, element (i, j) is the minor of rows 0..k, i and columns
// 0..k, j, because every division by the leading minor before it is exact.
#include "evaluator/ops/exact_cholesky.h"

#include "evaluator/ops/special_elements.h"
#include "evaluator/real/dyadic.h"

namespace assay::evaluator {
namespace {

using real::ComplexDyadic;
using real::Dyadic;

// What a product of two elements costs, in element operations.
int64_t Work(const ComplexDyadic& a, const ComplexDyadic& b) {
  return 1 + (a.re.limbs() + a.im.limbs()) * (b.re.limbs() + b.im.limbs()) / 8;
}

class Elimination {
 public:
  Elimination(ElementType type, int64_t n, absl::Span<const double> lower)
      : type_(type), n_(n), minors_(n * n), factor_(n * n, ZeroOf(type)) {
    const bool complex = IsComplex(type);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const int64_t at = i * n + j;
        minors_[at].re = lower[complex ? 2 * at : at];
        if (complex && j < i) minors_[at].im = lower[2 * at + 1];
      }
    }
  }

  absl::StatusOr<std::vector<Element>> Run(EvaluationContext& context) {
    Dyadic before = 1;  // the leading minor of the step before
    for (int64_t k = 0; k < n_; ++k) {
      const Dyadic leading = At(k, k).re;
      if (leading.Sign() <= 0) return std::vector<Element>();
      RoundColumn(k, leading * before);
      for (int64_t j = k + 1; j < n_; ++j) {
        if (absl::Status status = UpdateColumn(k, j, leading, before, context); !status.ok()) {
          return status;
        }
      }
      before = leading;
    }
    return std::move(factor_);
  }

 private:
  ComplexDyadic& At(int64_t i, int64_t j) { return minors_[i * n_ + j]; }

  void RoundColumn(int64_t j, const Dyadic& square) {
    const ElementType part = Info(type_).component;
    for (int64_t i = j; i < n_; ++i) {
      const auto round = [&](const Dyadic& minor) {
        return real::RoundWithRoot(part, Dyadic(), minor, square);
      };
      factor_[i * n_ + j].bits = round(At(i, j).re);
      if (IsComplex(type_)) factor_[i * n_ + j].imag = round(At(i, j).im);
    }
  }

  // The elements (i, j) of the triangle.
  absl::Status UpdateColumn(int64_t k, int64_t j, const Dyadic& leading, const Dyadic& before,
                            EvaluationContext& context) {
    int64_t work = 0;
    const ComplexDyadic pivot = {leading, {}};
    for (int64_t i = j; i < n_; ++i) {
      ComplexDyadic& minor = At(i, j);
      work += 3 * Work(pivot, minor) + Work(At(i, k), At(j, k));
      minor = pivot * minor - At(i, k) * At(j, k).Conjugate();
      minor = {Dyadic::ExactQuotient(minor.re, before), Dyadic::ExactQuotient(minor.im, before)};
    }
    return context.ChargeCostly(work);
  }

  const ElementType type_;
  const int64_t n_;
  std::vector<ComplexDyadic> minors_;
  std::vector<Element> factor_;
};

}  // namespace

absl::StatusOr<std::vector<Element>> ExactCholesky(ElementType type, int64_t n,
                                                   absl::Span<const double> lower,
                                                   EvaluationContext& context) {
  return Elimination(type, n, lower).Run(context);
}

}  // namespace assay::evaluator
