// Tuples, parameters, tokens and instructions that hand a value on.
//   get_tuple_element_c1 the operand is a tuple    get_tuple_element_c2 that has the element
//   parameter_c1 the number is not negative
//   opt_barrier_c1 the shape is written (XLA's inference knows no rule for it)
//   add_dependency_c1 operand 1 is a token
// after-all takes operands of any shape, as texts in use have it.
// Source: reference ops_control_and_collectives.md 3; hlo_text_format.md 6.4. Tests:
// control_rules_test.cc.
#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kTuple>(const Instruction& tuple) {
  std::vector<Shape> elements;
  elements.reserve(tuple.operand_count());
  for (const Instruction* operand : tuple.operands()) elements.push_back(operand->shape());
  return Shape::Tuple(std::move(elements));
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kGetTupleElement>(const Instruction& op) {
  const Shape& tuple = op.operand(0)->shape();
  ASSAY_REQUIRE(op, "get_tuple_element_c1", tuple.is_tuple(), "the operand must be a tuple, found ",
                tuple.ToString());
  const int64_t index = op.GetInt(Attr::kIndex);
  const int64_t size = static_cast<int64_t>(tuple.tuple_shapes().size());
  ASSAY_REQUIRE(op, "get_tuple_element_c2", index >= 0 && index < size, "index must lie in [0, ",
                size, "), found ", index);
  return tuple.tuple_shape(index);
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kParameter>(const Instruction& parameter) {
  ASSAY_REQUIRE(parameter, "parameter_c1", parameter.parameter_number() >= 0,
                "the parameter number must not be negative, found ", parameter.parameter_number());
  return parameter.shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kOptimizationBarrier>(const Instruction& barrier) {
  ASSAY_REQUIRE(barrier, "opt_barrier_c1", !ShapeIsOpen(barrier),
                "the shape of an opt-barrier must be written");
  return barrier.operand(0)->shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kDomain>(const Instruction& domain) {
  return domain.operand(0)->shape();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAfterAll>(const Instruction&) {
  return Shape::Token();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kAddDependency>(const Instruction& op) {
  ASSAY_REQUIRE(op, "add_dependency_c1", ShapeIsOpen(op) || op.operand(1)->shape().is_token(),
                "operand 1 must be a token, found ", op.operand(1)->shape().ToString());
  return op.operand(0)->shape();
}

}  // namespace assay
