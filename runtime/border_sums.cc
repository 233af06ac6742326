#include "runtime/border_sums.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/sharding/tiles.h"

namespace assay::runtime {
namespace {

Opcode OpcodeOf(NamedSharding::Reduction reduction) {
  switch (reduction) {
    case NamedSharding::Reduction::kMax:
      return Opcode::kMaximum;
    case NamedSharding::Reduction::kMin:
      return Opcode::kMinimum;
    default:
      return Opcode::kAdd;
  }
}

Instruction* AddParameter(int64_t number, const Shape& shape, Computation& computation) {
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
  parameter->set_name(absl::StrCat("p", number));
  parameter->set_parameter_number(number);
  return computation.Add(std::move(parameter));
}

// A computation of the module that combines two scalars.
Computation* AddReducer(Opcode opcode, ElementType type, Module& module) {
  auto reducer = std::make_unique<Computation>(absl::StrCat(Name(opcode), "_", Name(type)));
  const Shape scalar = Shape::Scalar(type);
  auto root = std::make_unique<Instruction>(opcode, scalar);
  root->set_name("root");
  for (int64_t i = 0; i < 2; ++i) root->AppendOperand(AddParameter(i, scalar, *reducer));
  reducer->set_root(reducer->Add(std::move(root)));
  return module.Add(std::move(reducer));
}

const Instruction* AddAllReduce(Opcode opcode, const Shape& shape, Module& module) {
  Computation* reducer = AddReducer(opcode, shape.element_type(), module);
  auto computation = std::make_unique<Computation>("sum");
  auto all_reduce = std::make_unique<Instruction>(Opcode::kAllReduce, shape);
  all_reduce->set_name("sum");
  all_reduce->AppendOperand(AddParameter(0, shape, *computation));
  all_reduce->SetAttribute(Attr::kToApply, reducer);
  Instruction* added = computation->Add(std::move(all_reduce));
  computation->set_root(added);
  module.Add(std::move(computation));
  return added;
}

}  // namespace

absl::StatusOr<BorderSums> BorderSums::Of(absl::Span<const Sharding> shardings,
                                          absl::Span<const Shape* const> leaves) {
  BorderSums sums;
  for (size_t i = 0; i < std::min(shardings.size(), leaves.size()); ++i) {
    const NamedSharding* named = shardings[i].named.get();
    if (named == nullptr || named->unreduced_axes.empty()) continue;
    absl::StatusOr<DeviceGroups> groups =
        DevicesOverAxes(named->mesh, named->unreduced_axes, kMostDevices);
    if (!groups.ok()) return groups.status();
    if (sums.module_ == nullptr) sums.module_ = std::make_unique<Module>("sums");
    const Instruction* all_reduce =
        AddAllReduce(OpcodeOf(named->reduction), *leaves[i], *sums.module_);
    sums.list_.push_back({i, *std::move(groups), all_reduce});
  }
  return sums;
}

}  // namespace assay::runtime
