#include "fuzz/score/rewrite_parts.h"

#include "absl/algorithm/container.h"

namespace assay::fuzz {

using conformance::Build;
using conformance::In;
using conformance::Inner;
using conformance::Is;
using conformance::ReducerOf;
using conformance::ShapeOf;
using conformance::Site;

Instruction* On(Site& site, std::vector<Instruction*> operands) {
  if (absl::c_linear_search(operands, nullptr)) return nullptr;
  return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
}

Instruction* BuildDimensions(Site& site, Opcode opcode, const Shape& shape, Instruction* operand,
                             const std::vector<int64_t>& dims) {
  return Build(site, opcode, shape, {operand},
               [&](Instruction& x) { x.SetAttribute(Attr::kDimensions, dims); });
}

Instruction* Distributed(Site& site, Opcode opcode) {
  return Build(site, opcode, ShapeOf(site),
               {On(site, {Inner(site, 0, 0)}), On(site, {Inner(site, 0, 1)})});
}

bool Reduces(Site& site, Opcode reducer, Opcode of) {
  const Instruction& x = site.original();
  return x.operand_count() == 2 && Is(In(site, 0), of) && ReducerOf(*x.to_apply()) == reducer;
}

}  // namespace assay::fuzz
