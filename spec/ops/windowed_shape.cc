// Source: reference ops_structural.md 5.2. Tests: spec/verify/testdata/reduction.cases.
#include "spec/ops/windowed_shape.h"

#include "spec/ops/checks.h"
#include "spec/ops/strict_rules.h"
#include "spec/ops/window_math.h"

namespace assay {

absl::StatusOr<Shape> WindowedShape(const Instruction& op, const Shape& operand) {
  const Window& window = op.window();
  ASSAY_REQUIRE(op, "window_c1", static_cast<int64_t>(window.dimensions.size()) == operand.rank(),
                "the window must have ", operand.rank(), " dimensions, found ",
                window.dimensions.size());
  Shape shape(operand.element_type(), operand.dimensions());
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const absl::StatusOr<int64_t> size = WindowedSize(operand.dimension(d), window.dimensions[d]);
    ASSAY_REQUIRE(op, "window_c2", size.ok(), "dimension ", d, ": ", size.status().message());
    shape.set_dimension(d, *size);
    if (operand.is_dynamic_dimension(d)) shape.set_dynamic_dimension(d, true);
  }
  return shape;
}

absl::Status CheckWindowStrictly(const Instruction& op) {
  for (const WindowDimension& window : op.window().dimensions) {
    ASSAY_REQUIRE(op, "window_c3", !window.reversal, "only a convolution may reverse its window");
  }
  return absl::OkStatus();
}

}  // namespace assay
