#include "conformance/enclosure/mapped_region.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace assay::conformance {
namespace {

bool IsOfElements(const Instruction& step) {
  const bool leaf = step.opcode() == Opcode::kParameter || step.opcode() == Opcode::kConstant;
  return step.shape().is_array() && step.shape().rank() == 0 && !step.is_elided_constant() &&
         (leaf || step.info().elementwise());
}

}  // namespace

std::unique_ptr<Module> MapOfArrays(const Instruction& map) {
  const Computation& region = *map.to_apply();
  if (!map.shape().is_array() || map.shape().is_dynamic()) return nullptr;
  for (const auto& step : region.instructions()) {
    if (!IsOfElements(*step)) return nullptr;
  }
  auto module = std::make_unique<Module>("map_of_arrays");
  auto arrays = std::make_unique<Computation>(region.name());
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  for (const auto& step : region.instructions()) {
    const Shape array(step->shape().element_type(), map.shape().dimensions());
    const bool constant = step->opcode() == Opcode::kConstant;
    auto copy = std::make_unique<Instruction>(step->opcode(), constant ? step->shape() : array);
    copy->set_name(step->name());
    copy->set_position(step->position());
    copy->set_parameter_number(step->parameter_number());
    for (const auto& [attribute, value] : step->attributes().entries()) {
      copy->SetAttribute(attribute, value);
    }
    for (const Instruction* operand : step->operands()) copy->AppendOperand(copies.at(operand));
    if (constant) copy->set_literal(*step->literal());
    Instruction* added = arrays->Add(std::move(copy));
    if (constant) {
      auto broadcast = std::make_unique<Instruction>(Opcode::kBroadcast, array);
      broadcast->SetAttribute(Attr::kDimensions, std::vector<int64_t>{});
      broadcast->AppendOperand(added);
      added = arrays->Add(std::move(broadcast));
    }
    copies[step.get()] = added;
  }
  arrays->set_root(copies.at(region.root()));
  module->set_entry(module->Add(std::move(arrays)));
  module->UniquifyNames();
  return module;
}

}  // namespace assay::conformance
