// The axes of a dot, ragged-dot or scaled-dot in its operands. Private to this folder.
// Tests: contract_test.cc.
#ifndef ASSAY_BACKENDS_CPU_CONTRACT_DOT_AXES_H_
#define ASSAY_BACKENDS_CPU_CONTRACT_DOT_AXES_H_

#include "absl/types/span.h"
#include "backends/cpu/contract/product.h"
#include "runtime/engine.h"
#include "spec/ops/dimension_numbers.h"

namespace assay::cpu {

class DotAxes {
 public:
  explicit DotAxes(const Instruction& dot)
      : dims(DotDimensionsOf(dot)),
        lhs_sizes(dot.operand(0)->shape().dimensions()),
        rhs_sizes(dot.operand(1)->shape().dimensions()),
        lhs_strides(RowMajorStrides(lhs_sizes)),
        rhs_strides(RowMajorStrides(rhs_sizes)) {}

  Factor Lhs(ElementType type) const {
    return {type, Axis(lhs_sizes, lhs_strides, dims.lhs_free),
            Axis(lhs_sizes, lhs_strides, dims.lhs_contracting),
            Axis(lhs_sizes, lhs_strides, dims.lhs_batch)};
  }
  Factor Rhs(ElementType type) const {
    return {type, Axis(rhs_sizes, rhs_strides, dims.rhs_free),
            Axis(rhs_sizes, rhs_strides, dims.rhs_contracting),
            Axis(rhs_sizes, rhs_strides, dims.rhs_batch)};
  }
  // The result has the batch dimensions, the free ones of lhs and those of rhs.
  void SetResult(absl::Span<const int64_t> sizes, Product* product) const {
    const Dimensions strides = RowMajorStrides(sizes);
    size_t d = 0;
    for (size_t i = 0; i < dims.lhs_batch.size(); ++i, ++d) {
      product->result_batch.Append(sizes[d], strides[d]);
    }
    for (size_t i = 0; i < dims.lhs_free.size(); ++i, ++d) {
      product->result_rows.Append(sizes[d], strides[d]);
    }
    for (; d < sizes.size(); ++d) product->result_columns.Append(sizes[d], strides[d]);
  }

  const DotDimensions dims;
  const absl::Span<const int64_t> lhs_sizes, rhs_sizes;  // of the operands' shapes
  const Dimensions lhs_strides, rhs_strides;
};

// ragged_dot.cc.
runtime::KernelOr PrepareRaggedDot(const Instruction& dot);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_CONTRACT_DOT_AXES_H_
