// topk: the first k values, and their indices, of every line along the last dimension in the total
// order, largest (or smallest) first, ties by lower index. Source: ops_structural.md 6.3.
#include <numeric>
#include <optional>
#include <utility>
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
        before_(topk.GetBool(Attr::kLargest) ? ComparisonDirection::kGt
                                             : ComparisonDirection::kLt) {}

  absl::StatusOr<Element> At(int64_t leaf, Index i, OperandElements& operands,
                             EvaluationContext& context) override {
    const Dimensions line(i.begin(), i.end() - 1);
    if (std::exchange(line_, line) != line) {
      if (absl::Status status = SortLine(line, operands, context); !status.ok()) return status;
    }
    Dimensions at = line;
    at.push_back(order_[i.back()]);
    if (leaf == 0) return operands.At(0, at);
    return Element{EncodeInteger(ResultType(topk_, 1), at.back())};
  }

 private:
  absl::Status SortLine(const Dimensions& line, OperandElements& operands,
                        EvaluationContext& context) {
    const ElementType type = OperandType(topk_, 0);
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
    MergeSort(order_, [&](int64_t a, int64_t b) {
      return Compare(type, before_, ComparisonType::kTotalOrder, items[a], items[b]);
    });
    return absl::OkStatus();
  }

  const Instruction& topk_;
  const ComparisonDirection before_;
  std::optional<Dimensions> line_;  // an index but the last: what order_ sorts
  std::vector<int64_t> order_;
};

}  // namespace

DefinitionOr DefineTopK(const Instruction& topk) { return std::make_unique<TopK>(topk); }

}  // namespace assay::evaluator
