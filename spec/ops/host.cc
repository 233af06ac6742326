// Transfers to the host and to single processes, and custom calls.
//   send_c1 (strict) operand 1 is a token
//   recv_c1 (strict) operand 0 is a token
//   recv_c2 the result is (data, u32[], token[])
//   done_c1 the operand of recv-done is a tuple that begins with the data
//   done_c2 (strict) the operand is (data, u32[], token[])
//   infeed_c1 operand 0 is a token
//   infeed_c2 the result is (data, token[])
//   infeed_c3 (strict) the data is an array or a tuple of arrays: tuples are not nested
//   outfeed_c1 operand 1 is a token
//   outfeed_c2 outfeed_shape is that of operand 0
//   custom_call_c1 an alias names parts of the result and of an operand
//   custom_call_c2 which have one shape (of Pin and Unpin: of array or buffer)
//   custom_call_c3 layout constraints, if any, are one per operand
//   custom_call_c4 of its shape
//   custom_call_c5 GetRngSeed takes nothing and returns u64[]
// The shape of a custom call is what it declares.
// Source: reference ops_control_and_collectives.md 8, 11. Tests:
// spec/verify/testdata/control.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

absl::Status RequireToken(const Instruction& op, absl::string_view clause, int64_t i) {
  ASSAY_REQUIRE(op, clause, op.operand(i)->shape().is_token(), "operand ", i,
                " must be a token, found ", op.operand(i)->shape().ToString());
  return absl::OkStatus();
}

Shape Started(const Shape& data) {
  return Shape::Tuple({data, Shape::Scalar(ElementType::kU32), Shape::Token()});
}

absl::Status CheckDone(const Instruction& done) {
  const Shape& start = done.operand(0)->shape();
  ASSAY_REQUIRE(
      done, "done_c2",
      !start.tuple_shapes().empty() && Shape::Compatible(start, Started(start.tuple_shape(0))),
      "the operand must be (data, u32[], token[]), found ", start.ToString());
  return absl::OkStatus();
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kSend>(const Instruction& send) {
  return Started(send.operand(0)->shape());
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kSendDone>(const Instruction&) {
  return Shape::Token();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kRecv>(const Instruction& recv) {
  ASSAY_REQUIRE(recv, "recv_c2", recv.shape().is_tuple() && !recv.shape().tuple_shapes().empty(),
                "the result must be (data, u32[], token[]), found ", recv.shape().ToString());
  return Started(recv.shape().tuple_shape(0));
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kRecvDone>(const Instruction& done) {
  const Shape& start = done.operand(0)->shape();
  ASSAY_REQUIRE(done, "done_c1", start.is_tuple() && !start.tuple_shapes().empty(),
                "the operand must be (data, u32[], token[]), found ", start.ToString());
  return Shape::Tuple({start.tuple_shape(0), Shape::Token()});
}

absl::Status CheckTransferStrictly(const Instruction& op) {
  if (op.opcode() == Opcode::kSend) return RequireToken(op, "send_c1", 1);
  if (op.opcode() == Opcode::kRecv) return RequireToken(op, "recv_c1", 0);
  return CheckDone(op);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kInfeed>(const Instruction& infeed) {
  ASSAY_RETURN_IF_ERROR(RequireToken(infeed, "infeed_c1", 0));
  const Shape& shape = infeed.shape();
  ASSAY_REQUIRE(
      infeed, "infeed_c2",
      shape.is_tuple() && shape.tuple_shapes().size() == 2 && shape.tuple_shape(1).is_token(),
      "the result must be (data, token[]), found ", shape.ToString());
  return shape;
}

absl::Status CheckInfeedStrictly(const Instruction& infeed) {
  const Shape& data = infeed.shape().tuple_shape(0);
  ASSAY_REQUIRE(infeed, "infeed_c3", IsFlat(data),
                "the data must be an array or a tuple of arrays, found ", data.ToString());
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kOutfeed>(const Instruction& outfeed) {
  ASSAY_RETURN_IF_ERROR(RequireToken(outfeed, "outfeed_c1", 1));
  if (const Shape* shape = outfeed.attributes().Get<Shape>(Attr::kOutfeedShape)) {
    ASSAY_REQUIRE(outfeed, "outfeed_c2", Shape::Compatible(*shape, outfeed.operand(0)->shape()),
                  "outfeed_shape is ", shape->ToString(), ", but operand 0 ",
                  outfeed.operand(0)->shape().ToString());
  }
  return Shape::Token();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCustomCall>(const Instruction& call) {
  const std::string& target = call.GetString(Attr::kCustomCallTarget);
  const bool pins = target == "Pin" || target == "Unpin";
  // An escape hatch of XLA's: aliases that say nothing of shapes.
  const bool skips =
      call.annotations().frontend_attributes.contains("xla_skip_custom_call_alias_shape_check");
  ASSAY_RETURN_IF_ERROR(CheckOutputAliases(call, "custom_call_c1", "custom_call_c2",
                                           skips  ? AliasShapes::kAny
                                           : pins ? AliasShapes::kPinned
                                                  : AliasShapes::kEqual));
  ASSAY_REQUIRE(call, "custom_call_c5",
                target != "GetRngSeed" || (call.operand_count() == 0 && call.shape().is_scalar() &&
                                           call.shape().element_type() == ElementType::kU64),
                "GetRngSeed must take nothing and return u64[], found ", call.shape().ToString());
  const auto* constraints =
      call.attributes().Get<std::vector<Shape>>(Attr::kOperandLayoutConstraints);
  // What these two say of layouts is not about their operands.
  if (constraints == nullptr || target == "LayoutConstraint" || target == "control_dep") {
    return call.shape();
  }
  ASSAY_REQUIRE(call, "custom_call_c3",
                static_cast<int64_t>(constraints->size()) == call.operand_count(), "there must be ",
                call.operand_count(), " layout constraints, found ", constraints->size());
  for (int64_t i = 0; i < call.operand_count(); ++i) {
    ASSAY_REQUIRE(call, "custom_call_c4",
                  Shape::Compatible((*constraints)[i], call.operand(i)->shape()),
                  "the layout constraint of operand ", i, " must have the shape ",
                  call.operand(i)->shape().ToString(), ", found ", (*constraints)[i].ToString());
  }
  return call.shape();
}

}  // namespace assay
