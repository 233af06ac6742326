// What an entry says beside its operations: aliases of buffers, donors, layouts and replication as
// attributes; metadata and names of parameters as locations. The counterpart of annotations.cc and
// locations.cc, which read it. Test: from_module_test.cc.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/module_writer.h"

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

}  // namespace

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

const Location* ModuleWriter::LocationOf(const Instruction& instruction) {
  if (!instruction.has_annotations() || !instruction.annotations().metadata) return nullptr;
  const Metadata& metadata = *instruction.annotations().metadata;
  const Location* file = nullptr;
  if (!metadata.source_file.empty()) {
    Location* made = program_.NewLocation(Location::Kind::kFile);
    made->text = program_.Intern(metadata.source_file);
    made->line = metadata.source_line;
    made->column = metadata.source_column;
    made->end_line = metadata.source_end_line;
    made->end_column = metadata.source_end_column;
    file = made;
  }
  if (metadata.op_name.empty()) return file;
  Location* named = program_.NewLocation(Location::Kind::kName);
  named->text = program_.Intern(metadata.op_name);
  if (file != nullptr) named->children = {file};
  return named;
}

const Location* ModuleWriter::NameOfParameter(const Instruction& parameter) {
  if (parameter.name().empty() || absl::StartsWith(parameter.name(), "Arg_")) return nullptr;
  Location* named = program_.NewLocation(Location::Kind::kName);
  named->text = program_.Intern(parameter.name());
  return named;
}

}  // namespace assay::stablehlo
