// Kernel of cholesky: the recursion in balls of one double where results are that narrow, then of
// two, whose bounds decide nearly every rounding and every pivot's sign; in floats of 384 bits for
// the leading rows that have an undecided element; exactly for what is left, ties and singular
// matrices. Source: reference ops_structural.md 10.1. Tests: linear_algebra_kernels_test.cc.
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "evaluator/kernels/cholesky_factor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/rough_ball.h"
#include "evaluator/ops/exact_cholesky.h"
#include "evaluator/ops/special_elements.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::evaluator::kernels {
namespace {

using real::DdBall;

class CholeskyKernel : public Kernel {
 public:
  explicit CholeskyKernel(const Instruction& cholesky)
      : type_(cholesky.shape().element_type()),
        parts_(IsComplex(type_) ? 2 : 1),
        n_(cholesky.shape().dimension(cholesky.shape().rank() - 1)),
        count_(cholesky.shape().element_count()),
        lower_(cholesky.GetBool(Attr::kLower)) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (count_ == 0) return absl::OkStatus();
    constexpr int64_t kSteps = 8;  // of a multiply-add, of which there are n^3 / 6
    return ParallelFor(context, count_ / (n_ * n_), GrainFor(kSteps * n_ * n_ * (n_ / 6 + 8)),
                       [&](Blocks& blocks, EvaluationContext& context) {
                         return RunBlocks(operands[0].data, blocks, results[0].data, context);
                       });
  }

 private:
  absl::Status RunBlocks(const std::byte* x, Blocks& blocks, std::byte* out,
                         EvaluationContext& context) const {
    const int64_t size = n_ * n_;
    runtime::ScratchLease lease(context);
    constexpr int64_t kBall = sizeof(DdBall);
    absl::Status status = lease.Add(size * (parts_ * (8 + kBall) + int64_t{sizeof(Element)} + 1));
    if (!status.ok()) return status;
    Meter meter(context);
    std::vector<double> matrix(size * parts_);
    for (int64_t i; blocks.NextElement(&i);) {
      const int64_t offset = i * size * StorageBytes(type_);
      DecodeFloats(type_, x + offset, size, matrix.data());
      FactorElements found = {std::vector<Element>(size), std::vector<bool>(size)};
      absl::StatusOr<bool> positive =
          MakeLower(matrix) ? Factor(matrix, meter, context, found) : absl::StatusOr<bool>(false);
      if (!positive.ok()) return positive.status();
      Store(*positive ? &found : nullptr, out + offset);
      if (status = meter.Add(2 * size); !status.ok()) return status;
    }
    return meter.Flush();
  }

  // The lower triangle of the matrix to factor; its mirror image if the upper one counts. False if
  // it holds a value that is not finite.
  bool MakeLower(std::vector<double>& matrix) const {
    bool finite = true;
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        double* to = &matrix[(i * n_ + j) * parts_];
        if (!lower_) {
          const double* from = &matrix[(j * n_ + i) * parts_];
          to[0] = from[0];
          if (parts_ == 2) to[1] = -from[1];
        }
        if (i == j && parts_ == 2) to[1] = 0;
        finite = finite && std::isfinite(to[0]) && std::isfinite(to[parts_ - 1]);
      }
    }
    return finite;
  }

  // False if the matrix is not positive definite.
  absl::StatusOr<bool> Factor(const std::vector<double>& lower, Meter& meter,
                              EvaluationContext& context, FactorElements& found) const {
    absl::StatusOr<FactorOutcome> outcome = FactorOutcome::kUnknown;
    int64_t rows = n_;
    if (SuitsRoughBalls(type_)) {
      outcome = FactorRows<RoughBall, RoughBall>(type_, n_, n_, lower, 1, meter, found);
      rows = RowsLeft(outcome, found);
    }
    if (rows > 0) {
      outcome = parts_ == 2 ? FactorRows<DdBall, real::ComplexOf<DdBall>>(type_, n_, rows, lower, 4,
                                                                          meter, found)
                            : FactorRows<DdBall, DdBall>(type_, n_, rows, lower, 1, meter, found);
      rows = RowsLeft(outcome, found);
    }
    if (rows > 0) {
      runtime::ScratchLease lease(context);
      if (absl::Status status = lease.Add(FactorRowsWideBytes(type_, rows)); !status.ok()) {
        return status;
      }
      outcome = FactorRowsWide(type_, n_, rows, lower, meter, found);
      rows = RowsLeft(outcome, found);
    }
    if (!outcome.ok()) return outcome.status();
    if (*outcome == FactorOutcome::kNotPositive) return false;
    if (rows == 0) return true;
    return FactorExactly(rows, lower, context, found);
  }

  // The leading rows that the next tier has to do.
  int64_t RowsLeft(const absl::StatusOr<FactorOutcome>& outcome,
                   const FactorElements& found) const {
    if (!outcome.ok() || *outcome == FactorOutcome::kNotPositive) return 0;
    if (*outcome == FactorOutcome::kUnknown) return n_;
    for (int64_t i = n_ - 1; i >= 0; --i) {
      for (int64_t j = 0; j <= i; ++j) {
        if (!found.decided[i * n_ + j]) return i + 1;
      }
    }
    return 0;
  }

  absl::StatusOr<bool> FactorExactly(int64_t rows, const std::vector<double>& lower,
                                     EvaluationContext& context, FactorElements& found) const {
    std::vector<double> leading;
    for (int64_t i = 0; i < rows; ++i) {
      const auto row = lower.begin() + i * n_ * parts_;
      leading.insert(leading.end(), row, row + rows * parts_);
    }
    runtime::ScratchLease lease(context);
    // Minors of up to `rows` factors of 64 bits, on average of a third of that.
    absl::Status status = lease.Add(rows * rows * parts_ * (48 + rows * 8 / 3));
    if (!status.ok()) return status;
    absl::StatusOr<std::vector<Element>> factor = ExactCholesky(type_, rows, leading, context);
    if (!factor.ok()) return factor.status();
    if (factor->empty()) return false;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j <= i; ++j) found.elements[i * n_ + j] = (*factor)[i * rows + j];
    }
    return true;
  }

  // `found` is null where the result is NaN.
  void Store(const FactorElements* found, std::byte* out) const {
    const ElementType part = Info(type_).component;
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        const int64_t at = i * n_ + j;
        Element element = found == nullptr ? NanOf(type_) : ZeroOf(type_);
        if (found != nullptr && j <= i) element = found->elements[at];
        if (!lower_ && parts_ == 2 && !IsNan(part, element.imag) && !IsZero(part, element.imag)) {
          element.imag = EncodeFloat(part, -DecodeFloat(part, element.imag));
        }
        StoreElement(type_, element, out, lower_ ? at : j * n_ + i);
      }
    }
  }

  ElementType type_;
  int64_t parts_;
  int64_t n_;
  int64_t count_;
  bool lower_;
};

}  // namespace

KernelOrNull PrepareCholesky(const Instruction& instruction) {
  return std::make_unique<CholeskyKernel>(instruction);
}

}  // namespace assay::evaluator::kernels
