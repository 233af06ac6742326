// The tier of 384 bits of the Cholesky kernel. Tests: linear_algebra_kernels_test.cc.
#include "evaluator/kernels/cholesky_factor.h"
#include "evaluator/real/big_tier_impl.h"

namespace assay::evaluator::kernels {
namespace {

using Real = real::Ball<real::BigMath<384 + 64>>;

// Measured against balls of two doubles.
constexpr int64_t kWeight = 100;

}  // namespace

absl::StatusOr<FactorOutcome> FactorRowsWide(ElementType type, int64_t n, int64_t rows,
                                             absl::Span<const double> lower, Meter& meter,
                                             FactorElements& found) {
  return IsComplex(type)
             ? FactorRows<Real, real::ComplexOf<Real>>(type, n, rows, lower, kWeight, meter, found)
             : FactorRows<Real, Real>(type, n, rows, lower, kWeight, meter, found);
}

int64_t FactorRowsWideBytes(ElementType type, int64_t rows) {
  return rows * rows * static_cast<int64_t>(sizeof(Real)) * (IsComplex(type) ? 2 : 1);
}

}  // namespace assay::evaluator::kernels
