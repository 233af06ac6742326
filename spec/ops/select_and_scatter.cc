// select-and-scatter: each window selects an element, to which an element of the source goes.
//   select_and_scatter_c1 operand and source are arrays, the init value a scalar
//   select_and_scatter_c2 select takes two scalars of the operand's type (fp-mix) and returns
//       pred[]
//   select_and_scatter_c3 (strict) no dilation
//   select_and_scatter_c4 the source has the windowed dimensions of the operand
//   select_and_scatter_c5 its type is that of the operand (fp-mix) and window_c1..c3;
//       reducer_c1..c6 for scatter
// Source: reference ops_structural.md 5.4. Tests: spec/verify/testdata/reduction.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"
#include "spec/ops/windowed_shape.h"

namespace assay {
namespace {

absl::Status CheckSelect(const Instruction& op) {
  const Computation* select = op.GetComputation(Attr::kSelect);
  const absl::StatusOr<Signature> signature = SignatureOf(op, select);
  if (!signature.ok()) return signature.status();
  ASSAY_REQUIRE(op, "select_and_scatter_c2", signature->parameters.size() == 2, select->name(),
                " must have 2 parameters, found ", signature->parameters.size());
  const ElementType type = op.operand(0)->shape().element_type();
  for (const Shape* parameter : signature->parameters) {
    ASSAY_REQUIRE(op, "select_and_scatter_c2",
                  parameter->is_scalar() && TypesMix(parameter->element_type(), type),
                  "the parameters of ", select->name(), " must be ", Name(type), "[], found ",
                  parameter->ToString());
  }
  ASSAY_REQUIRE(op, "select_and_scatter_c2",
                signature->result->is_scalar() && IsPred(signature->result->element_type()),
                select->name(), " must return pred[], found ", signature->result->ToString());
  return absl::OkStatus();
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kSelectAndScatter>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(op, "select_and_scatter_c1"));
  const Shape& operand = op.operand(0)->shape();
  const Shape& source = op.operand(1)->shape();
  const Shape& init = op.operand(2)->shape();
  ASSAY_REQUIRE(op, "select_and_scatter_c1", init.is_scalar(),
                "the init value must be a scalar, found ", init.ToString());
  ASSAY_RETURN_IF_ERROR(CheckSelect(op));
  const absl::StatusOr<ReducerTypes> types = CheckReducer(
      op, op.GetComputation(Attr::kScatter), {source.element_type()}, {init.element_type()});
  if (!types.ok()) return types.status();
  const absl::StatusOr<Shape> windowed = WindowedShape(op, operand);
  if (!windowed.ok()) return windowed;
  ASSAY_REQUIRE(op, "select_and_scatter_c4", SameSizes(*windowed, source),
                "the source must have the dimensions of ", windowed->ToString(), ", found ",
                source.ToString());
  ASSAY_REQUIRE(op, "select_and_scatter_c5",
                TypesMix(source.element_type(), operand.element_type()),
                "operand and source must have one element type, found ", operand.ToString(),
                " and ", source.ToString());
  return operand;
}

absl::Status CheckSelectAndScatterStrictly(const Instruction& op) {
  for (const WindowDimension& window : op.window().dimensions) {
    ASSAY_REQUIRE(op, "select_and_scatter_c3",
                  window.base_dilation == 1 && window.window_dilation == 1,
                  "the window must not be dilated");
  }
  return CheckWindowStrictly(op);
}

}  // namespace assay
