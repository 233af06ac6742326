// batch-norm-training, -inference, -grad: normalisation per feature.
//   batch_norm_c1 operands are arrays, the first of rank 1 or more
//   batch_norm_c2 feature_index is in range
//   batch_norm_c3 of real float types that agree (fp-mix)
//   batch_norm_c4 parameters have one element per feature
//   batch_norm_c5 grad_output has the dimensions of the operand
//   batch_norm_c6 (strict) mean and variance are vectors
// Source: reference ops_structural.md 9. Tests: spec/verify/testdata/linear_algebra.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

// Checks all operands; those from 1 up to `parameters` are vectors over the features.
absl::Status CheckOperands(const Instruction& op, int64_t parameters) {
  ASSAY_RETURN_IF_ERROR(RequireArrays(op, "batch_norm_c1"));
  const Shape& operand = op.operand(0)->shape();
  ASSAY_REQUIRE(op, "batch_norm_c1", operand.rank() >= 1, "the operand must not be a scalar");
  const int64_t feature = op.GetInt(Attr::kFeatureIndex);
  ASSAY_RETURN_IF_ERROR(
      RequireDimension(op, "batch_norm_c2", "feature_index", feature, operand.rank()));
  for (const Instruction* other : op.operands()) {
    ASSAY_REQUIRE(op, "batch_norm_c3", IsFloat(other->shape().element_type()),
                  "operands must be of float types, found ", other->shape().ToString());
  }
  const bool inference = op.opcode() == Opcode::kBatchNormInference;
  for (int64_t i = 1; i <= parameters; ++i) {
    const Shape& parameter = op.operand(i)->shape();
    // XLA's inference looks at the first size of mean and variance only.
    const bool rank_fits = inference && i > 2 ? parameter.rank() >= 1 : parameter.rank() == 1;
    ASSAY_REQUIRE(op, "batch_norm_c4",
                  rank_fits && parameter.dimension(0) == operand.dimension(feature), "operand ", i,
                  " must have ", operand.dimension(feature), " elements, one per feature, found ",
                  parameter.ToString());
  }
  return absl::OkStatus();
}

Shape FeatureVector(const Instruction& op) {
  const Shape& operand = op.operand(0)->shape();
  const int64_t feature = op.GetInt(Attr::kFeatureIndex);
  Shape vector(operand.element_type(), {operand.dimension(feature)});
  if (operand.is_dynamic_dimension(feature)) vector.set_dynamic_dimension(0, true);
  return vector;
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kBatchNormTraining>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op, 2));
  return Shape::Tuple({op.operand(0)->shape(), FeatureVector(op), FeatureVector(op)});
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kBatchNormInference>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op, 4));
  return op.operand(0)->shape();
}

absl::Status CheckBatchNormStrictly(const Instruction& inference) {
  for (int64_t i : {3, 4}) {
    const Shape& parameter = inference.operand(i)->shape();
    ASSAY_REQUIRE(inference, "batch_norm_c6", parameter.rank() == 1, "operand ", i,
                  " must be a vector, found ", parameter.ToString());
  }
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kBatchNormGrad>(const Instruction& op) {
  ASSAY_RETURN_IF_ERROR(CheckOperands(op, 3));
  const Shape& operand = op.operand(0)->shape();
  const Shape& grad = op.operand(4)->shape();
  ASSAY_REQUIRE(op, "batch_norm_c5", SameSizes(operand, grad),
                "grad_output must have the dimensions of ", operand.ToString(), ", found ",
                grad.ToString());
  return Shape::Tuple({operand, FeatureVector(op), FeatureVector(op)});
}

}  // namespace assay
