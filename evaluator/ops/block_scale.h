// Maps an element of a scaled-dot operand to the element of its scale. A scalar scale means that
// there is no scale, whatever its value. Source: reference ops_structural.md 7.4.
#ifndef ASSAY_EVALUATOR_OPS_BLOCK_SCALE_H_
#define ASSAY_EVALUATOR_OPS_BLOCK_SCALE_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

class BlockScale {
 public:
  // `side` is 0 for lhs and 1 for rhs.
  BlockScale(const Instruction& dot, int64_t side) : operand_(side + 2) {
    const Shape& scale = dot.operand(operand_)->shape();
    for (int64_t d = 0; d < scale.rank(); ++d) {
      // An empty dimension has no elements; avoid a division by zero.
      const int64_t blocks = std::max<int64_t>(scale.dimension(d), 1);
      blocks_.push_back(dot.operand(side)->shape().dimension(d) / blocks);
    }
  }

  bool exists() const { return !blocks_.empty(); }
  // the number of the scale among the instruction's operands
  int64_t operand() const { return operand_; }
  // The number of the operand's elements in a block, by dimension.
  const Dimensions& block_sizes() const { return blocks_; }
  Dimensions IndexFor(absl::Span<const int64_t> index) const {
    Dimensions at(index.begin(), index.end());
    for (size_t d = 0; d < at.size(); ++d) at[d] /= blocks_[d];
    return at;
  }

 private:
  int64_t operand_;
  Dimensions blocks_;
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_BLOCK_SCALE_H_
