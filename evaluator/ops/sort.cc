// sort: every line along the dimension is permuted on its own, all operands of a line alike, into
// the stable order of the comparator: out_k[.., j, ..] = operand_k[.., p(j), ..]. Source:
// ops_structural.md 6.2.
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "evaluator/ops/definition.h"
#include "evaluator/ops/merge_sort.h"
#include "evaluator/region/scalar_program.h"

namespace assay::evaluator {
namespace {

class Sort : public Definition {
 public:
  Sort(const Instruction& sort, Region comparator)
      : sort_(sort), dimension_(sort.GetInt(Attr::kDimension)), less_(std::move(comparator)) {
    for (const Instruction* parameter : less_.computation().parameters()) {
      parameter_types_.push_back(parameter->shape().element_type());
    }
  }

  absl::StatusOr<Element> At(int64_t leaf, Index i, OperandElements& operands,
                             EvaluationContext& context) override {
    Dimensions line(i.begin(), i.end());
    line.erase(line.begin() + dimension_);
    auto sorted = permutations_.find(line);
    if (sorted == permutations_.end()) {
      absl::StatusOr<Permutation> permutation = SortLine(line, operands, context);
      if (!permutation.ok()) return permutation.status();
      if (permutations_.size() * permutation->size() > kKept) permutations_.clear();
      sorted = permutations_.emplace(line, *std::move(permutation)).first;
    }
    return operands.At(leaf, InLine(line, sorted->second[i[dimension_]]));
  }

 private:
  using Permutation = std::vector<int64_t>;
  // Elements of one line are far apart where it lies along an outer dimension: others come between.
  static constexpr size_t kKept = 1 << 20;

  Dimensions InLine(Dimensions line, int64_t j) const {
    line.insert(line.begin() + dimension_, j);
    return line;
  }
  absl::StatusOr<Permutation> SortLine(const Dimensions& line, OperandElements& operands,
                                       EvaluationContext& context) {
    const int64_t n = OperandShape(sort_, 0).dimension(dimension_);
    const int64_t arity = sort_.operand_count();
    // items[j * arity + k] is element j of operand k, as the comparator takes it.
    std::vector<Element> items;
    for (int64_t j = 0; j < n; ++j) {
      const Dimensions at = InLine(line, j);
      for (int64_t k = 0; k < arity; ++k) {
        absl::StatusOr<Element> element =
            ElementAs(parameter_types_[2 * k], sort_, k, at, operands);
        if (!element.ok()) return element.status();
        items.push_back(*element);
      }
    }
    absl::Status status;
    std::vector<Element> arguments(2 * arity);
    Permutation permutation(n);
    std::iota(permutation.begin(), permutation.end(), 0);
    MergeSort(permutation, [&](int64_t a, int64_t b) {
      for (int64_t k = 0; k < arity; ++k) {
        arguments[2 * k] = items[a * arity + k];
        arguments[2 * k + 1] = items[b * arity + k];
      }
      Element less;
      status.Update(context.Charge(1));
      if (status.ok()) status = less_.Run(arguments, absl::MakeSpan(&less, 1), context);
      return less.bits != 0;
    });
    if (!status.ok()) return status;
    return permutation;
  }

  const Instruction& sort_;
  const int64_t dimension_;
  Region less_;
  std::vector<ElementType> parameter_types_;
  // By index without the dimension, of up to kKept elements in all.
  absl::flat_hash_map<Dimensions, Permutation> permutations_;
};

}  // namespace

DefinitionOr DefineSort(const Instruction& sort) {
  absl::StatusOr<Region> comparator = Region::Prepare(*sort.to_apply());
  if (!comparator.ok()) return comparator.status();
  return std::make_unique<Sort>(sort, *std::move(comparator));
}

}  // namespace assay::evaluator
