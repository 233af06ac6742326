#include "backends/pjrt/driver/flat_entry.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/proto/conversions.h"
#include "spec/sharding/sharding_checks.h"

namespace assay::pjrt {
namespace {

bool IsFlat(const Module& module) {
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (parameter->shape().is_tuple()) return false;
  }
  const Shape& result = module.entry()->root()->shape();
  if (!result.is_tuple()) return true;
  return std::none_of(result.tuple_shapes().begin(), result.tuple_shapes().end(),
                      [](const Shape& element) { return element.is_tuple(); });
}

// The places of the leaves of a shape, in order.
void AddLeafIndices(const Shape& shape, ShapeIndex& here, std::vector<ShapeIndex>* indices) {
  if (!shape.is_tuple()) {
    indices->push_back(here);
    return;
  }
  for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
    here.push_back(static_cast<int64_t>(i));
    AddLeafIndices(shape.tuple_shapes()[i], here, indices);
    here.pop_back();
  }
}
std::vector<ShapeIndex> LeafIndices(const Shape& shape) {
  std::vector<ShapeIndex> indices;
  ShapeIndex here;
  AddLeafIndices(shape, here, &indices);
  return indices;
}

// Writes the entry that calls the old one.
class FlatEntry {
 public:
  explicit FlatEntry(Module& module) : module_(module), old_(*module.entry()) {}

  void Write() {
    auto made = std::make_unique<Computation>("flat_entry");
    flat_ = made.get();
    std::vector<Instruction*> arguments;
    for (const Instruction* parameter : old_.parameters()) {
      arguments.push_back(Argument(*parameter));
    }
    Instruction* call = Add(Opcode::kCall, old_.root()->shape(), arguments);
    call->SetAttribute(Attr::kToApply, &old_);
    result_places_ = LeafIndices(old_.root()->shape());
    flat_->set_root(Result(call));
    module_.Add(std::move(made));
    MoveHeader();
    module_.UniquifyNames(&old_);
    // Numbers follow anew: those of the new instructions must not be those of others.
    for (const auto& computation : module_.computations()) {
      computation->set_id(0);
      for (const auto& instruction : computation->instructions()) instruction->set_id(0);
    }
    module_.AssignIds();
  }

 private:
  Instruction* Add(Opcode opcode, const Shape& shape, const std::vector<Instruction*>& operands) {
    auto instruction = std::make_unique<Instruction>(opcode, shape);
    instruction->set_operands(operands);
    instruction->set_name(absl::StrCat("flat.", flat_->instruction_count()));
    return flat_->Add(std::move(instruction));
  }

  // A parameter of the old entry, made of parameters of the new one.
  Instruction* Argument(const Instruction& parameter) {
    first_leaf_.push_back(static_cast<int64_t>(parameter_places_.size()));
    std::vector<LeafSharding> shardings;
    if (parameter.has_annotations() && parameter.annotations().sharding) {
      if (ShardingsOfLeaves(*parameter.annotations().sharding, parameter.shape(), &shardings)) {
        shardings.clear();
      }
    }
    // An empty tuple within the parameter has an entry of its own there, and is no leaf here.
    std::erase_if(shardings, [](const LeafSharding& leaf) { return leaf.shape->is_tuple(); });
    size_t leaf = 0;
    return Build(parameter.shape(), shardings, &leaf);
  }

  Instruction* Build(const Shape& shape, const std::vector<LeafSharding>& shardings, size_t* leaf) {
    if (shape.is_tuple()) {
      std::vector<Instruction*> elements;
      for (const Shape& element : shape.tuple_shapes()) {
        elements.push_back(Build(element, shardings, leaf));
      }
      return Add(Opcode::kTuple, shape, elements);
    }
    Instruction* parameter = Add(Opcode::kParameter, shape, {});
    parameter->set_parameter_number(static_cast<int64_t>(parameter_places_.size()));
    parameter_places_.push_back(*leaf);
    if (*leaf < shardings.size()) {
      parameter->mutable_annotations().sharding = *shardings[*leaf].sharding;
    }
    ++*leaf;
    return parameter;
  }

  // The leaves of the old entry's value.
  Instruction* Result(Instruction* call) {
    if (!call->shape().is_tuple()) return call;
    std::vector<Instruction*> leaves;
    std::vector<Shape> shapes;
    for (const ShapeIndex& place : result_places_) {
      Instruction* value = call;
      for (const int64_t i : place) {
        const Shape element = value->shape().tuple_shapes()[static_cast<size_t>(i)];
        value = Add(Opcode::kGetTupleElement, element, {value});
        value->SetAttribute(Attr::kIndex, i);
      }
      leaves.push_back(value);
      shapes.push_back(value->shape());
    }
    Instruction* root = Add(Opcode::kTuple, Shape::Tuple(shapes), leaves);
    if (const Instruction* old = old_.root();
        old->has_annotations() && old->annotations().sharding) {
      root->mutable_annotations().sharding = old->annotations().sharding;
    }
    return root;
  }

  // The number of the new parameter that a place in an old one is; its own index is empty then.
  int64_t ParameterAt(int64_t number, const ShapeIndex& index) const {
    const std::vector<ShapeIndex> places =
        LeafIndices(old_.parameters()[static_cast<size_t>(number)]->shape());
    const auto place = std::find(places.begin(), places.end(), index);
    return first_leaf_[static_cast<size_t>(number)] + (place - places.begin());
  }

  void MoveHeader() {
    module_.set_entry(flat_);
    module_.entry_layout = std::nullopt;
    module_.is_scheduled = false;
    for (const auto& computation : module_.computations()) computation->set_schedule({});
    for (InputOutputAlias& alias : module_.input_output_alias) {
      alias.parameter_number = ParameterAt(alias.parameter_number, alias.parameter_index);
      alias.parameter_index.clear();
      if (!old_.root()->shape().is_tuple()) continue;
      const auto place =
          std::find(result_places_.begin(), result_places_.end(), alias.output_index);
      alias.output_index = {place - result_places_.begin()};
    }
    for (BufferDonor& donor : module_.buffer_donors) {
      donor.parameter_number = ParameterAt(donor.parameter_number, donor.parameter_index);
      donor.parameter_index.clear();
    }
  }

  Module& module_;
  Computation& old_;
  Computation* flat_ = nullptr;
  std::vector<int64_t> first_leaf_;       // by old parameter
  std::vector<size_t> parameter_places_;  // by new parameter: which leaf of its old one
  std::vector<ShapeIndex> result_places_;
};

// A sharding of the shape that says manual of every leaf.
Sharding ManualOf(const Shape& shape) {
  Sharding manual;
  manual.type = Sharding::Type::kManual;
  if (!shape.is_tuple()) return manual;
  Sharding list;
  list.type = Sharding::Type::kTuple;
  // Of an empty tuple one entry, too.
  list.tuple.assign(std::max<size_t>(1, Leaves(shape).size()), manual);
  return list;
}

// Whether the instruction has a sharding that breaks a rule, of which the plug-in has to say so.
bool HasIllegalSharding(const Instruction& instruction, int64_t partitions) {
  if (!instruction.has_annotations() || !instruction.annotations().sharding) return false;
  std::vector<LeafSharding> leaves;
  if (ShardingsOfLeaves(*instruction.annotations().sharding, instruction.shape(), &leaves)) {
    return true;
  }
  return std::any_of(leaves.begin(), leaves.end(), [&](const LeafSharding& leaf) {
    return FindShardingProblem(leaf, partitions).has_value();
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> WithFlatEntry(const Module& module) {
  absl::StatusOr<wire::HloModuleProto> proto = ModuleToProto(module);
  if (!proto.ok()) return proto.status();
  absl::StatusOr<std::unique_ptr<Module>> copy = ModuleFromProto(*std::move(proto));
  if (!copy.ok()) return copy;
  (*copy)->replica_count = module.replica_count;
  (*copy)->num_partitions = module.num_partitions;
  if (!IsFlat(**copy)) FlatEntry(**copy).Write();
  return copy;
}

void MarkPartitioned(Module& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (HasIllegalSharding(*instruction, module.num_partitions)) continue;
      instruction->mutable_annotations().sharding = ManualOf(instruction->shape());
    }
  }
}

}  // namespace assay::pjrt
