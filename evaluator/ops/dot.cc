// dot: out[b, i, j] = sum over c of lhs[b, i, c] * rhs[b, j, c], c row-major over the contracting
// dimensions in list order. Source: ops_structural.md 7.2.
#include <utility>

#include "evaluator/ops/contracted_sum.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/product_sum.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::evaluator {
namespace {

class Dot : public Definition {
 public:
  explicit Dot(const Instruction& dot)
      : dot_(dot),
        dims_(DotDimensionsOf(dot)),
        sum_(OperandType(dot, 0), OperandType(dot, 1), dot.shape().element_type()) {}

  absl::StatusOr<Element> At(int64_t, Index out, OperandElements& operands,
                             EvaluationContext& context) override {
    Dimensions l(OperandShape(dot_, 0).rank()), r(OperandShape(dot_, 1).rank());
    auto next = out.begin();
    for (size_t k = 0; k < dims_.lhs_batch.size(); ++k) {
      l[dims_.lhs_batch[k]] = r[dims_.rhs_batch[k]] = *next++;
    }
    for (int64_t d : dims_.lhs_free) l[d] = *next++;
    for (int64_t d : dims_.rhs_free) r[d] = *next++;

    sum_.Clear();
    absl::Status status =
        AddContracted(dot_, dims_, l, r, operands, context, sum_,
                      [](const Dimensions&) { return absl::StatusOr<bool>(true); });
    if (!status.ok()) return status;
    return sum_.Result();
  }

 private:
  const Instruction& dot_;
  const DotDimensions dims_;
  ProductSum sum_;
};

}  // namespace

DefinitionOr DefineDot(const Instruction& dot) { return std::make_unique<Dot>(dot); }

}  // namespace assay::evaluator
