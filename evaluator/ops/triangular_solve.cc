// triangular-solve: op(a) x = b or x op(a) = b for every matrix of the batch, op the identity, the
// transpose or the adjoint. Reads the triangle of `a` that `lower` names, before op, and the
// diagonal only where it does not count as ones. Elements of the solution are rational numbers; an
// exact zero is +0. Zeros on the diagonal and values that are not finite: exact_solve.h.
// Source: ops_structural.md 10.2.
#include <utility>

#include "evaluator/ops/definition.h"
#include "evaluator/ops/exact_solve.h"

namespace assay::evaluator {
namespace {

class TriangularSolve : public Definition {
 public:
  explicit TriangularSolve(const Instruction& solve) : solve_(solve), form_(solve) {}

  absl::StatusOr<Element> At(int64_t, Index index, OperandElements& operands,
                             EvaluationContext& context) override {
    const Dimensions batch(index.begin(), index.end() - 2);
    if (t_.empty() || batch != batch_) {
      if (absl::Status status = ReadMatrix(batch, operands); !status.ok()) return status;
    }
    // The column of the system to which the element belongs, and its row there.
    const bool left = solve_.GetBool(Attr::kLeftSide);
    const int64_t column = left ? index.back() : index[index.size() - 2];
    std::vector<Element>& y = solutions_[column];
    if (y.empty()) {
      if (absl::Status status = Solve(column, operands, context, y); !status.ok()) return status;
    }
    const int64_t place = PositionOf(Index(index).last(2), BSizes());
    int64_t i = 0;
    while (form_.PlaceOfB(i, column) != place) ++i;
    return y[i];
  }

 private:
  ElementType type() const { return solve_.shape().element_type(); }
  Index BSizes() const { return solve_.shape().dimensions().last(2); }
  Index ASizes() const { return OperandShape(solve_, 0).dimensions().last(2); }

  // Appends the parts of an element of operand k at a place of its last two dimensions.
  absl::Status Read(int64_t k, int64_t place, Index sizes, bool conjugate,
                    OperandElements& operands, double* out) const {
    Dimensions at = batch_;
    for (int64_t i : IndexAt(place, sizes)) at.push_back(i);
    absl::StatusOr<Element> element = operands.At(k, at);
    if (!element.ok()) return element.status();
    const ElementType part = Info(type()).component;
    out[0] = DecodeFloat(part, element->bits);
    if (IsComplex(type())) out[1] = DecodeFloat(part, element->imag) * (conjugate ? -1 : 1);
    return absl::OkStatus();
  }

  absl::Status ReadMatrix(const Dimensions& batch, OperandElements& operands) {
    const int64_t n = form_.n(), parts = IsComplex(type()) ? 2 : 1;
    batch_ = batch;
    solutions_.assign(form_.columns(), {});
    std::vector<double> t(n * n * parts);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j + form_.unit_diagonal() <= i; ++j) {
        absl::Status status = Read(0, form_.PlaceOfT(i, j), ASizes(), form_.conjugated(), operands,
                                   &t[(i * n + j) * parts]);
        if (!status.ok()) return status;
      }
    }
    t_ = std::move(t);
    return absl::OkStatus();
  }

  absl::Status Solve(int64_t column, OperandElements& operands, EvaluationContext& context,
                     std::vector<Element>& y) const {
    const int64_t n = form_.n(), parts = IsComplex(type()) ? 2 : 1;
    std::vector<double> c(n * parts);
    for (int64_t i = 0; i < n; ++i) {
      absl::Status status =
          Read(1, form_.PlaceOfB(i, column), BSizes(), false, operands, &c[i * parts]);
      if (!status.ok()) return status;
    }
    std::vector<Element> solution(n);
    absl::Status status =
        ExactSolve(type(), n, t_, form_.unit_diagonal(), c, absl::MakeSpan(solution), context);
    if (status.ok()) y = std::move(solution);
    return status;
  }

  const Instruction& solve_;
  const TriangularForm form_;
  Dimensions batch_;
  std::vector<double> t_;                        // of batch_; empty: none yet
  std::vector<std::vector<Element>> solutions_;  // by column; empty: not solved yet
};

}  // namespace

DefinitionOr DefineTriangularSolve(const Instruction& solve) {
  return std::make_unique<TriangularSolve>(solve);
}

}  // namespace assay::evaluator
