// The shape that a window makes of an array, shared by reduce-window and select-and-scatter.
#ifndef ASSAY_SPEC_OPS_WINDOWED_SHAPE_H_
#define ASSAY_SPEC_OPS_WINDOWED_SHAPE_H_

#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay {

// The window attribute of `op` over every dimension of `operand`. Clauses:
//   window_c1 one entry per dimension
//   window_c2 sizes, strides, dilations >= 1, padded size >= 0, all within 63 bits
//   window_c3 (strict) no reversal
absl::StatusOr<Shape> WindowedShape(const Instruction& op, const Shape& operand);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_WINDOWED_SHAPE_H_
