// The header of a module to and from HloModuleProto: aliases, layouts of the entry, counts, tables.
// What the header of a text has and the fields of XLA lack goes into TextOnlyModule. Source:
// reference hlo_text_format.md 2. Test: conversions_test.cc.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/proto/conversions.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

using google::protobuf::RepeatedField;

// What is meant where the header says nothing.
const std::vector<bool> kNoPropagation = {false};

std::vector<bool> PropagationFromProto(const RepeatedField<bool>& field) {
  if (field.empty()) return kNoPropagation;
  return std::vector<bool>(field.begin(), field.end());
}

struct Counts {
  int64_t replicas = 1;
  int64_t partitions = 1;
};

// The counts that a reader concludes without TextOnlyModule.
Counts AssignedCounts(const wire::HloModuleProto& proto) {
  Counts counts;
  if (proto.device_assignment().replica_count() > 0) {
    counts.replicas = proto.device_assignment().replica_count();
  }
  if (proto.device_assignment().computation_count() > 0) {
    counts.partitions = proto.device_assignment().computation_count();
  }
  return counts;
}

// Counts of 0 and below are read, as in text: XLA's readers take them. The strict rules refuse them
// (counts_c1), and so does a run (CheckGrid).
void ReadCounts(const wire::HloModuleProto& proto, Module* module) {
  const Counts assigned = AssignedCounts(proto);
  const wire::TextOnlyModule& text = proto.text_only();
  module->replica_count = text.has_replica_count() ? text.replica_count() : assigned.replicas;
  module->num_partitions = text.has_num_partitions() ? text.num_partitions() : assigned.partitions;
}

void WriteCounts(const Module& module, wire::HloModuleProto* proto) {
  const Counts assigned = AssignedCounts(*proto);
  if (module.replica_count != assigned.replicas) {
    proto->mutable_text_only()->set_replica_count(module.replica_count);
  }
  if (module.num_partitions != assigned.partitions) {
    proto->mutable_text_only()->set_num_partitions(module.num_partitions);
  }
}

absl::StatusOr<ProgramShape> ProgramShapeFromProto(const wire::ProgramShapeProto& proto) {
  ProgramShape program;
  for (const wire::ShapeProto& parameter : proto.parameters()) {
    absl::StatusOr<Shape> shape = ShapeFromProto(parameter);
    if (!shape.ok()) return shape.status();
    program.parameters.push_back(*std::move(shape));
  }
  absl::StatusOr<Shape> result = ShapeFromProto(proto.result());
  if (!result.ok()) return result.status();
  program.result = *std::move(result);
  program.parameter_names.assign(proto.parameter_names().begin(), proto.parameter_names().end());
  return program;
}

absl::Status ReadEntryLayout(wire::HloModuleProto* proto, Module* module) {
  if (!proto->has_host_program_shape()) return absl::OkStatus();
  absl::StatusOr<ProgramShape> layout = ProgramShapeFromProto(proto->host_program_shape());
  if (!layout.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("host_program_shape: ", layout.status().message()));
  }
  const ProgramShape entry = module->entry()->program_shape();
  bool same = layout->parameters.size() == entry.parameters.size() &&
              Shape::Compatible(layout->result, entry.result);
  for (size_t i = 0; same && i < entry.parameters.size(); ++i) {
    same = Shape::Compatible(layout->parameters[i], entry.parameters[i]);
  }
  if (!same) {
    return absl::InvalidArgumentError(
        absl::StrCat("host_program_shape has other shapes than the entry computation %",
                     module->entry()->name()));
  }
  proto->clear_host_program_shape();
  if (!proto->text_only().no_entry_layout()) module->entry_layout = *std::move(layout);
  return absl::OkStatus();
}

void WriteEntryLayout(const Module& module, wire::HloModuleProto* proto) {
  ProgramShape layout = module.entry()->program_shape();
  if (module.entry_layout) {
    layout.parameters = module.entry_layout->parameters;
    layout.result = module.entry_layout->result;
    if (module.entry_layout->parameter_names.size() == layout.parameters.size()) {
      layout.parameter_names = module.entry_layout->parameter_names;
    }
  } else {
    proto->mutable_text_only()->set_no_entry_layout(true);
  }
  *proto->mutable_host_program_shape() = ProgramShapeToProto(layout);
}

void ReadAliases(wire::HloModuleProto* proto, Module* module) {
  for (auto& entry : *proto->mutable_input_output_alias()->mutable_entries()) {
    module->input_output_alias.push_back(
        {TakeIndex(entry.mutable_output_shape_index()), entry.parameter_number(),
         TakeIndex(entry.mutable_parameter_shape_index()), static_cast<AliasKind>(entry.kind())});
  }
  proto->mutable_input_output_alias()->clear_entries();
  for (auto& entry : *proto->mutable_buffer_donor()->mutable_entries()) {
    module->buffer_donors.push_back(
        {entry.parameter_number(), TakeIndex(entry.mutable_parameter_shape_index())});
  }
  proto->mutable_buffer_donor()->clear_entries();
}

absl::Status CheckAliases(const Module& module) {
  for (const InputOutputAlias& alias : module.input_output_alias) {
    if (!wire::Kind_IsValid(static_cast<int>(alias.kind))) {
      return absl::InvalidArgumentError(
          absl::StrCat("unknown alias kind ", static_cast<int64_t>(alias.kind)));
    }
    if (alias.parameter_number < 0 ||
        SubShape(module.entry()->root()->shape(), alias.output_index) == nullptr) {
      return absl::InvalidArgumentError("input_output_alias names an output that does not exist");
    }
  }
  for (const BufferDonor& donor : module.buffer_donors) {
    if (donor.parameter_number < 0) {
      return absl::InvalidArgumentError("buffer_donor names a negative parameter");
    }
  }
  return absl::OkStatus();
}

void WriteAliases(const Module& module, wire::HloModuleProto* proto) {
  for (const InputOutputAlias& alias : module.input_output_alias) {
    auto* entry = proto->mutable_input_output_alias()->add_entries();
    PutInts(alias.output_index, entry->mutable_output_shape_index());
    entry->set_parameter_number(alias.parameter_number);
    PutInts(alias.parameter_index, entry->mutable_parameter_shape_index());
    entry->set_kind(static_cast<wire::Kind>(alias.kind));
  }
  for (const BufferDonor& donor : module.buffer_donors) {
    auto* entry = proto->mutable_buffer_donor()->add_entries();
    entry->set_parameter_number(donor.parameter_number);
    PutInts(donor.parameter_index, entry->mutable_parameter_shape_index());
  }
}

void ReadStackFrames(wire::HloModuleProto* proto, Module* module) {
  wire::StackFrameIndexProto* index = proto->mutable_stack_frame_index();
  StackFrames& frames = module->stack_frames;
  frames.file_names.assign(index->file_names().begin(), index->file_names().end());
  frames.function_names.assign(index->function_names().begin(), index->function_names().end());
  for (const auto& at : index->file_locations()) {
    frames.file_locations.push_back({at.file_name_id(), at.function_name_id(), at.line(),
                                     at.column(), at.end_line(), at.end_column()});
  }
  for (const auto& frame : index->stack_frames()) {
    frames.frames.push_back({frame.file_location_id(), frame.parent_frame_id()});
  }
  index->clear_file_names();
  index->clear_function_names();
  index->clear_file_locations();
  index->clear_stack_frames();
}

void WriteStackFrames(const StackFrames& frames, wire::HloModuleProto* proto) {
  if (frames.empty()) return;
  wire::StackFrameIndexProto* index = proto->mutable_stack_frame_index();
  for (const std::string& name : frames.file_names) index->add_file_names(name);
  for (const std::string& name : frames.function_names) index->add_function_names(name);
  for (const StackFrames::FileLocation& at : frames.file_locations) {
    auto* out = index->add_file_locations();
    out->set_file_name_id(at.file_name_id);
    out->set_function_name_id(at.function_name_id);
    out->set_line(at.line);
    out->set_column(at.column);
    out->set_end_line(at.end_line);
    out->set_end_column(at.end_column);
  }
  for (const StackFrames::Frame& frame : frames.frames) {
    auto* out = index->add_stack_frames();
    out->set_file_location_id(frame.file_location_id);
    out->set_parent_frame_id(frame.parent_frame_id);
  }
}

absl::Status ReadRecoveryTable(wire::HloModuleProto* proto, Module* module) {
  for (auto& entry : *proto->mutable_original_value_recovery_table()->mutable_entries()) {
    OriginRecovery recovery;
    if (entry.has_old_original_array()) {
      recovery.from = OriginArrayFromProto(entry.old_original_array());
    }
    if (entry.has_new_original_array()) {
      recovery.to = OriginArrayFromProto(entry.new_original_array());
    }
    if (entry.has_recovery_module()) {
      absl::StatusOr<std::unique_ptr<Module>> nested =
          ModuleFromProto(std::move(*entry.mutable_recovery_module()));
      if (!nested.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat("a recovery module: ", nested.status().message()));
      }
      recovery.recovery = *std::move(nested);
    }
    module->origin_recovery.push_back(std::move(recovery));
  }
  proto->mutable_original_value_recovery_table()->clear_entries();
  return absl::OkStatus();
}

absl::Status WriteRecoveryTable(const Module& module, wire::HloModuleProto* proto) {
  for (const OriginRecovery& recovery : module.origin_recovery) {
    auto* entry = proto->mutable_original_value_recovery_table()->add_entries();
    if (recovery.from) *entry->mutable_old_original_array() = OriginArrayToProto(*recovery.from);
    if (recovery.to) *entry->mutable_new_original_array() = OriginArrayToProto(*recovery.to);
    if (recovery.recovery == nullptr) continue;
    absl::StatusOr<wire::HloModuleProto> nested = ModuleToProto(*recovery.recovery);
    if (!nested.ok()) return nested.status();
    *entry->mutable_recovery_module() = *std::move(nested);
  }
  return absl::OkStatus();
}

void ReadDebugTable(wire::HloModuleProto* proto, Module* module) {
  for (wire::DebugAttributeTableEntryProto& entry : *proto->mutable_debug_attributes()) {
    DebugEntry debug;
    if (entry.has_original_array()) debug.array = OriginArrayFromProto(entry.original_array());
    for (wire::DebugAttributesProto& attributes : *entry.mutable_debug_attributes()) {
      DebugAttributes read;
      // Modes that text has no word for stay in the extras.
      if (attributes.log_mode() >= 0 &&
          attributes.log_mode() <= wire::DebugAttributesProto::FUSION_DEBUGGER) {
        read.log_mode = static_cast<DebugAttributes::LogMode>(attributes.log_mode());
        attributes.clear_log_mode();
      }
      read.callback_id = attributes.callback_id();
      read.op_id = attributes.op_id();
      read.partitioned = attributes.partitioned();
      attributes.clear_callback_id();
      attributes.clear_op_id();
      attributes.clear_partitioned();
      read.wire_extras = TakeRest(&attributes);
      debug.attributes.push_back(std::move(read));
    }
    module->debug_attributes.push_back(std::move(debug));
  }
  proto->clear_debug_attributes();
}

void WriteDebugTable(const Module& module, wire::HloModuleProto* proto) {
  for (const DebugEntry& debug : module.debug_attributes) {
    wire::DebugAttributeTableEntryProto* entry = proto->add_debug_attributes();
    if (debug.array) *entry->mutable_original_array() = OriginArrayToProto(*debug.array);
    for (const DebugAttributes& attributes : debug.attributes) {
      wire::DebugAttributesProto* out = entry->add_debug_attributes();
      PutRest(attributes.wire_extras, out);
      if (attributes.log_mode != DebugAttributes::LogMode::kNone) {
        out->set_log_mode(
            static_cast<wire::DebugAttributesProto::DebugLogModeProto>(attributes.log_mode));
      }
      out->set_callback_id(attributes.callback_id);
      out->set_op_id(attributes.op_id);
      out->set_partitioned(attributes.partitioned);
    }
  }
}

}  // namespace

wire::ProgramShapeProto ProgramShapeToProto(const ProgramShape& program) {
  wire::ProgramShapeProto proto;
  for (const Shape& parameter : program.parameters) {
    *proto.add_parameters() = ShapeToProto(parameter);
  }
  *proto.mutable_result() = ShapeToProto(program.result);
  for (const std::string& name : program.parameter_names) proto.add_parameter_names(name);
  return proto;
}

absl::Status ReadHeader(wire::HloModuleProto* proto, Module* module) {
  module->id = proto->id();
  proto->clear_id();
  ReadAliases(proto, module);
  if (absl::Status status = CheckAliases(*module); !status.ok()) return status;
  ReadCounts(*proto, module);
  if (absl::Status status = ReadEntryLayout(proto, module); !status.ok()) return status;
  if (absl::Status status = ReadRecoveryTable(proto, module); !status.ok()) return status;
  ReadStackFrames(proto, module);
  ReadDebugTable(proto, module);
  if (absl::Status status = ReadFrontendAttributes(proto->mutable_frontend_attributes(),
                                                   &module->frontend_attributes);
      !status.ok()) {
    return status;
  }
  const wire::TextOnlyModule& text = proto->text_only();
  module->alias_passthrough_params = text.alias_passthrough_params();
  module->spmd_propagation_to_parameters =
      PropagationFromProto(text.spmd_propagation_to_parameters());
  module->spmd_propagation_to_output = PropagationFromProto(text.spmd_propagation_to_output());
  proto->clear_text_only();
  return absl::OkStatus();
}

absl::Status WriteHeader(const Module& module, wire::HloModuleProto* proto) {
  proto->set_id(module.id);
  WriteAliases(module, proto);
  WriteCounts(module, proto);
  WriteEntryLayout(module, proto);
  WriteStackFrames(module.stack_frames, proto);
  WriteDebugTable(module, proto);
  if (!module.frontend_attributes.empty()) {
    *proto->mutable_frontend_attributes() = FrontendAttributesToProto(module.frontend_attributes);
  }
  if (module.alias_passthrough_params) {
    proto->mutable_text_only()->set_alias_passthrough_params(true);
  }
  if (module.spmd_propagation_to_parameters != kNoPropagation) {
    PutInts(module.spmd_propagation_to_parameters,
            proto->mutable_text_only()->mutable_spmd_propagation_to_parameters());
  }
  if (module.spmd_propagation_to_output != kNoPropagation) {
    PutInts(module.spmd_propagation_to_output,
            proto->mutable_text_only()->mutable_spmd_propagation_to_output());
  }
  return WriteRecoveryTable(module, proto);
}

}  // namespace assay
