// Attributes that say nothing about values: those of the module, of the entry's arguments and
// results, and of single operations. Source: reference stablehlo_format.md 9, 10.
// Tests: to_module_test.cc, lowering_test.cc.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/proto/pieces.h"
#include "spec/stablehlo/host_memory.h"
#include "spec/stablehlo/lowering.h"
#include "spec/stablehlo/shardings.h"
#include "spec/stablehlo/text.h"
#include "spec/text/parser.h"

namespace assay::stablehlo {
namespace {

// A dictionary of strings; other values as their text.
void AddFrontendAttributes(const Attribute& dictionary, FrontendAttributes* attributes) {
  for (const NamedAttribute& field : dictionary.fields) {
    (*attributes)[std::string(field.name)] = field.value->kind == AttributeKind::kString
                                                 ? std::string(field.value->text)
                                                 : PrintAttribute(*field.value);
  }
}

// Entry `i` of arg_attrs or res_attrs; null where there is none.
const Attribute* AttributesOf(const Operation& function, absl::string_view list, size_t i) {
  const Attribute* all = function.Find(list);
  return all == nullptr || i >= all->elements.size() ? nullptr : all->elements[i];
}

// "#sdy.sharding<..>" as the only one of a list: "#sdy.sharding_per_value<[<..>]>".
std::string PerValue(const Attribute& sharding) {
  if (sharding.name != "sdy.sharding") return PrintAttribute(sharding);
  const std::string text = PrintAttribute(sharding);
  return absl::StrCat("#sdy.sharding_per_value<[", text.substr(text.find('<')), "]>");
}

// A layout of xla_entry_computation_*_layouts: minor to major; lists for tuples; empty: the
// default.
void ApplyLayout(const Attribute& layout, Shape* shape) {
  if (shape->is_tuple()) {
    for (size_t i = 0; i < layout.elements.size() && i < shape->tuple_shapes().size(); ++i) {
      ApplyLayout(*layout.elements[i], &shape->mutable_tuple_shapes()[i]);
    }
    return;
  }
  const std::optional<std::vector<int64_t>> order = IntsOf(layout);
  if (!shape->is_array() || !order || !IsPermutation(*order, shape->rank())) return;
  Layout plain;
  plain.minor_to_major.assign(order->begin(), order->end());
  shape->set_layout(std::move(plain));
}

// Applies what JAX says of the place of an argument or a result: mhlo.layout_mode, which is
// "default", "auto" or a layout as in HLO, and mhlo.memory_kind. Stores whether it says anything.
absl::Status ApplyPlacement(const Attribute* attributes, Shape* shape, bool* any) {
  if (attributes == nullptr || !shape->is_array()) return absl::OkStatus();
  const Attribute* mode = attributes->Find("mhlo.layout_mode");
  if (mode != nullptr && mode->text != "default" && mode->text != "auto") {
    absl::StatusOr<Shape> wanted = ParseShape(absl::StrCat(shape->ToString(), mode->text));
    if (!wanted.ok() || !wanted->has_layout() ||
        !IsPermutation(wanted->layout()->minor_to_major, shape->rank())) {
      return absl::InvalidArgumentError(
          absl::StrCat("mhlo.layout_mode must be \"default\", \"auto\" or a layout of ",
                       shape->ToString(), " such as \"{0,1}\", not \"", mode->text, "\""));
    }
    shape->set_layout(*wanted->layout());
    *any = true;
  }
  const Attribute* kind = attributes->Find("mhlo.memory_kind");
  if (kind != nullptr && (kind->text == "pinned_host" || kind->text == "unpinned_host")) {
    Layout layout = shape->has_layout() ? *shape->layout() : Layout::Default(shape->rank());
    layout.memory_space = kHostMemory;
    shape->set_layout(std::move(layout));
    *any = true;
  }
  return absl::OkStatus();
}

ShapeIndex IndexOf(const Attribute* ints) {
  const std::vector<int64_t> values =
      ints == nullptr ? std::vector<int64_t>() : IntsOf(*ints).value_or(std::vector<int64_t>());
  return ShapeIndex(values.begin(), values.end());
}

// The meshes of a module as the frontend attribute "xla.sdy.meshes" has them; empty if there are
// none.
std::string MeshesOf(const Operation& module) {
  std::vector<std::string> meshes;
  for (const Region& region : module.regions()) {
    for (const Block* block : region.blocks()) {
      for (const Operation* inner : block->operations) {
        const Attribute* symbol = inner->Find("sym_name");
        const Attribute* mesh = inner->Find("mesh");
        if (inner->name() != "sdy.mesh" || symbol == nullptr || mesh == nullptr) continue;
        meshes.push_back(absl::StrCat(symbol->text, " = ", PrintAttribute(*mesh)));
      }
    }
  }
  return meshes.empty() ? "" : absl::StrCat("{", absl::StrJoin(meshes, ", "), "}");
}

// What a module says that only the protobuf keeps.
wire::HloModuleProto WireExtrasOf(const Operation& module) {
  wire::HloModuleProto rest;
  if (const Attribute* flag = module.Find("mhlo.is_dynamic")) {
    rest.set_is_dynamic(flag->integer != 0);
  }
  if (const Attribute* flag = module.Find("mhlo.use_auto_spmd_partitioning")) {
    rest.set_use_auto_spmd_partitioning(flag->integer != 0);
  }
  if (const Attribute* text = module.Find("mhlo.spmd_output_sharding")) {
    if (std::optional<Sharding> sharding = ReadShardingString(text->text)) {
      *rest.mutable_spmd_output_sharding() = ShardingToProto(*sharding);
    }
  }
  if (const Attribute* texts = module.Find("mhlo.spmd_parameters_shardings")) {
    for (const Attribute* text : texts->elements) {
      std::optional<Sharding> sharding = ReadShardingString(text->text);
      if (sharding) *rest.add_spmd_parameters_shardings() = ShardingToProto(*sharding);
    }
  }
  return rest;
}

// The results that may or must have the buffer of a parameter, by mhlo.input_output_alias.
std::vector<InputOutputAlias> AliasesOf(const Operation& module) {
  std::vector<InputOutputAlias> made;
  const Attribute* aliases = module.Find("mhlo.input_output_alias");
  if (aliases == nullptr) return made;
  for (const Attribute* entry : aliases->elements) {
    const Attribute* alias = entry->Find("alias");
    const Attribute* number = alias == nullptr ? nullptr : alias->Find("parameter_number");
    if (number == nullptr) continue;
    const Attribute* kind = alias->Find("kind");
    InputOutputAlias& each = made.emplace_back();
    each.output_index = IndexOf(entry->Find("output_index"));
    each.parameter_number = number->integer;
    each.parameter_index = IndexOf(alias->Find("parameter_index"));
    each.kind = kind != nullptr && kind->text == "must_alias" ? AliasKind::kMust : AliasKind::kMay;
  }
  return made;
}

// Whether each leaf of a parameter has the same value in all replicas; empty if nothing is said.
std::vector<bool> ReplicationOf(const Attribute& attributes, const Shape& shape) {
  std::vector<bool> replicated;
  if (const Attribute* list = attributes.Find("mhlo.parameter_replication")) {
    for (const int64_t flag : IntsOf(*list).value_or(std::vector<int64_t>())) {
      replicated.push_back(flag != 0);
    }
  } else if (const Attribute* flag = attributes.Find("mhlo.is_same_data_across_replicas")) {
    if (flag->kind == AttributeKind::kUnit || flag->integer != 0) {
      replicated.assign(shape.leaf_count(), true);
    }
  }
  return replicated;
}

// The shardings, the frontend attributes and the replication of an argument.
absl::Status AnnotateParameter(const Attribute& attributes, const Program& program,
                               Instruction* parameter) {
  if (const Attribute* text = attributes.Find("mhlo.sharding")) {
    if (std::optional<Sharding> sharding = ReadShardingString(text->text)) {
      parameter->mutable_annotations().sharding = *std::move(sharding);
    }
  }
  if (const Attribute* shardy = attributes.Find("sdy.sharding")) {
    absl::StatusOr<Sharding> sharding = TilesOfShardy(*shardy, program);
    if (!sharding.ok()) return sharding.status();
    // Tiles do not say that a value is unreduced: the attribute alone does.
    const Attribute* unreduced = shardy->Find("unreduced");
    if (unreduced == nullptr || unreduced->elements.empty()) {
      parameter->mutable_annotations().sharding = *std::move(sharding);
    }
    parameter->mutable_annotations().frontend_attributes["xla.sdy.sharding"] =
        PrintAttribute(*shardy);
  }
  if (const Attribute* frontend = attributes.Find("mhlo.frontend_attributes")) {
    AddFrontendAttributes(*frontend, &parameter->mutable_annotations().frontend_attributes);
  }
  std::vector<bool> replicated = ReplicationOf(attributes, parameter->shape());
  if (!replicated.empty()) {
    parameter->mutable_annotations().parameter_replication = std::move(replicated);
  }
  return absl::OkStatus();
}

// The shapes of the entry's parameters and results with the layouts and the memories that the
// module and the function's attributes say; none if they say nothing.
absl::StatusOr<std::optional<ProgramShape>> EntryLayout(const Operation& module,
                                                        const Operation& function,
                                                        ProgramShape program, size_t results,
                                                        bool is_tuple) {
  const Attribute* parameters = module.Find("mhlo.xla_entry_computation_parameter_layouts");
  const Attribute* layout = module.Find("mhlo.xla_entry_computation_result_layout");
  bool any = parameters != nullptr || layout != nullptr;
  for (size_t i = 0; parameters != nullptr && i < parameters->elements.size(); ++i) {
    if (i < program.parameters.size()) {
      ApplyLayout(*parameters->elements[i], &program.parameters[i]);
    }
  }
  if (layout != nullptr) {
    const bool wrapped = layout->kind == AttributeKind::kArray && layout->elements.size() == 1 &&
                         !program.result.is_tuple();
    ApplyLayout(wrapped ? *layout->elements[0] : *layout, &program.result);
  }
  absl::Status placed = absl::OkStatus();
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    placed.Update(
        ApplyPlacement(AttributesOf(function, "arg_attrs", i), &program.parameters[i], &any));
  }
  for (size_t i = 0; i < results; ++i) {
    Shape* own = is_tuple ? &program.result.mutable_tuple_shapes()[i] : &program.result;
    placed.Update(ApplyPlacement(AttributesOf(function, "res_attrs", i), own, &any));
  }
  if (!placed.ok()) return placed;
  return any ? std::optional(std::move(program)) : std::nullopt;
}

}  // namespace

absl::Status Lowering::ReadModuleAttributes() {
  const Operation& op = *program_.module;
  if (const Attribute* name = op.Find("sym_name")) {
    std::string text(name->text);
    for (char& c : text) {
      if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
    }
    if (!text.empty()) module_->set_name(std::move(text));
  }
  if (const Attribute* count = op.Find("mhlo.num_replicas")) {
    module_->replica_count = std::max<int64_t>(count->integer, 1);
  }
  if (const Attribute* count = op.Find("mhlo.num_partitions")) {
    module_->num_partitions = std::max<int64_t>(count->integer, 1);
  }
  if (const Attribute* attributes = op.Find("mhlo.frontend_attributes")) {
    AddFrontendAttributes(*attributes, &module_->frontend_attributes);
  }
  if (std::string meshes = MeshesOf(op); !meshes.empty()) {
    module_->frontend_attributes["xla.sdy.meshes"] = std::move(meshes);
  }
  module_->wire_extras = WireExtrasOf(op).SerializeAsString();
  for (InputOutputAlias& alias : AliasesOf(op)) {
    module_->input_output_alias.push_back(std::move(alias));
  }
  return absl::OkStatus();
}

absl::Status Lowering::ReadArgumentAttributes(const Operation& function, Scope& scope,
                                              const ConvertedProgram& result) {
  const bool is_tuple = result.result_count != 1 || !result.checks.empty();
  const auto& arguments = function.regions()[0].blocks()[0]->arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Attribute* attributes = AttributesOf(function, "arg_attrs", i);
    if (attributes == nullptr) continue;
    if (const Attribute* output = attributes->Find("tf.aliasing_output")) {
      InputOutputAlias alias;
      alias.parameter_number = static_cast<int64_t>(i);
      if (!is_tuple && output->integer != 0) {
        return Error(function, "tf.aliasing_output must be 0 where there is only one result");
      }
      if (is_tuple) alias.output_index = {output->integer};
      module_->input_output_alias.push_back(std::move(alias));
    }
    const Attribute* donor = attributes->Find("jax.buffer_donor");
    if (donor != nullptr && (donor->kind == AttributeKind::kUnit || donor->integer != 0)) {
      module_->buffer_donors.push_back({static_cast<int64_t>(i), {}});
    }
    const absl::Status status =
        AnnotateParameter(*attributes, program_, scope.values[arguments[i]]);
    if (!status.ok()) return Error(function, status.message());
  }
  absl::StatusOr<std::optional<ProgramShape>> layout =
      EntryLayout(*program_.module, function, module_->entry()->program_shape(),
                  static_cast<size_t>(result.result_count), is_tuple);
  if (!layout.ok()) return Error(function, layout.status().message());
  if (layout->has_value()) module_->entry_layout = **std::move(layout);
  return absl::OkStatus();
}

absl::StatusOr<Instruction*> Lowering::EntryRoot(Scope& scope, const Operation& function,
                                                 std::vector<Instruction*> results,
                                                 ConvertedProgram* result) {
  result->result_count = static_cast<int64_t>(results.size());
  std::vector<std::optional<Sharding>> shardings(results.size());
  bool any_sharding = false;
  for (size_t i = 0; i < results.size(); ++i) {
    const Attribute* attributes = AttributesOf(function, "res_attrs", i);
    result->result_names.emplace_back();
    if (attributes == nullptr) continue;
    if (const Attribute* name = attributes->Find("jax.result_info")) {
      result->result_names.back() = std::string(name->text);
    }
    if (const Attribute* shardy = attributes->Find("sdy.sharding")) {
      results[i] = MakeIn(scope, function, Opcode::kCustomCall, results[i]->shape(),
                          Operands(&results[i], 1),
                          {{Attr::kCustomCallTarget, std::string("xla.sdy.FuncResultSharding")},
                           {Attr::kCustomCallHasSideEffect, true}});
      results[i]->mutable_annotations().frontend_attributes["xla.sdy.sharding"] = PerValue(*shardy);
    }
    if (const Attribute* text = attributes->Find("mhlo.sharding")) {
      shardings[i] = ReadShardingString(text->text);
      any_sharding |= shardings[i].has_value();
    }
  }
  for (const Instruction* value : check_values_) {
    results.push_back(const_cast<Instruction*>(value));
    shardings.emplace_back();
  }
  if (results.size() == 1 && !any_sharding && check_values_.empty()) return results[0];
  std::vector<Shape> shapes;
  for (const Instruction* value : results) shapes.push_back(value->shape());
  Instruction* root =
      MakeIn(scope, function, Opcode::kTuple, Shape::Tuple(std::move(shapes)), results);
  if (results.size() == 1 && check_values_.empty()) {
    // A single sharding stands on a get-tuple-element, where it is nobody else's.
    root = MakeIn(scope, function, Opcode::kGetTupleElement, root->shape().tuple_shape(0),
                  Operands(&root, 1), {{Attr::kIndex, int64_t{0}}});
    root->mutable_annotations().sharding = *shardings[0];
  } else if (any_sharding) {
    Sharding list;
    list.type = Sharding::Type::kTuple;
    for (size_t i = 0; i < results.size(); ++i) {
      const Sharding own = shardings[i].value_or(Sharding());
      const auto leaves = static_cast<size_t>(results[i]->shape().leaf_count());
      if (own.type == Sharding::Type::kTuple && own.tuple.size() == leaves) {
        list.tuple.insert(list.tuple.end(), own.tuple.begin(), own.tuple.end());
      } else {
        list.tuple.insert(list.tuple.end(), leaves, own);
      }
    }
    root->mutable_annotations().sharding = std::move(list);
  }
  return root;
}

absl::Status Lowering::Annotate(const Operation& operation, Instruction* instruction) {
  if (const Attribute* text = operation.Find("mhlo.sharding")) {
    if (std::optional<Sharding> sharding = ReadShardingString(text->text)) {
      const bool fits =
          (sharding->type == Sharding::Type::kTuple) == instruction->shape().is_tuple();
      if (fits) instruction->mutable_annotations().sharding = *std::move(sharding);
    }
  }
  if (const Attribute* shardy = operation.Find("sdy.sharding")) {
    instruction->mutable_annotations().frontend_attributes["xla.sdy.sharding"] = PerValue(*shardy);
  }
  if (const Attribute* rule = operation.Find("sdy.sharding_rule")) {
    instruction->mutable_annotations().frontend_attributes["xla.sdy.sharding_rule"] =
        PrintAttribute(*rule);
  }
  if (const Attribute* attributes = operation.Find("mhlo.frontend_attributes")) {
    AddFrontendAttributes(*attributes, &instruction->mutable_annotations().frontend_attributes);
  }
  if (const Attribute* text = operation.Find("xla_shape")) {
    absl::StatusOr<Shape> shape = ParseShape(text->text);
    if (shape.ok() && Shape::Compatible(*shape, instruction->shape())) {
      instruction->set_shape(*std::move(shape));
    }
  }
  return absl::OkStatus();
}

}  // namespace assay::stablehlo
