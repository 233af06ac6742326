// What these functions demand beyond the rules of the operations that they make (spec/ops). Tests:
// builder_clauses_test.cc.
//   implicit_broadcast_c1 at equal ranks broadcast_dimensions is empty, or counts the dimensions
//   implicit_broadcast_c2 else it has an entry for each dimension of the smaller operand
//   implicit_broadcast_c3 which rise strictly within the rank of the larger one
//   implicit_broadcast_c4 dimensions that meet have equal sizes, or one of them size 1
#include "spec/builder/implicit_broadcast.h"

namespace assay {
namespace builder_internal {

Op Stretch(Maker& maker, const Op& operand, absl::Span<const int64_t> map,
           absl::Span<const int64_t> sizes) {
  const Shape shape = maker.ShapeOf(operand);
  if (!maker.ok() || shape.dimensions() == sizes) return operand;
  // HLO's broadcast stretches nothing: sizes of 1 that grow are reshaped away first.
  Shape kept(shape.element_type(), {});
  Dimensions kept_sizes;
  std::vector<int64_t> kept_map;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) == 1 && sizes[map[d]] != 1) continue;
    kept_sizes.push_back(shape.dimension(d));
    kept_map.push_back(map[d]);
  }
  kept.set_dimensions(kept_sizes);
  Shape result(shape.element_type(), sizes);
  for (int64_t d = 0, k = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) == 1 && sizes[map[d]] != 1) continue;
    if (shape.is_dynamic_dimension(d)) {
      kept.set_dynamic_dimension(k, true);
      result.set_dynamic_dimension(map[d], true);
    }
    ++k;
  }
  Op source = operand;
  if (kept.rank() != shape.rank()) source = maker.Make(Opcode::kReshape, {operand}, {}, kept);
  return maker.Make(Opcode::kBroadcast, {source}, {{Attr::kDimensions, kept_map}}, result);
}

namespace {

// Which dimension of the larger operand each one of the smaller operand becomes; empty after an
// error (and for a scalar).
std::vector<int64_t> MapOfSmaller(Maker& maker, const Shape& small, const Shape& large,
                                  absl::Span<const int64_t> broadcast_dimensions) {
  const auto fail = [&](absl::string_view clause, absl::string_view what) {
    maker.Fail(clause,
               absl::StrCat("broadcast_dimensions ", ListText(broadcast_dimensions), " ", what,
                            "; the operands are ", small.ToString(), " and ", large.ToString()));
    return std::vector<int64_t>();
  };
  const int64_t rank = small.rank();
  if (rank == large.rank()) {
    const std::vector<int64_t> identity = Counting(rank);
    if (!broadcast_dimensions.empty() && broadcast_dimensions != absl::MakeConstSpan(identity)) {
      return fail("implicit_broadcast_c1", "must be none, or count the dimensions, at equal ranks");
    }
    return identity;
  }
  if (static_cast<int64_t>(broadcast_dimensions.size()) != rank) {
    return fail("implicit_broadcast_c2", absl::StrCat("must have ", rank, " entries"));
  }
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t to = broadcast_dimensions[d];
    if (to < 0 || to >= large.rank() || (d > 0 && to <= broadcast_dimensions[d - 1])) {
      return fail("implicit_broadcast_c3",
                  absl::StrCat("must rise strictly within [0, ", large.rank(), ")"));
    }
  }
  return ToVector(broadcast_dimensions);
}

}  // namespace

void BroadcastTogether(Maker& maker, Op* lhs, Op* rhs,
                       absl::Span<const int64_t> broadcast_dimensions) {
  if (!maker.ok()) return;
  const Shape& left = maker.ShapeOf(*lhs);
  const Shape& right = maker.ShapeOf(*rhs);
  if (!left.is_array() || !right.is_array()) return;  // the rule refuses them
  const bool swap = left.rank() > right.rank();
  const Shape& small = swap ? right : left;
  const Shape& large = swap ? left : right;
  const std::vector<int64_t> map = MapOfSmaller(maker, small, large, broadcast_dimensions);
  if (!maker.ok()) return;
  Dimensions sizes(large.dimensions().begin(), large.dimensions().end());
  for (int64_t d = 0; d < small.rank(); ++d) {
    const int64_t a = small.dimension(d);
    int64_t& b = sizes[map[d]];
    if (a != b && a != 1 && b != 1) {
      maker.Fail(
          "implicit_broadcast_c4",
          absl::StrCat("dimension ", d, " of ", small.ToString(), " meets dimension ", map[d],
                       " of ", large.ToString(), "; sizes must be equal, or one of them 1"));
      return;
    }
    if (b == 1) b = a;
  }
  const std::vector<int64_t> identity = Counting(large.rank());
  Op* smaller = swap ? rhs : lhs;
  Op* larger = swap ? lhs : rhs;
  *smaller = Stretch(maker, *smaller, map, sizes);
  *larger = Stretch(maker, *larger, identity, sizes);
}

}  // namespace builder_internal
}  // namespace assay
