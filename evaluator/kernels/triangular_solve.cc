// Kernel of triangular-solve: substitution in balls of one double where results are that narrow,
// then of two, many right-hand sides side by side; those with an element that the balls leave
// undecided are solved exactly, one by one, which takes numbers that grow by a factor of 53 bits at
// most from row to row. Source: reference ops_structural.md 10.2. Tests:
// linear_algebra_kernels_test.cc.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "evaluator/kernels/ball_scalars.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/rough_ball.h"
#include "evaluator/ops/exact_solve.h"
#include "runtime/parallel.h"
#include "runtime/scratch.h"

namespace assay::evaluator::kernels {
namespace {

using real::DdBall;

class TriangularSolveKernel : public Kernel {
 public:
  explicit TriangularSolveKernel(const Instruction& solve)
      : form_(solve),
        type_(solve.shape().element_type()),
        parts_(IsComplex(type_) ? 2 : 1),
        count_(solve.shape().element_count()) {}

  absl::Status Run(absl::Span<const ArrayRef> operands, absl::Span<const MutableArrayRef> results,
                   EvaluationContext& context) const override {
    if (count_ == 0) return absl::OkStatus();
    const int64_t size = form_.n() * form_.columns();
    const auto body = [&](Blocks& batches, EvaluationContext& own) {
      System system;
      for (int64_t batch; batches.NextElement(&batch);) {
        absl::Status status = SolveSystem(operands, batch, results[0].data, system, own);
        if (!status.ok()) return status;
      }
      return absl::OkStatus();
    };
    return ParallelFor(context, count_ / size, GrainFor(kProduct * form_.n() * size), body);
  }

 private:
  // Right-hand sides that are solved together.
  static constexpr int64_t kPanel = 32;
  static constexpr int64_t kProduct = 4;  // nanoseconds

  // T as ExactSolve takes it, and b as it lies.
  struct System {
    std::vector<double> t, b;
    bool ordinary = true;  // T is finite, and its diagonal not zero
  };

  absl::Status SolveSystem(absl::Span<const ArrayRef> operands, int64_t batch, std::byte* result,
                           System& system, EvaluationContext& context) const {
    const int64_t n = form_.n(), size = n * form_.columns(), bytes = StorageBytes(type_);
    runtime::ScratchLease lease(context);
    absl::Status status = lease.Add(parts_ * (16 * n * n + 8 * size));
    if (!status.ok()) return status;
    Load(operands[0].data + batch * n * n * bytes, operands[1].data + batch * size * bytes, size,
         system);
    if (status = context.Charge(n * n + 2 * size); !status.ok()) return status;
    std::byte* out = result + batch * size * bytes;
    const auto body = [&](Blocks& panels, EvaluationContext& own) {
      Meter meter(own);
      runtime::ScratchLease panel_lease(own);
      constexpr int64_t kBall = sizeof(DdBall);
      absl::Status solved =
          panel_lease.Add(parts_ * kBall * n * kPanel + n * int64_t{sizeof(Element)});
      for (int64_t panel; solved.ok() && panels.NextElement(&panel);) {
        const int64_t column = panel * kPanel;
        solved = SolveColumns(system, column, std::min(kPanel, form_.columns() - column), out,
                              meter, own);
      }
      return solved.ok() ? meter.Flush() : solved;
    };
    const int64_t panels = (form_.columns() - 1) / kPanel + 1;
    return ParallelFor(context, panels, GrainFor(kProduct * n * n * kPanel), body);
  }

  absl::Status SolveColumns(const System& system, int64_t column, int64_t width, std::byte* out,
                            Meter& meter, EvaluationContext& context) const {
    bool solved = false;
    if (SuitsRoughBalls(type_)) {
      absl::Status status =
          SolvePanel<RoughBall>(system, column, width, out, meter, nullptr, solved);
      if (!status.ok() || solved) return status;
    }
    return parts_ == 2 ? SolvePanel<real::ComplexOf<DdBall>>(system, column, width, out, meter,
                                                             &context, solved)
                       : SolvePanel<DdBall>(system, column, width, out, meter, &context, solved);
  }

  void Load(const std::byte* a, const std::byte* b, int64_t size, System& system) const {
    const int64_t n = form_.n();
    std::vector<double> matrix(n * n * parts_);
    DecodeFloats(type_, a, n * n, matrix.data());
    system.t.assign(n * n * parts_, 0);
    system.ordinary = true;
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j + form_.unit_diagonal() <= i; ++j) {
        const double* from = &matrix[form_.PlaceOfT(i, j) * parts_];
        double* to = &system.t[(i * n + j) * parts_];
        to[0] = from[0];
        if (parts_ == 2) to[1] = form_.conjugated() ? -from[1] : from[1];
        const bool zero = to[0] == 0 && to[parts_ - 1] == 0;
        if (!std::isfinite(to[0]) || !std::isfinite(to[parts_ - 1]) || (i == j && zero)) {
          system.ordinary = false;
        }
      }
    }
    system.b.resize(size * parts_);
    DecodeFloats(type_, b, size, system.b.data());
  }

  // Solves for the right-hand sides from `column` on, those that the balls leave undecided exactly;
  // without a context it stops at the first of them, not `solved`.
  template <class Scalar>
  absl::Status SolvePanel(const System& system, int64_t column, int64_t width, std::byte* out,
                          Meter& meter, EvaluationContext* context, bool& solved) const {
    const int64_t n = form_.n();
    std::vector<Scalar> y;
    if (system.ordinary) {
      absl::Status status = Substitute(system, column, width, y, meter);
      if (!status.ok()) return status;
    }
    std::vector<Element> elements(n);
    for (int64_t c = 0; c < width; ++c) {
      bool decided = system.ordinary;
      for (int64_t i = 0; i < n && decided; ++i) {
        decided = RoundScalar(type_, y[i * width + c], elements[i]);
      }
      if (!decided) {
        if (context == nullptr) return absl::OkStatus();
        absl::Status status = SolveExactly(system, column + c, absl::MakeSpan(elements), *context);
        if (!status.ok()) return status;
      }
      for (int64_t i = 0; i < n; ++i) {
        StoreElement(type_, elements[i], out, form_.PlaceOfB(i, column + c));
      }
    }
    solved = true;
    return absl::OkStatus();
  }

  // y(i, c) = (b(i, c) - sum over j < i of t(i, j) y(j, c)) / t(i, i). A right-hand side that is
  // not finite gives balls that are not.
  template <class Scalar>
  absl::Status Substitute(const System& system, int64_t column, int64_t width,
                          std::vector<Scalar>& y, Meter& meter) const {
    using Traits = ScalarTraits<Scalar>;
    const int64_t n = form_.n();
    y.resize(n * width);
    for (int64_t i = 0; i < n; ++i) {
      Scalar* row = y.data() + i * width;
      for (int64_t c = 0; c < width; ++c) {
        row[c] = Traits::Load(&system.b[form_.PlaceOfB(i, column + c) * parts_]);
      }
      for (int64_t j = 0; j < i; ++j) {
        const Scalar factor = Traits::Load(&system.t[(i * n + j) * parts_]);
        const Scalar* known = y.data() + j * width;
        for (int64_t c = 0; c < width; ++c) row[c] = row[c] - factor * known[c];
      }
      if (!form_.unit_diagonal()) {
        const Scalar diagonal = Traits::Load(&system.t[(i * n + i) * parts_]);
        for (int64_t c = 0; c < width; ++c) row[c] = row[c] / diagonal;
      }
      absl::Status status = meter.Add((i + 1) * width * parts_ * parts_);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status SolveExactly(const System& system, int64_t column, absl::Span<Element> elements,
                            EvaluationContext& context) const {
    const int64_t n = form_.n();
    std::vector<double> c(n * parts_);
    for (int64_t i = 0; i < n; ++i) {
      const double* from = &system.b[form_.PlaceOfB(i, column) * parts_];
      std::copy(from, from + parts_, &c[i * parts_]);
    }
    runtime::ScratchLease lease(context);
    // Every number may have n factors of 53 bits.
    absl::Status status = lease.Add(n * parts_ * (48 + 8 * n));
    if (!status.ok()) return status;
    return ExactSolve(type_, n, system.t, form_.unit_diagonal(), c, elements, context);
  }

  TriangularForm form_;
  ElementType type_;
  int64_t parts_;
  int64_t count_;
};

}  // namespace

KernelOrNull PrepareTriangularSolve(const Instruction& instruction) {
  return std::make_unique<TriangularSolveKernel>(instruction);
}

}  // namespace assay::evaluator::kernels
