// The scales of scaled-dot: which element of a scale belongs to an element of its operand. A scalar
// scale stands for none, whatever its value. Source: reference ops_structural.md 7.4.
#ifndef ASSAY_EVALUATOR_OPS_BLOCK_SCALE_H_
#define ASSAY_EVALUATOR_OPS_BLOCK_SCALE_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "spec/ir/module.h"

namespace assay {

class BlockScale {
 public:
  // `side` 0: of lhs, 1: of rhs.
  BlockScale(const Instruction& dot, int64_t side) : operand_(side + 2) {
    const Shape& scale = dot.operand(operand_)->shape();
    for (int64_t d = 0; d < scale.rank(); ++d) {
      // Empty dimensions have no element to ask for.
      const int64_t blocks = std::max<int64_t>(scale.dimension(d), 1);
      blocks_.push_back(dot.operand(side)->shape().dimension(d) / blocks);
    }
  }

  bool exists() const { return !blocks_.empty(); }
  int64_t operand() const { return operand_; }  // of the instruction
  // Elements of the operand in a block, by dimension.
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

}  // namespace assay

#endif  // ASSAY_EVALUATOR_OPS_BLOCK_SCALE_H_
