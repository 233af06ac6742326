// async-start, async-update, async-done: a computation that runs beside its caller. The value
// between is ((operands...), result, context...), in which unbound operands and a result not yet
// there are ().
//   async_c1 start and update are such a tuple
//   async_c2 so is the operand of update and done
//   async_c3 the result in the tuple is the computation's
//   async_c4 update keeps the result
// Source: reference ops_control_and_collectives.md 4.1. Tests: spec/verify/testdata/control.cases.
#include "spec/ops/rules.h"

namespace assay {
namespace {

bool IsAsyncTuple(const Shape& shape) {
  return shape.is_tuple() && shape.tuple_shapes().size() >= 2 && shape.tuple_shape(0).is_tuple();
}

bool IsUnbound(const Shape& shape) { return shape.is_tuple() && shape.tuple_shapes().empty(); }

absl::Status CheckDeclared(const Instruction& op) {
  ASSAY_REQUIRE(op, "async_c1", IsAsyncTuple(op.shape()),
                "the result must be ((operands...), result, context...), found ",
                op.shape().ToString());
  return absl::OkStatus();
}

absl::Status CheckOperand(const Instruction& op) {
  ASSAY_REQUIRE(op, "async_c2", IsAsyncTuple(op.operand(0)->shape()),
                "operand 0 must be ((operands...), result, context...), found ",
                op.operand(0)->shape().ToString());
  return absl::OkStatus();
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kAsyncStart>(const Instruction& start) {
  ASSAY_RETURN_IF_ERROR(CheckDeclared(start));
  const absl::StatusOr<Signature> callee = SignatureOf(start, start.GetComputation(Attr::kCalls));
  if (!callee.ok()) return callee.status();
  const Shape& result = start.shape().tuple_shape(1);
  ASSAY_REQUIRE(start, "async_c3", IsUnbound(result) || Shape::Compatible(result, *callee->result),
                "the computation returns ", callee->result->ToString(), ", but the tuple has ",
                result.ToString());
  return start.shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAsyncUpdate>(const Instruction& update) {
  ASSAY_RETURN_IF_ERROR(CheckDeclared(update));
  ASSAY_RETURN_IF_ERROR(CheckOperand(update));
  const Shape& before = update.operand(0)->shape().tuple_shape(1);
  const Shape& after = update.shape().tuple_shape(1);
  ASSAY_REQUIRE(update, "async_c4", IsUnbound(before) || Shape::Compatible(before, after),
                "the result changes from ", before.ToString(), " to ", after.ToString());
  return update.shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAsyncDone>(const Instruction& done) {
  ASSAY_RETURN_IF_ERROR(CheckOperand(done));
  const Shape& result = done.operand(0)->shape().tuple_shape(1);
  return IsUnbound(result) && !ShapeIsOpen(done) ? done.shape() : result;
}

}  // namespace assay
