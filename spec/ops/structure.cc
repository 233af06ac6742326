// Tuples, parameters, tokens and instructions that hand a value on.
//   tuple_c1 a bounded number of arrays
//   tuple_c2 a bounded number of levels
//   get_tuple_element_c1 the operand is a tuple
//   get_tuple_element_c2 that has the element
//   parameter_c1 the number is not negative
//   opt_barrier_c1 the shape is written (XLA's inference knows no rule for it)
//   add_dependency_c1 operand 1 is a token
// after-all takes operands of any shape, as texts in use have it.
// Source: reference ops_control_and_collectives.md 3; hlo_text_format.md 6.4. Tests:
// spec/verify/testdata/control.cases.
#include <algorithm>

#include "spec/ops/rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kTuple>(const Instruction& tuple) {
  // Tuples of the same tuple double their leaves with every level.
  constexpr int64_t kMostLeaves = 1 << 18;
  constexpr int64_t kMostLevels = 3000;
  std::vector<Shape> elements;
  elements.reserve(tuple.operand_count());
  int64_t leaves = 0, levels = 0;
  for (const Instruction* operand : tuple.operands()) {
    elements.push_back(operand->shape());
    leaves += operand->shape().leaf_count();
    levels = std::max(levels, operand->shape().tuple_depth());
  }
  ASSAY_REQUIRE(tuple, "tuple_c1", leaves <= kMostLeaves, "a tuple may hold at most ", kMostLeaves,
                " arrays in all, found ", leaves);
  ASSAY_REQUIRE(tuple, "tuple_c2", levels < kMostLevels, "tuples may be nested at most ",
                kMostLevels, " levels deep");
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
