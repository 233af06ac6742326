// triangular-solve: substitution on blocks of right-hand sides, which several threads share. A
// solve from the right is one from the left of transposed matrices.
// Source: reference ops_structural.md 10.2. Tests: kernels_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cpu/kernels.h"
#include "backends/cpu/matrix.h"
#include "backends/cpu/matrix_io.h"
#include "backends/defect.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"
#include "spec/ir/attribute_values.h"

namespace assay::cpu {
namespace {

// Right-hand sides that are solved together.
constexpr int64_t kSides = 64;

class TriangularSolveKernel : public Kernel {
 public:
  TriangularSolveKernel(const Instruction& solve, NumberConversion numbers)
      : numbers_(std::move(numbers)),
        type_(solve.shape().element_type()),
        left_(solve.GetBool(Attr::kLeftSide)),
        lower_(solve.GetBool(Attr::kLower)),
        unit_(solve.GetBool(Attr::kUnitDiagonal)),
        transpose_(solve.GetEnum<TransposeA>(Attr::kTransposeA)),
        n_(solve.operand(0)->shape().dimensions().back()),
        size_(solve.shape().dimension(solve.shape().rank() - 1) *
              solve.shape().dimension(solve.shape().rank() - 2)),
        sides_(n_ == 0 ? 0 : size_ / n_),
        batch_(size_ == 0 ? 0 : solve.shape().element_count() / size_) {}

  absl::Status Execute(absl::Span<const ArrayRef> operands,
                       absl::Span<const MutableArrayRef> results, Context& context) const override {
    absl::Status status;
    WithNumber(type_, [&](auto number) {
      status = RunMatrices<decltype(number)>(operands, results, context);
    });
    return status;
  }

 private:
  template <typename T>
  absl::Status RunMatrices(absl::Span<const ArrayRef> operands,
                           absl::Span<const MutableArrayRef> results, Context& context) const {
    runtime::ScratchLease lease(context);
    const int64_t bytes = (2 * n_ * n_ + size_) * static_cast<int64_t>(sizeof(T));
    if (absl::Status status = lease.Add(batch_ == 0 ? 0 : bytes); !status.ok()) return status;
    std::vector<T> a(batch_ == 0 ? 0 : n_ * n_), t(a.size()), b(batch_ == 0 ? 0 : size_);
    for (int64_t matrix = 0; matrix < batch_; ++matrix) {
      numbers_.Load(operands[0].data, matrix * n_ * n_, n_ * n_, a.data());
      MakeTriangle(a.data(), t.data());
      numbers_.Load(operands[1].data, matrix * size_, size_, b.data());
      const int64_t blocks = (sides_ - 1) / kSides + 1;
      absl::Status status = runtime::ParallelFor(
          context, blocks, runtime::GrainFor(n_ * n_ * kSides / 8),
          [&](runtime::Blocks& taken, Context& context) {
            std::vector<T> x(n_ * std::min(kSides, sides_));
            for (int64_t block; taken.NextElement(&block);) {
              const int64_t first = block * kSides, count = std::min(kSides, sides_ - first);
              absl::Status status = context.ChargeCostly(n_ * n_ * count / 2 + n_);
              if (!status.ok()) return status;
              Move<true>(b.data(), first, count, x.data());
              Substitute(t.data(), count, x.data());
              Move<false>(b.data(), first, count, x.data());
            }
            return absl::OkStatus();
          });
      if (!status.ok()) return status;
      numbers_.Store(b.data(), matrix * size_, size_, results[0].data);
    }
    return absl::OkStatus();
  }

  // The matrix of the solve from the left: op(a), transposed for a solve from the right.
  template <typename T>
  void MakeTriangle(const T* a, T* t) const {
    const bool transposed = (transpose_ != TransposeA::kNoTranspose) != !left_;
    const bool conjugated = ASSAY_DEFECT(36, transpose_ == TransposeA::kAdjoint, false);
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t j = 0; j < n_; ++j) {
        const T value = transposed ? a[j * n_ + i] : a[i * n_ + j];
        t[i * n_ + j] = conjugated ? Conjugate(value) : value;
      }
    }
  }
  // Whether the matrix that MakeTriangle made is lower.
  bool IsLower() const {
    const bool transposed = (transpose_ != TransposeA::kNoTranspose) != !left_;
    return ASSAY_DEFECT(37, lower_ != transposed, lower_);
  }

  // Right-hand sides [first, first + count) between b and x, in which they are columns.
  template <bool kToX, typename T>
  void Move(T* b, int64_t first, int64_t count, T* x) const {
    for (int64_t i = 0; i < n_; ++i) {
      for (int64_t s = 0; s < count; ++s) {
        T& in_b = left_ ? b[i * sides_ + first + s] : b[(first + s) * n_ + i];
        T& in_x = x[i * count + s];
        (kToX ? in_x : in_b) = kToX ? in_b : in_x;
      }
    }
  }

  template <typename T>
  void Substitute(const T* t, int64_t count, T* x) const {
    const bool lower = IsLower();
    for (int64_t step = 0; step < n_; ++step) {
      const int64_t i = lower ? step : n_ - 1 - step;
      T* row = x + i * count;
      for (int64_t k = 0; k < step; ++k) {
        const int64_t j = lower ? k : n_ - 1 - k;
        SubtractMultiple(t[i * n_ + j], x + j * count, count, row);
      }
      if (ASSAY_DEFECT(35, unit_, false)) continue;
      const T pivot = t[i * n_ + i];
      for (int64_t s = 0; s < count; ++s) row[s] /= pivot;
    }
  }

  const NumberConversion numbers_;
  const ElementType type_;
  const bool left_, lower_, unit_;
  const TransposeA transpose_;
  const int64_t n_, size_, sides_, batch_;
};

}  // namespace

KernelOr PrepareTriangularSolve(const Instruction& solve) {
  auto numbers = NumberConversion::Create(solve.shape().element_type());
  if (!numbers.ok()) return numbers.status();
  return std::make_unique<TriangularSolveKernel>(solve, *std::move(numbers));
}

}  // namespace assay::cpu
