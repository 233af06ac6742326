// dot: out[b, i, j] = sum over c of lhs[b, i, c] * rhs[b, j, c], c row-major over the contracting
// dimensions in list order. Source: ops_structural.md 7.2.
#include <utility>

#include "evaluator/ops/definition.h"
#include "evaluator/ops/product_sum.h"
#include "spec/ops/dimension_numbers.h"

namespace assay {
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
    const Dimensions extents = SizesOf(OperandShape(dot_, 0).dimensions(), dims_.lhs_contracting);
    absl::Status status = ForEachIndex(extents, [&](Index c) -> absl::Status {
      for (size_t k = 0; k < c.size(); ++k) {
        l[dims_.lhs_contracting[k]] = r[dims_.rhs_contracting[k]] = c[k];
      }
      absl::StatusOr<Element> a = operands.At(0, l);
      if (!a.ok()) return a.status();
      absl::StatusOr<Element> b = operands.At(1, r);
      if (!b.ok()) return b.status();
      sum_.Add(*a, *b);
      return context.Charge(1);
    });
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

}  // namespace assay
