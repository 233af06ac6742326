// ragged-dot: a dot whose rows, contracted positions or batches fall into groups of given sizes.
//   ragged_dot_c1 group_sizes is an array
//   ragged_dot_c2 one ragged dimension, in range
//   ragged_dot_c3 one group dimension where the ragged one is free, else none
//   ragged_dot_c4 in range, neither batch nor contracting
//   ragged_dot_c5 group_sizes is [groups], or has the sizes before the ragged dimension in front
//   ragged_dot_c6 the group dimension counts the groups, and dot_c1..c5 (dot.h)
//   ragged_dot_c7 (strict) group_sizes are integers
// Source: reference ops_structural.md 7.3. Tests: spec/verify/testdata/contraction.cases.
#include <algorithm>

#include "spec/ops/dimension_numbers.h"
#include "spec/ops/dot.h"
#include "spec/ops/rules.h"
#include "spec/ops/strict_rules.h"

namespace assay {
namespace {

// The sizes of lhs that may stand in front of the groups: those of dimensions that come before the
// ragged one among batch, then free or contracting dimensions.
Dimensions GroupPrefix(const Instruction& dot, int64_t ragged) {
  const Shape& lhs = dot.operand(0)->shape();
  const absl::Span<const int64_t> batch = dot.GetInts(Attr::kLhsBatchDims);
  const absl::Span<const int64_t> contracting = dot.GetInts(Attr::kLhsContractingDims);
  Dimensions before(batch.begin(), batch.end());
  if (!Contains(batch, ragged)) {
    const Dimensions free = RemainingDimensions(lhs.rank(), batch, contracting);
    const absl::Span<const int64_t> own = Contains(contracting, ragged) ? contracting : free;
    before.insert(before.end(), own.begin(), own.end());
  }
  before.erase(std::find(before.begin(), before.end(), ragged), before.end());
  Dimensions sizes;
  for (int64_t d : before) sizes.push_back(lhs.dimension(d));
  return sizes;
}

// The number of groups.
absl::StatusOr<int64_t> CheckGroupSizes(const Instruction& dot, int64_t ragged) {
  const Shape& groups = dot.operand(2)->shape();
  ASSAY_RETURN_IF_ERROR(RequireArray(dot, "ragged_dot_c1", 2));
  const Dimensions prefix = GroupPrefix(dot, ragged);
  const int64_t leading = groups.rank() - 1;
  ASSAY_REQUIRE(dot, "ragged_dot_c5",
                leading == 0 || (leading == static_cast<int64_t>(prefix.size()) &&
                                 groups.dimensions().first(leading) == absl::MakeConstSpan(prefix)),
                "the group sizes must have rank 1, or ", ListText(prefix),
                " in front of the groups, found ", groups.ToString());
  return groups.dimension(leading);
}

}  // namespace

template <>
absl::StatusOr<Shape> Rule<Opcode::kRaggedDot>(const Instruction& dot) {
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  ASSAY_RETURN_IF_ERROR(CheckDotLists(dot, lhs, rhs));
  ASSAY_RETURN_IF_ERROR(CheckDotType(dot));
  const absl::Span<const int64_t> ragged_dims = dot.GetInts(Attr::kLhsRaggedDims);
  ASSAY_REQUIRE(dot, "ragged_dot_c2", ragged_dims.size() == 1,
                "lhs_ragged_dims must have one entry, found ", ListText(ragged_dims));
  const int64_t ragged = ragged_dims[0];
  ASSAY_RETURN_IF_ERROR(
      RequireDimension(dot, "ragged_dot_c2", "lhs_ragged_dims", ragged, lhs.rank()));
  const bool contracting = Contains(dot.GetInts(Attr::kLhsContractingDims), ragged);
  const bool free = !contracting && !Contains(dot.GetInts(Attr::kLhsBatchDims), ragged);
  const absl::Span<const int64_t> group_dims = dot.GetInts(Attr::kRhsGroupDims);
  ASSAY_REQUIRE(dot, "ragged_dot_c3", group_dims.size() == (free ? 1u : 0u),
                "rhs_group_dims must have ", free ? "one entry" : "no entry", ", found ",
                ListText(group_dims));
  ASSAY_RETURN_IF_ERROR(
      RequireDimensions(dot, "ragged_dot_c4", "rhs_group_dims", group_dims, rhs.rank()));
  for (int64_t d : group_dims) {
    ASSAY_REQUIRE(dot, "ragged_dot_c4",
                  !Contains(dot.GetInts(Attr::kRhsBatchDims), d) &&
                      !Contains(dot.GetInts(Attr::kRhsContractingDims), d),
                  "the group dimension ", d, " is a batch or contracting dimension");
  }
  const absl::StatusOr<int64_t> groups = CheckGroupSizes(dot, ragged);
  if (!groups.ok()) return groups.status();
  for (int64_t d : group_dims) {
    ASSAY_REQUIRE(dot, "ragged_dot_c6", rhs.dimension(d) == *groups, "group dimension ", d,
                  " has size ", rhs.dimension(d), ", but there are ", *groups, " groups");
  }
  Shape shape = DotResult(dot, lhs, rhs, group_dims);
  if (!contracting) return shape;
  Dimensions sizes = {*groups};
  sizes.insert(sizes.end(), shape.dimensions().begin(), shape.dimensions().end());
  return Shape(shape.element_type(), sizes);
}

absl::Status CheckRaggedDotStrictly(const Instruction& dot) {
  const Shape& groups = dot.operand(2)->shape();
  ASSAY_REQUIRE(dot, "ragged_dot_c7", IsInteger(groups.element_type()),
                "the group sizes must be integers, found ", groups.ToString());
  return absl::OkStatus();
}

}  // namespace assay
