// ragged-dot: a dot whose rows belong to groups that have an rhs each; or whose contracted
// positions do, so that each group gives a result; or of whose batch only the elements in groups
// count. Elements in no group are zeros. Source: ops_structural.md 7.3.
#include <optional>
#include <utility>

#include "evaluator/ops/contracted_sum.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/product_sum.h"
#include "spec/analysis/ragged_groups.h"
#include "spec/element/index_value.h"

namespace assay::evaluator {
namespace {

class RaggedDot : public Definition {
 public:
  explicit RaggedDot(const Instruction& dot)
      : dot_(dot),
        dims_(DotDimensionsOf(dot)),
        ragged_(analysis::RaggedGroups::Of(dot)),
        sum_(OperandType(dot, 0), OperandType(dot, 1), dot.shape().element_type()) {}

  absl::StatusOr<Element> At(int64_t, Index out, OperandElements& operands,
                             EvaluationContext& context) override {
    Dimensions l(OperandShape(dot_, 0).rank()), r(OperandShape(dot_, 1).rank());
    auto next = out.begin();
    std::optional<int64_t> group;  // that the result is of
    if (ragged_.mode == analysis::RaggedGroups::Mode::kContracted) group = *next++;
    for (size_t k = 0; k < dims_.lhs_batch.size(); ++k) {
      l[dims_.lhs_batch[k]] = r[dims_.rhs_batch[k]] = *next++;
    }
    for (int64_t d : dims_.lhs_free) l[d] = *next++;
    for (int64_t d : dims_.rhs_free) {
      if (d != ragged_.group_dim) r[d] = *next++;
    }

    sum_.Clear();
    if (ragged_.mode != analysis::RaggedGroups::Mode::kContracted) {
      const absl::StatusOr<std::optional<int64_t>> own = GroupOf(l, operands, context);
      if (!own.ok()) return own.status();
      if (!own->has_value()) return sum_.Result();
      if (ragged_.group_dim) r[*ragged_.group_dim] = **own;
    }
    const auto counts = [&](const Dimensions& at) -> absl::StatusOr<bool> {
      if (ragged_.mode != analysis::RaggedGroups::Mode::kContracted) return true;
      const absl::StatusOr<std::optional<int64_t>> own = GroupOf(at, operands, context);
      if (!own.ok()) return own.status();
      return *own == group;
    };
    absl::Status status = AddContracted(dot_, dims_, l, r, operands, context, sum_, counts);
    if (!status.ok()) return status;
    return sum_.Result();
  }

 private:
  // The group that an element of lhs belongs to, if any.
  absl::StatusOr<std::optional<int64_t>> GroupOf(const Dimensions& l, OperandElements& operands,
                                                 EvaluationContext& context) const {
    Dimensions at;
    for (int64_t d : ragged_.prefix) at.push_back(l[d]);
    at.emplace_back();
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
    return std::nullopt;
  }

  const Instruction& dot_;
  const DotDimensions dims_;
  const analysis::RaggedGroups ragged_;
  ProductSum sum_;
};

}  // namespace

DefinitionOr DefineRaggedDot(const Instruction& dot) { return std::make_unique<RaggedDot>(dot); }

}  // namespace assay::evaluator
