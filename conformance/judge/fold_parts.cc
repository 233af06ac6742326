#include "conformance/judge/fold_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/analysis/isolate.h"

namespace assay::conformance {
namespace {

using StepSet = absl::flat_hash_set<const Instruction*>;

// Returns the steps that a step is computed from, including itself.
StepSet SourcesOf(const Instruction& step) {
  StepSet sources = {&step};
  std::vector<const Instruction*> open = {&step};
  while (!open.empty()) {
    const Instruction* next = open.back();
    open.pop_back();
    for (const Instruction* operand : next->operands()) {
      if (sources.insert(operand).second) open.push_back(operand);
    }
  }
  return sources;
}

// The arrays by group: two are in one where a result of the one takes elements of the other.
std::vector<std::vector<int64_t>> GroupsOf(const Computation& region, int64_t arrays) {
  std::vector<int64_t> group(arrays);
  std::iota(group.begin(), group.end(), 0);
  for (int64_t k = 0; k < arrays; ++k) {
    for (const Instruction* source : SourcesOf(*region.root()->operand(k))) {
      if (source->opcode() != Opcode::kParameter) continue;
      const int64_t from = group[source->parameter_number() % arrays], to = group[k];
      std::replace(group.begin(), group.end(), from, to);
    }
  }
  std::vector<std::vector<int64_t>> groups;
  for (int64_t each = 0; each < arrays; ++each) {
    std::vector<int64_t> members;
    for (int64_t k = 0; k < arrays; ++k) {
      if (group[k] == each) members.push_back(k);
    }
    if (!members.empty()) groups.push_back(std::move(members));
  }
  return groups;
}

// The steps of the region that give these results, with the parameters for them.
Computation* AddRegion(const Computation& region, const std::vector<int64_t>& results,
                       Module* module) {
  const auto arrays = static_cast<int64_t>(region.root()->operand_count());
  const auto count = static_cast<int64_t>(results.size());
  StepSet needed;
  for (const int64_t k : results) {
    for (const Instruction* source : SourcesOf(*region.root()->operand(k))) needed.insert(source);
  }
  auto part = std::make_unique<Computation>(region.name());
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  for (const auto& step : region.instructions()) {
    auto copy = std::make_unique<Instruction>(step->opcode(), step->shape());
    copy->set_name(step->name());
    if (step->opcode() == Opcode::kParameter) {
      const int64_t number = step->parameter_number();
      const auto at = std::find(results.begin(), results.end(), number % arrays);
      if (at == results.end()) continue;
      copy->set_parameter_number(at - results.begin() + (number < arrays ? 0 : count));
    } else if (!needed.contains(step.get())) {
      continue;
    }
    for (const auto& [attribute, value] : step->attributes().entries()) {
      copy->SetAttribute(attribute, value);
    }
    for (const Instruction* operand : step->operands()) copy->AppendOperand(copies.at(operand));
    if (step->literal() != nullptr) copy->set_literal(*step->literal());
    copies[step.get()] = part->Add(std::move(copy));
  }
  Instruction* root = copies.at(region.root()->operand(results[0]));
  if (count > 1) {
    std::vector<Shape> shapes;
    for (const int64_t k : results) shapes.push_back(region.root()->operand(k)->shape());
    auto tuple = std::make_unique<Instruction>(Opcode::kTuple, Shape::Tuple(std::move(shapes)));
    for (const int64_t k : results) {
      tuple->AppendOperand(copies.at(region.root()->operand(k)));
    }
    root = part->Add(std::move(tuple));
  }
  part->set_root(root);
  return module->Add(std::move(part));
}

// The numbers of the operands that the part on these arrays takes.
std::vector<int64_t> OperandsOf(const Instruction& fold, const std::vector<int64_t>& arrays) {
  const auto count = static_cast<int64_t>(fold.shape().tuple_shapes().size());
  std::vector<int64_t> operands(arrays);
  const bool scatters = fold.opcode() == Opcode::kScatter;
  if (scatters) operands.push_back(count);
  for (const int64_t k : arrays) operands.push_back(count + (scatters ? 1 : 0) + k);
  return operands;
}

std::unique_ptr<Module> ModuleOf(const Instruction& fold, const std::vector<int64_t>& arrays) {
  const std::unique_ptr<Module> whole = analysis::IsolateInstruction(fold);
  Instruction& copy = *whole->entry()->root();
  std::vector<Shape> shapes;
  for (const int64_t k : arrays) shapes.push_back(copy.shape().tuple_shapes()[k]);
  auto part = std::make_unique<Instruction>(
      copy.opcode(), arrays.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes)));
  for (const auto& [attribute, value] : copy.attributes().entries()) {
    part->SetAttribute(attribute, value);
  }
  part->SetAttribute(Attr::kToApply, AddRegion(*copy.to_apply(), arrays, whole.get()));
  for (const int64_t k : OperandsOf(fold, arrays)) part->AppendOperand(copy.operand(k));
  return analysis::IsolateInstruction(*whole->entry()->Add(std::move(part)));
}

}  // namespace

std::vector<FoldPart> PartsOfFold(const Instruction& fold) {
  std::vector<FoldPart> parts;
  if (fold.opcode() != Opcode::kReduce && fold.opcode() != Opcode::kReduceWindow &&
      fold.opcode() != Opcode::kScatter) {
    return parts;
  }
  if (!fold.shape().is_tuple() || fold.shape().tuple_shapes().size() < 2) return parts;
  const std::unique_ptr<Module> flat = analysis::FlattenRegions(fold);
  const Instruction& form = flat == nullptr ? fold : *flat->entry()->root();
  const auto arrays = static_cast<int64_t>(fold.shape().tuple_shapes().size());
  if (form.to_apply()->root()->opcode() != Opcode::kTuple) return parts;
  std::vector<std::vector<int64_t>> groups = GroupsOf(*form.to_apply(), arrays);
  if (groups.size() < 2) return parts;
  for (std::vector<int64_t>& group : groups) {
    std::unique_ptr<Module> module = ModuleOf(form, group);
    std::vector<int64_t> operands = OperandsOf(fold, group);
    parts.push_back({std::move(group), std::move(operands), std::move(module)});
  }
  return parts;
}

ArrayOfPart FindArray(absl::Span<const FoldPart> parts, size_t array) {
  for (const FoldPart& part : parts) {
    const auto at = std::find(part.arrays.begin(), part.arrays.end(), array);
    if (at != part.arrays.end()) return {&part, static_cast<size_t>(at - part.arrays.begin())};
  }
  return {};
}

}  // namespace assay::conformance
