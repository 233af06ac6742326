// topk: the first k values, and their indices, of every line along the last dimension in the total
// order, largest (or smallest) first, ties by lower index. Source: ops_structural.md 6.3.
#include <numeric>
#include <optional>
#include <vector>

#include "evaluator/ops/definition.h"
#include "evaluator/ops/merge_sort.h"
#include "evaluator/scalar/scalar_ops.h"

namespace assay::evaluator {
namespace {

class TopK : public Definition {
 public:
  explicit TopK(const Instruction& topk)
      : topk_(topk),
        index_type_(ResultType(topk, 1)),
        before_(*FindScalarFunction(Comparison(topk))) {}

  absl::StatusOr<Element> At(int64_t leaf, Index i, OperandElements& operands,
                             EvaluationContext& context) override {
    Dimensions at(i.begin(), i.end() - 1);
    if (at != line_) {
      line_ = at;
      if (absl::Status status = SortLine(at, operands, context); !status.ok()) return status;
    }
    at.push_back(order_[i.back()]);
    if (leaf == 0) return operands.At(0, at);
    return Element{EncodeInteger(index_type_, at.back())};
  }

 private:
  static ScalarOp Comparison(const Instruction& topk) {
    ScalarOp op = {Opcode::kCompare, OperandType(topk, 0), ElementType::kPred};
    op.direction =
        topk.GetBool(Attr::kLargest) ? ComparisonDirection::kGt : ComparisonDirection::kLt;
    op.comparison_type = ComparisonType::kTotalOrder;
    return op;
  }

  absl::Status SortLine(const Dimensions& line, OperandElements& operands,
                        EvaluationContext& context) {
    std::vector<Element> items;
    Dimensions at = line;
    for (at.push_back(0); at.back() < OperandShape(topk_, 0).dimensions().back(); ++at.back()) {
      absl::StatusOr<Element> element = operands.At(0, at);
      if (!element.ok()) return element.status();
      items.push_back(*element);
    }
    if (absl::Status status = context.Charge(items.size()); !status.ok()) return status;
    order_.resize(items.size());
    std::iota(order_.begin(), order_.end(), 0);
    MergeSort(order_, [&](int64_t a, int64_t b) { return before_(items[a], items[b]).bits != 0; });
    return absl::OkStatus();
  }

  const Instruction& topk_;
  const ElementType index_type_;
  const ScalarFunction before_;
  std::optional<Dimensions> line_;  // an index but the last: what order_ sorts
  std::vector<int64_t> order_;
};

}  // namespace

DefinitionOr DefineTopK(const Instruction& topk) { return std::make_unique<TopK>(topk); }

}  // namespace assay::evaluator
