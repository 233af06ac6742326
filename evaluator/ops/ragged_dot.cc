// ragged-dot: a dot whose rows belong to groups that have an rhs each; or whose contracted
// positions do, so that each group gives a result; or of whose batch only the elements in groups
// count. What is in no group gives zeros. Source: ops_structural.md 7.3.
#include <utility>

#include "evaluator/ops/definition.h"
#include "evaluator/ops/product_sum.h"
#include "evaluator/ops/ragged_groups.h"
#include "evaluator/ops/start_indices.h"

namespace assay {
namespace {

class RaggedDot : public Definition {
 public:
  explicit RaggedDot(const Instruction& dot)
      : dot_(dot),
        dims_(DotDimensionsOf(dot)),
        ragged_(RaggedGroups::Of(dot)),
        sum_(OperandType(dot, 0), OperandType(dot, 1), dot.shape().element_type()) {}

  absl::StatusOr<Element> At(int64_t, Index out, OperandElements& operands,
                             EvaluationContext& context) override {
    Dimensions l(OperandShape(dot_, 0).rank()), r(OperandShape(dot_, 1).rank());
    auto next = out.begin();
    const int64_t group = ragged_.mode == RaggedGroups::Mode::kContracted ? *next++ : 0;
    for (size_t k = 0; k < dims_.lhs_batch.size(); ++k) {
      l[dims_.lhs_batch[k]] = r[dims_.rhs_batch[k]] = *next++;
    }
    for (int64_t d : dims_.lhs_free) l[d] = *next++;
    for (int64_t d : dims_.rhs_free) {
      if (d != ragged_.group_dim) r[d] = *next++;
    }

    sum_.Clear();
    if (ragged_.mode != RaggedGroups::Mode::kContracted) {
      const absl::StatusOr<int64_t> own = GroupOf(l, operands, context);
      if (!own.ok()) return own.status();
      if (*own < 0) return sum_.Result();
      if (ragged_.group_dim >= 0) r[ragged_.group_dim] = *own;
    }
    const Dimensions extents = SizesOf(OperandShape(dot_, 0).dimensions(), dims_.lhs_contracting);
    absl::Status status = ForEachIndex(extents, [&](Index c) -> absl::Status {
      for (size_t k = 0; k < c.size(); ++k) {
        l[dims_.lhs_contracting[k]] = r[dims_.rhs_contracting[k]] = c[k];
      }
      if (ragged_.mode == RaggedGroups::Mode::kContracted) {
        const absl::StatusOr<int64_t> own = GroupOf(l, operands, context);
        if (!own.ok()) return own.status();
        if (*own != group) return context.Charge(1);
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
  // The group that an element of lhs belongs to; -1 for none.
  absl::StatusOr<int64_t> GroupOf(const Dimensions& l, OperandElements& operands,
                                  EvaluationContext& context) const {
    Dimensions at;
    for (int64_t d : ragged_.prefix) at.push_back(l[d]);
    at.push_back(0);
    int64_t start = 0;
    for (int64_t q = 0; q < ragged_.groups; ++q) {
      if (absl::Status status = context.Charge(1); !status.ok()) return status;
      at.back() = q;
      absl::StatusOr<Element> size = operands.At(2, at);
      if (!size.ok()) return size.status();
      const int64_t end = ragged_.End(start, IndexValue(OperandType(dot_, 2), *size));
      if (l[ragged_.ragged_dim] < end) return q;
      start = end;
    }
    return -1;
  }

  const Instruction& dot_;
  const DotDimensions dims_;
  const RaggedGroups ragged_;
  ProductSum sum_;
};

}  // namespace

DefinitionOr DefineRaggedDot(const Instruction& dot) { return std::make_unique<RaggedDot>(dot); }

}  // namespace assay
