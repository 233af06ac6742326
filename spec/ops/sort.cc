// sort: orders each line along a dimension, all operands by one permutation.
//   sort_c1 at least one operand, arrays of equal dimensions
//   sort_c2 the dimension lies below the rank
//   sort_c3 the comparator takes two scalars per operand
//   sort_c4 of the operand's type (fp-mix)
//   sort_c5 and returns pred[]
//   sort_c6 (strict) the dimension is not negative
//   sort_c7 (strict) comparator and operands are of one precision
// Source: reference ops_structural.md 6.2. Tests: spec/verify/testdata/reduction.cases.
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {

namespace {

absl::Status CheckComparator(const Instruction& sort) {
  const absl::StatusOr<Signature> signature = SignatureOf(sort, sort.to_apply());
  if (!signature.ok()) return signature.status();
  const absl::string_view name = sort.to_apply()->name();
  const size_t n = sort.operand_count();
  ASSAY_REQUIRE(sort, "sort_c3", signature->parameters.size() == 2 * n, name, " must have ", 2 * n,
                " parameters, found ", signature->parameters.size());
  for (size_t i = 0; i < 2 * n; ++i) {
    const Shape& parameter = *signature->parameters[i];
    const ElementType type = sort.operand(i / 2)->shape().element_type();
    ASSAY_REQUIRE(sort, "sort_c4",
                  parameter.is_scalar() && TypesMix(parameter.element_type(), type), "parameter ",
                  i, " of ", name, " must be ", Name(type), "[], found ", parameter.ToString());
  }
  ASSAY_REQUIRE(sort, "sort_c5",
                signature->result->is_scalar() && IsPred(signature->result->element_type()), name,
                " must return pred[], found ", signature->result->ToString());
  return absl::OkStatus();
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kSort>(const Instruction& sort) {
  ASSAY_REQUIRE(sort, "sort_c1", sort.operand_count() >= 1, "there must be an operand");
  ASSAY_RETURN_IF_ERROR(RequireArrays(sort, "sort_c1"));
  const Shape& first = sort.operand(0)->shape();
  std::vector<Shape> results;
  for (const Instruction* operand : sort.operands()) {
    ASSAY_REQUIRE(sort, "sort_c1", SameSizes(operand->shape(), first),
                  "operands must have equal dimensions, found ", first.ToString(), " and ",
                  operand->shape().ToString());
    results.push_back(operand->shape());
  }
  // The rest says nothing about the shape.
  if (!ShapeIsOpen(sort)) {
    ASSAY_REQUIRE(sort, "sort_c2", sort.GetInt(Attr::kDimension) < first.rank(),
                  "dimensions must lie in [0, ", first.rank(), "), found ",
                  sort.GetInt(Attr::kDimension));
    ASSAY_RETURN_IF_ERROR(CheckComparator(sort));
  }
  return OneOrTuple(std::move(results), sort.operand_count() > 1);
}

absl::Status CheckSortStrictly(const Instruction& sort) {
  const int64_t dimension = sort.GetInt(Attr::kDimension);
  ASSAY_REQUIRE(sort, "sort_c6", dimension >= 0, "dimensions must not be negative, found ",
                dimension);
  const std::vector<Instruction*> parameters = sort.to_apply()->parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Shape& operand = sort.operand(static_cast<int64_t>(i) / 2)->shape();
    const Shape& parameter = parameters[i]->shape();
    ASSAY_REQUIRE(sort, "sort_c7", parameter.element_type() == operand.element_type(), "parameter ",
                  i, " of ", sort.to_apply()->name(), " must be ", Name(operand.element_type()),
                  "[], found ", parameter.ToString());
  }
  return absl::OkStatus();
}

}  // namespace assay
