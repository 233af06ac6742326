// Operations between processes, with their start and done halves. Group sizes are a matter of the
// module and of how it runs; here a gathered or scattered dimension divides without rest.
//   collective_c1 there is an operand, all are arrays (of several, a collective-permute-start may
//       take tuples)
//   collective_c2 the dimension is in range
//   collective_c3 a declared result has an array per operand, of its type (fp-mix) and rank
//   collective_c4 sizes are equal outside the dimension
//   collective_c5 along it one is a multiple
//   collective_c6 (strict) the reducer takes and returns two scalars of one type, that of the
//       operand (fp-mix)
//   collective_c7 a start declares its tuple (fp-mix)
//   collective_c8 a done gets such a tuple
//   collective_c9 of several operands, all grow (or shrink) by one factor
//   all_to_all_c1 with a dimension, one operand
//   all_to_all_c2 without, equal shapes and orders of dimensions in memory
//   all_to_all_c4 with a dimension, sizes are not dynamic
//   collective_broadcast_c1 a dynamic root has an operand to send, and a root for each such operand
//   collective_broadcast_c2 (strict) roots are integers
//   ragged_all_to_all_c1 (strict) input and output agree in type and trailing sizes
//   ragged_all_to_all_c2 offsets and sizes are arrays of one shape, rank 1 or 2
//   ragged_all_to_all_c3 (strict) of integers
// Source: reference ops_control_and_collectives.md 4.2, 7. Tests:
// spec/verify/testdata/control.cases.
#include <algorithm>

#include "spec/ops/permute_slices.h"
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

absl::Status CheckOperands(const Instruction& op) {
  ASSAY_REQUIRE(op, "collective_c1", op.operand_count() >= 1, "there must be an operand");
  return RequireArrays(op, "collective_c1");
}

// The shapes of the operands, alone or as a tuple.
Shape OperandShapes(const Instruction& op) {
  std::vector<Shape> shapes;
  for (const Instruction* operand : op.operands()) shapes.push_back(operand->shape());
  return OneOrTuple(std::move(shapes), op.operand_count() > 1);
}

// What the tuple of a start has in front: the operands; of a permute in place, the input.
Shape Sent(const Instruction& op) {
  return IsInPlace(op) ? op.operand(0)->shape() : OperandShapes(op);
}

absl::Status CheckCollectiveReducer(const Instruction& op) {
  const absl::StatusOr<Signature> signature = SignatureOf(op, op.to_apply());
  if (!signature.ok()) return signature.status();
  ASSAY_REQUIRE(op, "collective_c6", signature->parameters.size() == 2,
                "the reducer must have 2 parameters, found ", signature->parameters.size());
  const Shape& result = *signature->result;
  for (const Shape* shape : {&result, signature->parameters[0], signature->parameters[1]}) {
    ASSAY_REQUIRE(op, "collective_c6",
                  shape->is_scalar() && shape->element_type() == result.element_type(),
                  "the reducer must have scalars of one type, found ", shape->ToString());
  }
  for (const Instruction* operand : op.operands()) {
    ASSAY_REQUIRE(
        op, "collective_c6", TypesMix(operand->shape().element_type(), result.element_type()),
        "the reducer works on ", result.ToString(), ", not on ", operand->shape().ToString());
  }
  return absl::OkStatus();
}

// The result of all-gather (grows) or reduce-scatter (shrinks), where `shape` is declared: the
// types are those of the operands.
absl::StatusOr<Shape> Resized(const Instruction& op, const Shape& shape, bool grows) {
  const int64_t dimension = op.GetInt(Attr::kDimension);
  const size_t n = op.operand_count();
  ASSAY_REQUIRE(op, "collective_c3",
                n == 1 ? shape.is_array() : shape.is_tuple() && shape.tuple_shapes().size() == n,
                "the result must have ", n, " arrays, found ", shape.ToString());
  std::vector<Shape> results;
  int64_t factor = 0;
  for (size_t k = 0; k < n; ++k) {
    const Shape& operand = op.operand(k)->shape();
    const Shape& result = n == 1 ? shape : shape.tuple_shape(k);
    ASSAY_RETURN_IF_ERROR(
        RequireDimension(op, "collective_c2", "dimensions", dimension, operand.rank()));
    ASSAY_REQUIRE(op, "collective_c3",
                  result.is_array() && TypesMix(result.element_type(), operand.element_type()) &&
                      result.rank() == operand.rank(),
                  "result ", k, " must have type and rank of ", operand.ToString(), ", found ",
                  result.ToString());
    for (int64_t d = 0; d < operand.rank(); ++d) {
      ASSAY_REQUIRE(op, "collective_c4",
                    d == dimension || operand.dimension(d) == result.dimension(d),
                    "sizes differ outside dimension ", dimension, ": ", operand.ToString(), " and ",
                    result.ToString());
    }
    const int64_t large = (grows ? result : operand).dimension(dimension);
    const int64_t small = (grows ? operand : result).dimension(dimension);
    ASSAY_REQUIRE(
        op, "collective_c5", small == large || (small > 0 && large > 0 && large % small == 0),
        "the sizes in dimension ", dimension, " are not multiples: ", large, " and ", small);
    const int64_t by = small > 0 ? large / small : 0;
    if (k == 0) factor = by;
    ASSAY_REQUIRE(op, "collective_c9", by == factor || by == 0 || factor == 0,
                  "operands must be resized by one factor, found ", factor, " and ", by);
    results.push_back(WithElementType(result, operand.element_type()));
  }
  return OneOrTuple(std::move(results), n > 1);
}

// The element of a start tuple that a done hands out.
absl::StatusOr<Shape> DoneOf(const Instruction& done, size_t index) {
  const Shape& start = done.operand(0)->shape();
  ASSAY_REQUIRE(done, "collective_c8", start.is_tuple() && start.tuple_shapes().size() > index,
                "the operand must be the tuple of a start, found ", start.ToString());
  return start.tuple_shape(index);
}

// (operands, result, further...) of a start; the declared tuple says what the result is.
absl::Status CheckStartTuple(const Instruction& op) {
  ASSAY_REQUIRE(op, "collective_c7", op.shape().is_tuple() && op.shape().tuple_shapes().size() >= 2,
                "the result must be a tuple of operands and result, found ", op.shape().ToString());
  const Shape operands = Sent(op);
  ASSAY_REQUIRE(op, "collective_c7", TypesMix(op.shape().tuple_shape(0), operands),
                "element 0 of the result must be ", operands.ToString(), ", found ",
                op.shape().ToString());
  return absl::OkStatus();
}

absl::StatusOr<Shape> AllReduce(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op));
  return OperandShapes(op);
}

absl::Status CheckPermute(const Instruction& op) {
  const bool may_have_tuples =
      op.opcode() == Opcode::kCollectivePermuteStart && op.operand_count() > 1;
  if (!IsInPlace(op) && !may_have_tuples) ASSAY_RETURN_IF_ERROR(CheckOperands(op));
  return CheckSlicesAndPairs(op);
}

// What a collective-permute hands out.
Shape Permuted(const Instruction& op) {
  return IsInPlace(op) ? op.operand(1)->shape() : OperandShapes(op);
}

// Equal but for where they are in memory.
bool SameArrays(const Shape& a, const Shape& b) {
  if (!Shape::Compatible(a, b)) return false;
  return !a.has_layout() || !b.has_layout() ||
         a.layout()->minor_to_major == b.layout()->minor_to_major;
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kAllReduce>(const Instruction& op) {
  return AllReduce(op);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAllReduceStart>(const Instruction& op) {
  return AllReduce(op);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAllReduceDone>(const Instruction& done) {
  return done.operand(0)->shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAllGather>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op));
  return Resized(op, op.shape(), true);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAllGatherStart>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op));
  ASSAY_RETURN_IF_ERROR(CheckStartTuple(op));
  absl::StatusOr<Shape> result = Resized(op, op.shape().tuple_shape(1), true);
  if (!result.ok()) return result;
  return Shape::Tuple({OperandShapes(op), *std::move(result)});
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAllGatherDone>(const Instruction& done) {
  return DoneOf(done, 1);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kReduceScatter>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op));
  return Resized(op, op.shape(), false);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAllToAll>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op));
  const Shape& first = op.operand(0)->shape();
  if (const std::optional<int64_t> dimension = op.FindInt(Attr::kDimension)) {
    ASSAY_REQUIRE(op, "all_to_all_c1", op.operand_count() == 1,
                  "with a dimension there must be one operand, found ", op.operand_count());
    ASSAY_RETURN_IF_ERROR(
        RequireDimension(op, "collective_c2", "dimensions", *dimension, first.rank()));
    ASSAY_REQUIRE(op, "all_to_all_c4", !first.is_dynamic(),
                  "with a dimension sizes must not be dynamic, found ", first.ToString());
    return first;
  }
  for (const Instruction* operand : op.operands()) {
    ASSAY_REQUIRE(op, "all_to_all_c2", SameArrays(operand->shape(), first),
                  "operands must have one shape and order in memory, found ", first.ToString(true),
                  " and ", operand->shape().ToString(true));
  }
  std::vector<Shape> shapes(op.operand_count(), first);
  return Shape::Tuple(std::move(shapes));
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kRaggedAllToAll>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op));
  const Shape& offsets = op.operand(2)->shape();
  for (int64_t i = 2; i < 6; ++i) {
    const Shape& list = op.operand(i)->shape();
    ASSAY_REQUIRE(op, "ragged_all_to_all_c2",
                  (list.rank() == 1 || list.rank() == 2) && Shape::Compatible(list, offsets),
                  "offsets and sizes must be arrays of one shape, found ", offsets.ToString(),
                  " and ", list.ToString());
  }
  return op.operand(1)->shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCollectiveBroadcast>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op));
  if (!op.GetBool(Attr::kHasDynamicRoot)) return OperandShapes(op);
  // The last operand says, for each operand before it, who in the group sends it.
  ASSAY_REQUIRE(op, "collective_broadcast_c1", op.operand_count() >= 2,
                "a dynamic root needs an operand to send, and the roots");
  const int64_t sent = op.operand_count() - 1;
  const Shape& roots = op.operand(sent)->shape();
  ASSAY_REQUIRE(op, "collective_broadcast_c1", roots.rank() == 1 && roots.dimension(0) == sent,
                "the last operand must have a root for each of the ", sent,
                " operands before it, found ", roots.ToString());
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < sent; ++i) shapes.push_back(op.operand(i)->shape());
  return OneOrTuple(std::move(shapes), sent > 1);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCollectivePermute>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckPermute(op));
  return Permuted(op);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCollectivePermuteStart>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckPermute(op));
  ASSAY_RETURN_IF_ERROR(CheckStartTuple(op));
  // Contexts follow as declared.
  Shape shape = op.shape();
  shape.mutable_tuple_shapes()[0] = Sent(op);
  shape.mutable_tuple_shapes()[1] = Permuted(op);
  return shape;
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kCollectivePermuteDone>(const Instruction& done) {
  return DoneOf(done, 1);
}

absl::Status CheckCollectiveStrictly(const Instruction& op) {
  if (op.opcode() == Opcode::kCollectiveBroadcast) {
    if (!op.GetBool(Attr::kHasDynamicRoot)) return absl::OkStatus();
    const Shape& roots = op.operand(op.operand_count() - 1)->shape();
    ASSAY_REQUIRE(op, "collective_broadcast_c2", IsInteger(roots.element_type()),
                  "roots must be integers, found ", roots.ToString());
    return absl::OkStatus();
  }
  if (op.opcode() != Opcode::kRaggedAllToAll) return CheckCollectiveReducer(op);
  const Shape& input = op.operand(0)->shape();
  const Shape& output = op.operand(1)->shape();
  bool agree = input.element_type() == output.element_type() && input.rank() == output.rank() &&
               input.rank() >= 1;
  for (int64_t d = 1; agree && d < input.rank(); ++d) {
    agree = input.dimension(d) == output.dimension(d);
  }
  ASSAY_REQUIRE(op, "ragged_all_to_all_c1", agree,
                "input and output must agree in type and trailing sizes, found ", input.ToString(),
                " and ", output.ToString());
  const Shape& offsets = op.operand(2)->shape();
  ASSAY_REQUIRE(op, "ragged_all_to_all_c3", IsInteger(offsets.element_type()),
                "offsets and sizes must be integers, found ", offsets.ToString());
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kPartitionId>(const Instruction&) {
  return Shape::Scalar(ElementType::kU32);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kReplicaId>(const Instruction&) {
  return Shape::Scalar(ElementType::kU32);
}

}  // namespace assay
