// async-start, async-update, async-done: a computation that runs beside its caller. The value
// between is ((operands...), result, context...); operands that are not bound yet are missing at
// its end, and a result that is not there yet is ().
//   async_c1 start and update are such a tuple
//   async_c2 so is the operand of update and done
//   async_c3 what the tuple of a start has is what its computation takes and returns
//   async_c4 update keeps what is there
//   async_c9 operands of start and update have the shapes of what they bind; an update has them all
//   async_c10 aliases of a start name parts of its tuple and of the computation's parameters
//   async_c11 which have one shape
//   async_c14 (strict) a start has all operands that it binds
// Source: reference ops_control_and_collectives.md 4.1. Tests: spec/verify/testdata/control.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

bool IsAsyncTuple(const Shape& shape) {
  return shape.is_tuple() && shape.tuple_shapes().size() >= 2 && shape.tuple_shape(0).is_tuple();
}

bool IsUnbound(const Shape& shape) { return shape.is_tuple() && shape.tuple_shapes().empty(); }

// Whether `part` is `whole`, or what of it is there by now. Nested no deeper than shapes are.
bool IsBeginning(const Shape& part, const Shape& whole) {
  if (IsUnbound(part) || Shape::Compatible(part, whole)) return true;
  if (!part.is_tuple() || !whole.is_tuple() ||
      part.tuple_shapes().size() > whole.tuple_shapes().size()) {
    return false;
  }
  for (size_t i = 0; i < part.tuple_shapes().size(); ++i) {
    if (!IsBeginning(part.tuple_shape(i), whole.tuple_shape(i))) return false;
  }
  return true;
}

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

// The operands from `first` on are those that the tuple has behind the `bound` before.
absl::Status CheckBound(const Instruction& op, int64_t first, size_t bound) {
  const absl::Span<const Shape> slots = op.shape().tuple_shape(0).tuple_shapes().subspan(bound);
  const size_t given = op.operand_count() - first;
  const bool is_start = op.opcode() == Opcode::kAsyncStart;
  ASSAY_REQUIRE(op, "async_c9", is_start ? given <= slots.size() : given == slots.size(),
                "the tuple binds ", slots.size(), " operands, found ", given);
  for (size_t i = 0; i < given; ++i) {
    const Shape& operand = op.operand(first + static_cast<int64_t>(i))->shape();
    ASSAY_REQUIRE(op, "async_c9", Shape::Compatible(slots[i], operand), "operand ", first + i,
                  " must be ", slots[i].ToString(), ", found ", operand.ToString());
  }
  return absl::OkStatus();
}

absl::Status CheckStartAliases(const Instruction& start, const Shape& parameters,
                               const Shape& result) {
  const auto* aliases =
      start.attributes().Get<OutputOperandAliases>(Attr::kOutputToOperandAliasing);
  if (aliases == nullptr) return absl::OkStatus();
  Shape whole = start.shape();
  whole.mutable_tuple_shapes()[0] = parameters;
  whole.mutable_tuple_shapes()[1] = result;
  for (const OutputOperandAlias& alias : *aliases) {
    const bool in_range = alias.operand >= 0 &&
                          alias.operand < static_cast<int64_t>(parameters.tuple_shapes().size());
    const Shape* input =
        in_range ? SubShape(parameters.tuple_shape(alias.operand), alias.operand_index) : nullptr;
    const Shape* output =
        alias.output_index.empty() ? nullptr : SubShape(whole, alias.output_index);
    ASSAY_REQUIRE(start, "async_c10", input != nullptr && output != nullptr,
                  "an alias must name parts of the tuple and of a parameter, found output ",
                  ListText(alias.output_index), " and parameter ", alias.operand, " at ",
                  ListText(alias.operand_index));
    ASSAY_REQUIRE(start, "async_c11", Shape::Compatible(*input, *output),
                  "an alias must have one shape, found ", output->ToString(), " and ",
                  input->ToString());
  }
  return absl::OkStatus();
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kAsyncStart>(const Instruction& start) {
  ASSAY_RETURN_IF_ERROR(CheckDeclared(start));
  const absl::StatusOr<Signature> callee = SignatureOf(start, start.GetComputation(Attr::kCalls));
  if (!callee.ok()) return callee.status();
  std::vector<Shape> taken;
  for (const Shape* parameter : callee->parameters) taken.push_back(*parameter);
  const Shape parameters = Shape::Tuple(std::move(taken));
  for (const auto& [part, whole] :
       {std::make_pair(0, &parameters), std::make_pair(1, callee->result)}) {
    ASSAY_REQUIRE(start, "async_c3", IsBeginning(start.shape().tuple_shape(part), *whole),
                  "the computation ", part == 0 ? "takes " : "returns ", whole->ToString(),
                  ", but the tuple has ", start.shape().tuple_shape(part).ToString());
  }
  ASSAY_RETURN_IF_ERROR(CheckBound(start, 0, 0));
  ASSAY_RETURN_IF_ERROR(CheckStartAliases(start, parameters, *callee->result));
  return start.shape();
}

absl::Status CheckAsyncStartStrictly(const Instruction& start) {
  const size_t bound = start.shape().tuple_shape(0).tuple_shapes().size();
  ASSAY_REQUIRE(start, "async_c14", static_cast<size_t>(start.operand_count()) == bound,
                "the tuple binds ", bound, " operands, found ", start.operand_count());
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAsyncUpdate>(const Instruction& update) {
  ASSAY_RETURN_IF_ERROR(CheckDeclared(update));
  ASSAY_RETURN_IF_ERROR(CheckOperand(update));
  const Shape& before = update.operand(0)->shape();
  for (int part : {0, 1}) {
    ASSAY_REQUIRE(
        update, "async_c4", IsBeginning(before.tuple_shape(part), update.shape().tuple_shape(part)),
        part == 0 ? "the operands change from " : "the result changes from ",
        before.tuple_shape(part).ToString(), " to ", update.shape().tuple_shape(part).ToString());
  }
  // An update of a tuple that is all there may keep an empty one.
  const size_t bound = before.tuple_shape(0).tuple_shapes().size();
  ASSAY_RETURN_IF_ERROR(CheckBound(update, 1, bound));
  return update.shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAsyncDone>(const Instruction& done) {
  ASSAY_RETURN_IF_ERROR(CheckOperand(done));
  const Shape& result = done.operand(0)->shape().tuple_shape(1);
  return IsUnbound(result) && !ShapeIsOpen(done) ? done.shape() : result;
}

}  // namespace assay
