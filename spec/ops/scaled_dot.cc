// scaled-dot: a dot of operands that are scaled block by block (lhs, rhs, scale of lhs, of rhs).
//   scaled_dot_c1 scales are arrays
//   scaled_dot_c2 a scale has the rank of its operand, or is none: bf16 as the operand, sizes of 1
//   scaled_dot_c3 sizes of the operand are multiples of those of the scale
//   scaled_dot_c4 one contracting dimension
//   scaled_dot_c5 not both scales are scalars
//   scaled_dot_c6 (strict) operands, scales and result are floats
// Without a written shape XLA's reader computes with operands 0 and 2; so does the rule then.
// Source: reference ops_structural.md 7.4; hlo_text_format.md 6.4. Tests:
// spec/verify/testdata/contraction.cases.
#include <algorithm>

#include "spec/ops/dot.h"
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

// The way to write that an operand is not scaled.
bool IsNoScale(const Shape& operand, const Shape& scale) {
  const auto is_one = [](int64_t size) { return size == 1; };
  return operand.element_type() == ElementType::kBF16 &&
         scale.element_type() == ElementType::kBF16 &&
         std::all_of(scale.dimensions().begin(), scale.dimensions().end(), is_one) &&
         !std::all_of(operand.dimensions().begin(), operand.dimensions().end(), is_one);
}

absl::Status CheckScale(const Instruction& dot, int64_t side) {
  const Shape& operand = dot.operand(side)->shape();
  const Shape& scale = dot.operand(side + 2)->shape();
  ASSAY_RETURN_IF_ERROR(RequireArray(dot, "scaled_dot_c1", side + 2));
  if (IsNoScale(operand, scale)) return absl::OkStatus();
  ASSAY_REQUIRE(dot, "scaled_dot_c2", scale.rank() == operand.rank(), "the scale ",
                scale.ToString(), " must have the rank of ", operand.ToString());
  for (int64_t d = 0; d < scale.rank(); ++d) {
    const int64_t size = operand.dimension(d);
    const int64_t blocks = scale.dimension(d);
    ASSAY_REQUIRE(dot, "scaled_dot_c3", size == blocks || (blocks > 0 && size % blocks == 0),
                  "dimension ", d, " of the operand, ", size, ", is not a multiple of that of the ",
                  "scale, ", blocks);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckScaledDotStrictly(const Instruction& dot) {
  for (const Instruction* operand : dot.operands()) {
    ASSAY_REQUIRE(dot, "scaled_dot_c6", IsFloat(operand->shape().element_type()),
                  "operands must be floats, found ", operand->shape().ToString());
  }
  ASSAY_REQUIRE(dot, "scaled_dot_c6", IsFloat(dot.shape().element_type()),
                "the result must be of floats, found ", dot.shape().ToString());
  return absl::OkStatus();
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kScaledDot>(const Instruction& dot) {
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(ShapeIsOpen(dot) ? 2 : 1)->shape();
  ASSAY_RETURN_IF_ERROR(CheckDotLists(dot, lhs, rhs));
  ASSAY_RETURN_IF_ERROR(CheckDotType(dot));
  if (!ShapeIsOpen(dot)) {
    ASSAY_RETURN_IF_ERROR(CheckScale(dot, 0));
    ASSAY_RETURN_IF_ERROR(CheckScale(dot, 1));
    const absl::Span<const int64_t> contracting = dot.GetInts(Attr::kLhsContractingDims);
    ASSAY_REQUIRE(dot, "scaled_dot_c4", contracting.size() == 1,
                  "there must be one contracting dimension, found ", ListText(contracting));
    ASSAY_REQUIRE(dot, "scaled_dot_c5",
                  !dot.operand(2)->shape().is_scalar() || !dot.operand(3)->shape().is_scalar(),
                  "no operand has a scale");
  }
  return DotResult(dot, lhs, rhs);
}

}  // namespace assay
