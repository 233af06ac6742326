// The Cholesky recursion on numbers with bounds, for the tiers of the kernel of cholesky.
// Tests: linear_algebra_kernels_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_CHOLESKY_FACTOR_H_
#define ASSAY_EVALUATOR_KERNELS_CHOLESKY_FACTOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/ball_scalars.h"
#include "evaluator/kernels/kernel.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {

// The elements of the factor that are decided so far. Element (i, j) is at i * n + j, j <= i.
struct FactorElements {
  std::vector<Element> elements;
  std::vector<bool> decided;
};

enum class FactorOutcome : uint8_t {
  kFactor,
  kNotPositive,  // surely not positive definite
  kUnknown,      // a pivot may be zero: there are no elements from its row on
};

// The first `rows` rows of the factor of a matrix as ExactCholesky takes it:
//   L(i, j) = (a(i, j) - sum over k < j of L(i, k) conj(L(j, k))) / L(j, j),
// and into `found` what was not decided yet and is now. A multiplication charges `weight`.
template <class Real, class Scalar>
absl::StatusOr<FactorOutcome> FactorRows(ElementType type, int64_t n, int64_t rows,
                                         absl::Span<const double> lower, int64_t weight,
                                         Meter& meter, FactorElements& found) {
  using Traits = ScalarTraits<Scalar>;
  const auto load = [&](int64_t i, int64_t j) {
    return Traits::Load(&lower[(i * n + j) * Traits::kParts]);
  };
  std::vector<Scalar> factor(rows * rows);
  std::vector<Real> diagonal(rows);
  for (int64_t i = 0; i < rows; ++i) {
    Scalar* row = factor.data() + i * rows;
    for (int64_t j = 0; j < i; ++j) {
      const Scalar* above = factor.data() + j * rows;
      Scalar rest = load(i, j);
      for (int64_t k = 0; k < j; ++k) rest = rest - row[k] * Traits::Conjugated(above[k]);
      row[j] = rest / diagonal[j];
    }
    Real pivot = lower[(i * n + i) * Traits::kParts];
    for (int64_t k = 0; k < i; ++k) pivot = pivot - Traits::Square(row[k]);
    if (pivot.IsZero() || (-pivot).IsPositive()) return FactorOutcome::kNotPositive;
    if (!pivot.IsPositive()) return FactorOutcome::kUnknown;
    diagonal[i] = Sqrt(pivot);
    row[i] = Scalar(diagonal[i]);
    absl::Status status = meter.Add(weight * (i + 1) * (i + 2) / 2);
    if (!status.ok()) return status;
    for (int64_t j = 0; j <= i; ++j) {
      const int64_t at = i * n + j;
      if (!found.decided[at]) found.decided[at] = RoundScalar(type, row[j], found.elements[at]);
    }
  }
  return FactorOutcome::kFactor;
}

// FactorRows on floats of 384 bits. It is slow to compile and has a file of its own.
absl::StatusOr<FactorOutcome> FactorRowsWide(ElementType type, int64_t n, int64_t rows,
                                             absl::Span<const double> lower, Meter& meter,
                                             FactorElements& found);
// The number of bytes that it allocates.
int64_t FactorRowsWideBytes(ElementType type, int64_t rows);

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_CHOLESKY_FACTOR_H_
