// dot: sums of products over contracting dimensions. Clauses in dot.h.
// Element types may differ, as XLA has it; what the documents say of that is in
// spec/verify/products.cc.
// Source: reference ops_structural.md 7.2. Tests: spec/verify/testdata/contraction.cases.
#include "spec/ops/dot.h"

#include "spec/ops/dimension_numbers.h"
#include "spec/ops/rules.h"

namespace assay {
namespace {

absl::Status CheckPairs(const Instruction& op, const Shape& lhs, const Shape& rhs, Attr lhs_attr,
                        Attr rhs_attr) {
  const absl::Span<const int64_t> a = op.GetInts(lhs_attr);
  const absl::Span<const int64_t> b = op.GetInts(rhs_attr);
  ASSAY_REQUIRE(op, "dot_c2", a.size() == b.size(), Info(lhs_attr).name, " ", ListText(a), " and ",
                Info(rhs_attr).name, " ", ListText(b), " must pair up");
  ASSAY_RETURN_IF_ERROR(RequireDimensions(op, "dot_c3", Info(lhs_attr).name, a, lhs.rank()));
  ASSAY_RETURN_IF_ERROR(RequireDimensions(op, "dot_c3", Info(rhs_attr).name, b, rhs.rank()));
  for (size_t i = 0; i < a.size(); ++i) {
    ASSAY_REQUIRE(op, "dot_c4", lhs.dimension(a[i]) == rhs.dimension(b[i]), "dimension ", a[i],
                  " of ", lhs.ToString(), " and dimension ", b[i], " of ", rhs.ToString(),
                  " must have equal sizes");
  }
  return absl::OkStatus();
}

absl::Status CheckDisjoint(const Instruction& op, Attr batch, Attr contracting) {
  for (int64_t d : op.GetInts(contracting)) {
    ASSAY_REQUIRE(op, "dot_c3", !Contains(op.GetInts(batch), d), Info(batch).name, " and ",
                  Info(contracting).name, " share ", d);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckDotLists(const Instruction& op, const Shape& lhs, const Shape& rhs) {
  ASSAY_REQUIRE(op, "dot_c1", lhs.is_array() && rhs.is_array(), "operands must be arrays, found ",
                lhs.ToString(), " and ", rhs.ToString());
  ASSAY_RETURN_IF_ERROR(CheckPairs(op, lhs, rhs, Attr::kLhsBatchDims, Attr::kRhsBatchDims));
  ASSAY_RETURN_IF_ERROR(
      CheckPairs(op, lhs, rhs, Attr::kLhsContractingDims, Attr::kRhsContractingDims));
  ASSAY_RETURN_IF_ERROR(CheckDisjoint(op, Attr::kLhsBatchDims, Attr::kLhsContractingDims));
  ASSAY_RETURN_IF_ERROR(CheckDisjoint(op, Attr::kRhsBatchDims, Attr::kRhsContractingDims));
  return absl::OkStatus();
}

absl::Status CheckDotType(const Instruction& op) {
  return ShapeIsOpen(op) ? absl::OkStatus() : RequireDeclaredArray(op, "dot_c5");
}

bool AreOfOneClass(ElementType lhs, ElementType rhs, ElementType result) {
  for (ElementType type : {lhs, rhs}) {
    if (IsFloat(type) != IsFloat(result) || IsComplex(type) != IsComplex(result) ||
        IsPred(type) != IsPred(result)) {
      return false;
    }
  }
  return true;
}

Shape DotResult(const Instruction& op, const Shape& lhs, const Shape& rhs,
                absl::Span<const int64_t> rhs_dropped) {
  const ElementType type = ShapeIsOpen(op) ? HigherType(lhs.element_type(), rhs.element_type())
                                           : op.shape().element_type();
  const absl::Span<const int64_t> batch = op.GetInts(Attr::kLhsBatchDims);
  Dimensions sizes;
  absl::InlinedVector<bool, 4> dynamic;
  auto add = [&](const Shape& side, absl::Span<const int64_t> dimensions) {
    for (int64_t d : dimensions) {
      sizes.push_back(side.dimension(d));
      dynamic.push_back(side.is_dynamic_dimension(d));
    }
  };
  add(lhs, batch);
  add(lhs, RemainingDimensions(lhs.rank(), batch, op.GetInts(Attr::kLhsContractingDims)));
  for (int64_t d : RemainingDimensions(rhs.rank(), op.GetInts(Attr::kRhsBatchDims),
                                       op.GetInts(Attr::kRhsContractingDims))) {
    if (!Contains(rhs_dropped, d)) add(rhs, {d});
  }
  Shape shape(type, sizes);
  for (size_t d = 0; d < dynamic.size(); ++d) {
    if (dynamic[d]) shape.set_dynamic_dimension(d, true);
  }
  return shape;
}

template <>
absl::StatusOr<Shape> Rule<Opcode::kDot>(const Instruction& dot) {
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  ASSAY_RETURN_IF_ERROR(CheckDotLists(dot, lhs, rhs));
  ASSAY_RETURN_IF_ERROR(CheckDotType(dot));
  return DotResult(dot, lhs, rhs);
}

}  // namespace assay
