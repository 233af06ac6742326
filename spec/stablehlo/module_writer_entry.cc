// What an entry says beside its operations: aliases of buffers, donors, layouts and replication as
// attributes; metadata and names of parameters as locations. The counterpart of annotations.cc and
// locations.cc, which read it. Test: from_module_test.cc.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/proto/pieces.h"
#include "spec/stablehlo/host_memory.h"
#include "spec/stablehlo/module_writer.h"
#include "spec/text/printer.h"

namespace assay::stablehlo {
namespace {

// Whether an argument's attribute tf.aliasing_output says it: a whole argument in a result.
bool IsPlainAlias(const InputOutputAlias& alias) {
  return alias.kind == AliasKind::kMay && alias.parameter_index.empty() &&
         alias.output_index.size() <= 1;
}

bool HasLayout(const Shape& shape) {
  if (shape.is_tuple()) {
    return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), HasLayout);
  }
  return shape.is_array() && shape.has_layout() &&
         shape.layout()->minor_to_major != Layout::Default(shape.rank()).minor_to_major;
}

bool IsInHostMemory(const Shape& shape) {
  return shape.is_array() && shape.has_layout() && shape.layout()->memory_space == kHostMemory;
}

// The sharding of each result where no operation says it: the root is a tuple or a part of one,
// which leave no operation. Empty where nothing is said.
std::vector<Sharding> ResultShardings(const Instruction& root, size_t count) {
  const bool leaves_no_operation =
      root.opcode() == Opcode::kTuple || root.opcode() == Opcode::kGetTupleElement;
  if (!leaves_no_operation || !root.has_annotations() || !root.annotations().sharding) return {};
  const Sharding& whole = *root.annotations().sharding;
  if (whole.named != nullptr || whole.type != Sharding::Type::kTuple) {
    return std::vector<Sharding>(count, whole);
  }
  if (count == 1) return {whole};
  std::vector<Sharding> made;
  size_t next = 0;
  for (const Shape& part : root.shape().tuple_shapes()) {
    const auto leaves = static_cast<size_t>(part.leaf_count());
    if (next + leaves > whole.tuple.size()) return {};
    Sharding& own = made.emplace_back();
    own.type = Sharding::Type::kTuple;
    own.tuple.assign(whole.tuple.begin() + static_cast<std::ptrdiff_t>(next),
                     whole.tuple.begin() + static_cast<std::ptrdiff_t>(next + leaves));
    if (!part.is_tuple()) own = Sharding(own.tuple[0]);
    next += leaves;
  }
  return made;
}

}  // namespace

std::vector<ModuleWriter::Fields> ModuleWriter::ResultFields(size_t count) {
  std::vector<Fields> fields(count);
  const Instruction* const root = module_.entry()->root();
  const bool is_tuple = root->shape().is_tuple() && count != 1;
  const std::vector<Sharding> shardings = ResultShardings(*root, count);
  for (size_t i = 0; i < count; ++i) {
    if (i < result_names_.size() && !result_names_[i].empty()) {
      fields[i].push_back({"jax.result_info", String(result_names_[i])});
    }
    if (module_.entry_layout) {
      const Shape& layout = module_.entry_layout->result;
      if (IsInHostMemory(is_tuple ? layout.tuple_shape(static_cast<int64_t>(i)) : layout)) {
        fields[i].push_back({"mhlo.memory_kind", String("pinned_host")});
      }
    }
    if (i < shardings.size()) {
      fields[i].push_back({"mhlo.sharding", String(PrintSharding(shardings[i], false))});
    }
    const bool has_operand = is_tuple && root->opcode() == Opcode::kTuple;
    const Instruction* const result = has_operand ? root->operand(static_cast<int64_t>(i)) : root;
    const auto shardy = result_shardings_.find(result);
    if (shardy != result_shardings_.end()) fields[i].push_back({"sdy.sharding", shardy->second});
  }
  return fields;
}

void ModuleWriter::AddBufferAttributes(const Instruction& parameter, Fields* fields) {
  const int64_t number = parameter.parameter_number();
  for (const InputOutputAlias& alias : module_.input_output_alias) {
    if (alias.parameter_number != number || !IsPlainAlias(alias)) continue;
    const int64_t output = alias.output_index.empty() ? 0 : alias.output_index[0];
    fields->push_back({"tf.aliasing_output", Int(output, ElementType::kS32)});
    break;
  }
  for (const BufferDonor& donor : module_.buffer_donors) {
    if (donor.parameter_number != number || !donor.parameter_index.empty()) continue;
    fields->push_back({"jax.buffer_donor", Bool(true)});
    break;
  }
  if (module_.entry_layout && IsInHostMemory(module_.entry_layout->parameters[number])) {
    fields->push_back({"mhlo.memory_kind", String("pinned_host")});
  }
  if (!parameter.has_annotations()) return;
  const auto& replication = parameter.annotations().parameter_replication;
  if (!replication || replication->empty()) return;
  std::vector<const Attribute*> flags;
  for (const bool flag : *replication) flags.push_back(Bool(flag));
  fields->push_back({"mhlo.parameter_replication", Array(std::move(flags))});
}

void ModuleWriter::AddAliases(Fields* fields) {
  std::vector<const Attribute*> aliases;
  for (const InputOutputAlias& alias : module_.input_output_alias) {
    if (IsPlainAlias(alias)) continue;
    const Attribute* of_parameter =
        Dictionary({{"kind", String(alias.kind == AliasKind::kMust ? "must_alias" : "may_alias")},
                    {"parameter_index", Ints(alias.parameter_index)},
                    {"parameter_number", Int(alias.parameter_number)}});
    aliases.push_back(
        Dictionary({{"alias", of_parameter}, {"output_index", Ints(alias.output_index)}}));
  }
  if (!aliases.empty()) fields->push_back({"mhlo.input_output_alias", Array(std::move(aliases))});
}

void ModuleWriter::AddPartitioning(Fields* fields) {
  wire::HloModuleProto extras;
  if (module_.wire_extras.empty() || !extras.ParseFromString(module_.wire_extras)) return;
  const auto text_of = [this](const wire::OpSharding& proto) -> const Attribute* {
    wire::OpSharding copy = proto;
    const absl::StatusOr<Sharding> sharding = ShardingFromProto(&copy);
    return sharding.ok() ? String(PrintSharding(*sharding, false)) : nullptr;
  };
  if (extras.is_dynamic()) fields->push_back({"mhlo.is_dynamic", Bool(true)});
  if (extras.use_auto_spmd_partitioning()) {
    fields->push_back({"mhlo.use_auto_spmd_partitioning", Bool(true)});
  }
  if (extras.has_spmd_output_sharding()) {
    if (const Attribute* output = text_of(extras.spmd_output_sharding())) {
      fields->push_back({"mhlo.spmd_output_sharding", output});
    }
  }
  std::vector<const Attribute*> parameters;
  for (const wire::OpSharding& sharding : extras.spmd_parameters_shardings()) {
    parameters.push_back(text_of(sharding));
    if (parameters.back() == nullptr) return;
  }
  if (parameters.empty()) return;
  fields->push_back({"mhlo.spmd_parameters_shardings", Array(std::move(parameters))});
}

const Attribute* ModuleWriter::LayoutOf(const Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<const Attribute*> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(LayoutOf(element));
    return Array(std::move(elements));
  }
  if (!shape.is_array() || !shape.has_layout()) return IndexTensor({});
  return IndexTensor(shape.layout()->minor_to_major);
}

void ModuleWriter::AddLayouts(Fields* fields) {
  if (!module_.entry_layout) return;
  const ProgramShape& layout = *module_.entry_layout;
  if (std::any_of(layout.parameters.begin(), layout.parameters.end(), HasLayout)) {
    std::vector<const Attribute*> parameters;
    for (const Shape& shape : layout.parameters) parameters.push_back(LayoutOf(shape));
    fields->push_back(
        {"mhlo.xla_entry_computation_parameter_layouts", Array(std::move(parameters))});
  }
  if (HasLayout(layout.result)) {
    fields->push_back({"mhlo.xla_entry_computation_result_layout", LayoutOf(layout.result)});
  }
}

const Location* ModuleWriter::FileLocation(absl::string_view name,
                                           const StackFrames::FileLocation& place) {
  Location* file = program_.NewLocation(Location::Kind::kFile);
  file->text = program_.Intern(name);
  file->line = place.line;
  file->column = place.column;
  file->end_line = place.end_line;
  file->end_column = place.end_column;
  return file;
}

const Location* ModuleWriter::NamedLocation(absl::string_view name, const Location* child) {
  Location* named = program_.NewLocation(Location::Kind::kName);
  named->text = program_.Intern(name);
  if (child != nullptr) named->children = {child};
  return named;
}

const Location* ModuleWriter::LocationOfFrame(int32_t frame) {
  const StackFrames& stacks = module_.stack_frames;
  const auto has = [](const auto& list, int32_t number) {
    return number > 0 && number <= static_cast<int64_t>(list.size());
  };
  // From the frame outwards, up to callers that have been written already.
  std::vector<int32_t> frames;
  while (has(stacks.frames, frame) && !frame_locations_.contains(frame) &&
         frames.size() < stacks.frames.size()) {
    frames.push_back(frame);
    frame = stacks.frames[frame - 1].parent_frame_id;
  }
  const auto known = frame_locations_.find(frame);
  const Location* caller = known == frame_locations_.end() ? nullptr : known->second;
  for (auto it = frames.rbegin(); it != frames.rend(); ++it) {
    const int32_t place_id = stacks.frames[*it - 1].file_location_id;
    if (!has(stacks.file_locations, place_id)) return nullptr;
    const StackFrames::FileLocation& place = stacks.file_locations[place_id - 1];
    if (!has(stacks.file_names, place.file_name_id)) return nullptr;
    const Location* own = FileLocation(stacks.file_names[place.file_name_id - 1], place);
    if (has(stacks.function_names, place.function_name_id) &&
        !stacks.function_names[place.function_name_id - 1].empty()) {
      own = NamedLocation(stacks.function_names[place.function_name_id - 1], own);
    }
    if (caller != nullptr) {
      Location* site = program_.NewLocation(Location::Kind::kCallSite);
      site->children = {own, caller};
      own = site;
    }
    caller = frame_locations_[*it] = own;
  }
  return caller;
}

const Location* ModuleWriter::LocationOf(const Instruction& instruction) {
  if (!instruction.has_annotations() || !instruction.annotations().metadata) return nullptr;
  const Metadata& metadata = *instruction.annotations().metadata;
  const Location* file = nullptr;
  // A name without an operation's around it would be read as the operation's.
  if (!metadata.op_name.empty()) file = LocationOfFrame(metadata.stack_frame_id);
  if (file == nullptr && !metadata.source_file.empty()) {
    file = FileLocation(metadata.source_file, {.line = metadata.source_line,
                                               .column = metadata.source_column,
                                               .end_line = metadata.source_end_line,
                                               .end_column = metadata.source_end_column});
  }
  return metadata.op_name.empty() ? file : NamedLocation(metadata.op_name, file);
}

const Location* ModuleWriter::NameOfParameter(const Instruction& parameter) {
  if (parameter.name().empty() || absl::StartsWith(parameter.name(), "Arg_")) return nullptr;
  return NamedLocation(parameter.name(), nullptr);
}

}  // namespace assay::stablehlo
