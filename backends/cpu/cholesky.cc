// cholesky: row by row in blocks of columns, so that the rows of a block stay in the cache; rows
// below a block are computed by several threads. A matrix with a pivot that is not positive becomes
// NaN. Source: reference ops_structural.md 10.1. Tests: kernels_test.cc.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "backends/cpu/kernels.h"
#include "backends/cpu/matrix.h"
#include "backends/cpu/matrix_io.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::cpu {
namespace {

constexpr int64_t kColumns = 64;

// L[i, j] for j in [first, last) of one row.
template <typename T>
void FactorRow(T* a, int64_t n, int64_t i, int64_t first, int64_t last) {
  for (int64_t j = first; j < last; ++j) {
    const T rest = a[i * n + j] - DotConjugate(a + i * n, a + j * n, j);
    a[i * n + j] = rest / std::real(a[j * n + j]);
  }
}

// False: a pivot is not positive.
template <typename T>
bool FactorPivot(T* a, int64_t n, int64_t j) {
  const auto pivot = std::real(a[j * n + j]) - std::real(DotConjugate(a + j * n, a + j * n, j));
  if (!(pivot > 0)) return false;
  a[j * n + j] = std::sqrt(pivot);
  return true;
}

// The lower factor in place of the lower triangle. False if there is none.
template <typename T>
absl::StatusOr<bool> Factor(T* a, int64_t n, Context& context) {
  for (int64_t first = 0; first < n; first += kColumns) {
    const int64_t last = std::min(first + kColumns, n);
    for (int64_t i = first; i < last; ++i) {
      FactorRow(a, n, i, first, i);
      if (!FactorPivot(a, n, i)) return false;
    }
    const int64_t row_cost = (last - first) * (last / 4 + 8);
    absl::Status status = runtime::ParallelFor(context, n - last, runtime::GrainFor(row_cost),
                                               [&](runtime::Blocks& blocks, Context& context) {
                                                 for (int64_t row; blocks.NextElement(&row);) {
                                                   absl::Status status =
                                                       context.ChargeCostly(row_cost);
                                                   if (!status.ok()) return status;
                                                   FactorRow(a, n, last + row, first, last);
                                                 }
                                                 return absl::OkStatus();
                                               });
    if (!status.ok()) return status;
  }
  return true;
}

class CholeskyKernel : public Kernel {
 public:
  CholeskyKernel(const Instruction& cholesky, NumberConversion numbers)
      : numbers_(std::move(numbers)),
        type_(cholesky.shape().element_type()),
        lower_(cholesky.GetBool(Attr::kLower)),
        n_(cholesky.shape().dimensions().back()),
        batch_(n_ == 0 ? 0 : cholesky.shape().element_count() / (n_ * n_)) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    absl::Status status;
    WithNumber(type_, [&](auto number) {
      using T = decltype(number);
      // Many matrices are shared among threads, else the rows of each.
      const int64_t cost = n_ * n_ * (n_ / 8 + 4);
      const int64_t grain = batch_ >= 8 ? runtime::GrainFor(cost) : std::max<int64_t>(1, batch_);
      status = runtime::ParallelFor(context, batch_, grain,
                                    [&](runtime::Blocks& blocks, Context& context) {
                                      return RunMatrices<T>(operands, results, blocks, context);
                                    });
    });
    return status;
  }

 private:
  template <typename T>
  absl::Status RunMatrices(absl::Span<const ArrayRef> operands,
                           absl::Span<const MutableArrayRef> results, runtime::Blocks& blocks,
                           Context& context) const {
    const int64_t size = n_ * n_;
    runtime::ScratchLease lease(context);
    absl::Status status = lease.Add(2 * size * static_cast<int64_t>(sizeof(T)));
    if (!status.ok()) return status;
    std::vector<T> a(size), b(size);
    for (int64_t matrix; blocks.NextElement(&matrix);) {
      status = context.ChargeCostly(size);
      if (!status.ok()) return status;
      numbers_.Load(operands[0].data, matrix * size, size, b.data());
      for (int64_t i = 0; i < n_; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
          a[i * n_ + j] =
              lower_ ? b[i * n_ + j] : ASSAY_DEFECT(33, Conjugate(b[j * n_ + i]), b[j * n_ + i]);
        }
      }
      absl::StatusOr<bool> factored = Factor(a.data(), n_, context);
      if (!factored.ok()) return factored.status();
      const T nan = std::numeric_limits<decltype(std::real(T{}))>::quiet_NaN();
      for (int64_t i = 0; i < n_; ++i) {
        for (int64_t j = 0; j < n_; ++j) {
          const T value = j > i ? T{} : a[i * n_ + j];
          (lower_ ? b[i * n_ + j] : b[j * n_ + i]) = !*factored ? nan
                                                     : lower_   ? value
                                                                : Conjugate(value);
        }
      }
      numbers_.Store(b.data(), matrix * size, size, results[0].data);
    }
    return absl::OkStatus();
  }

  const NumberConversion numbers_;
  const ElementType type_;
  const bool lower_;
  const int64_t n_, batch_;
};

}  // namespace

KernelOr PrepareCholesky(const Instruction& cholesky) {
  auto numbers = NumberConversion::Create(cholesky.shape().element_type());
  if (!numbers.ok()) return numbers.status();
  return std::make_unique<CholeskyKernel>(cholesky, *std::move(numbers));
}

}  // namespace assay::cpu
