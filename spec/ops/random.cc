// Random numbers.
//   rng_c1 two scalars and an array result
//   rng_c2 all of one type (the result: fp-mix)
//   rng_c3 uniform on integers, floats, pred; normal on floats
//   rng_c4 (strict) the result is of the operands' precision
//   rng_bit_generator_c1 (strict) the state is u64 of rank 1
//   rng_bit_generator_c2 (strict) the result is (state, bits)
//   rng_bit_generator_c3 (strict) bits are numbers
//   rng_bit_generator_c4 (strict) three-fry has 2 words of state, Philox 2 or 3
//   rng_bit_generator_c5 a tuple that is the result has two elements, of which one is the state
//   rng_get_and_update_state_c1 (strict) delta is not negative
// Source: reference ops_control_and_collectives.md 9, 10. Tests:
// spec/verify/testdata/control.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {

template <>
absl::StatusOr<Shape> Rule<Opcode::kRng>(const Instruction& rng) {
  ASSAY_RETURN_IF_ERROR(RequireDeclaredArray(rng, "rng_c1"));
  ASSAY_REQUIRE(rng, "rng_c1", rng.operand_count() == 2, "rng takes 2 operands, found ",
                rng.operand_count());
  const ElementType type = rng.shape().element_type();
  const ElementType drawn = rng.operand(0)->shape().element_type();
  for (const Instruction* operand : rng.operands()) {
    ASSAY_REQUIRE(rng, "rng_c1", operand->shape().is_scalar(), "operands must be scalars, found ",
                  operand->shape().ToString());
    ASSAY_REQUIRE(rng, "rng_c2", operand->shape().element_type() == drawn && TypesMix(drawn, type),
                  "operands must have the type of the result, ", Name(type), ", found ",
                  operand->shape().ToString());
  }
  const auto distribution = rng.GetEnum<RandomDistribution>(Attr::kDistribution);
  const bool exists = distribution == RandomDistribution::kUniform  ? !IsComplex(type)
                      : distribution == RandomDistribution::kNormal ? IsFloat(type)
                                                                    : false;
  ASSAY_REQUIRE(rng, "rng_c3", exists, "there is no such distribution of ", Name(type));
  return rng.shape();
}

absl::Status CheckRngStrictly(const Instruction& rng) {
  ASSAY_REQUIRE(rng, "rng_c4", rng.operand(0)->shape().element_type() == rng.shape().element_type(),
                "the result must be of ", Name(rng.operand(0)->shape().element_type()), ", found ",
                rng.shape().ToString());
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kRngBitGenerator>(const Instruction& rng) {
  const Shape& shape = rng.shape();
  ASSAY_REQUIRE(
      rng, "rng_bit_generator_c5",
      !shape.is_tuple() || (shape.tuple_shapes().size() == 2 &&
                            Shape::Compatible(shape.tuple_shape(0), rng.operand(0)->shape())),
      "the result must be (", rng.operand(0)->shape().ToString(), ", bits), found ",
      shape.ToString());
  return shape;
}

absl::Status CheckRngBitGeneratorStrictly(const Instruction& rng) {
  const Shape& state = rng.operand(0)->shape();
  ASSAY_REQUIRE(rng, "rng_bit_generator_c1",
                state.element_type() == ElementType::kU64 && state.rank() == 1,
                "the state must be u64 of rank 1, found ", state.ToString());
  const Shape& shape = rng.shape();
  ASSAY_REQUIRE(rng, "rng_bit_generator_c2", shape.is_tuple() && shape.tuple_shapes().size() == 2,
                "the result must be (state, bits), found ", shape.ToString());
  const Shape& bits = shape.tuple_shape(1);
  ASSAY_REQUIRE(rng, "rng_bit_generator_c3",
                bits.is_array() && !IsPred(bits.element_type()) && !IsComplex(bits.element_type()),
                "bits must be integers or floats, found ", bits.ToString());
  const auto algorithm = rng.GetEnum<RandomAlgorithm>(Attr::kRngAlgorithm);
  const int64_t words = state.dimension(0);
  ASSAY_REQUIRE(rng, "rng_bit_generator_c4",
                words == 2 || (words == 3 && algorithm != RandomAlgorithm::kThreeFry),
                "the state must have 2 words",
                algorithm == RandomAlgorithm::kThreeFry ? "" : " or 3", ", found ",
                state.ToString());
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kRngGetAndUpdateState>(const Instruction&) {
  static const Shape* const state = new Shape(ElementType::kU64, {2});
  return *state;
}

absl::Status CheckRngStateStrictly(const Instruction& rng) {
  const int64_t delta = rng.GetInt(Attr::kDelta);
  ASSAY_REQUIRE(rng, "rng_get_and_update_state_c1", delta >= 0,
                "delta must not be negative, found ", delta);
  return absl::OkStatus();
}

}  // namespace assay
