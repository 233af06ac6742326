// The header of a module as text. Tests: printer_header_test.cc.
#include "spec/text/printer_header.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/text/printer_values.h"

namespace assay::printing {
namespace {

// The lines of a recovery module stand this far to the right.
constexpr absl::string_view kRecoveryIndent = "    ";

absl::string_view AliasWord(AliasKind kind) {
  return kind == AliasKind::kMust ? "must-alias" : "may-alias";
}

void AppendInputOutputAlias(const Module& module, std::string* out) {
  if (module.input_output_alias.empty()) return;
  std::vector<InputOutputAlias> aliases = module.input_output_alias;
  std::stable_sort(aliases.begin(), aliases.end(),
                   [](const auto& a, const auto& b) { return a.output_index < b.output_index; });
  out->append(", input_output_alias={ ");
  AppendJoined(aliases, ", ", out, [out](const InputOutputAlias& alias) {
    AppendIntList(alias.output_index, out);
    absl::StrAppend(out, ": (", alias.parameter_number, ", ");
    AppendIntList(alias.parameter_index, out);
    absl::StrAppend(out, ", ", AliasWord(alias.kind), ")");
  });
  out->append(" }");
}

void AppendBufferDonors(const Module& module, std::string* out) {
  if (module.buffer_donors.empty()) return;
  std::vector<BufferDonor> donors = module.buffer_donors;
  std::sort(donors.begin(), donors.end(), [](const BufferDonor& a, const BufferDonor& b) {
    return std::tie(a.parameter_number, a.parameter_index) <
           std::tie(b.parameter_number, b.parameter_index);
  });
  donors.erase(std::unique(donors.begin(), donors.end()), donors.end());
  out->append(", buffer_donor={ ");
  AppendJoined(donors, ", ", out, [out](const BufferDonor& donor) {
    absl::StrAppend(out, "(", donor.parameter_number, ", ");
    AppendIntList(donor.parameter_index, out);
    out->push_back(')');
  });
  out->append(" }");
}

void AppendEntryLayout(const Module& module, std::string* out) {
  const Computation* entry = module.entry();
  if (!module.entry_layout && entry == nullptr) return;
  const ProgramShape shape = module.entry_layout ? *module.entry_layout : entry->program_shape();
  out->append(", entry_computation_layout={(");
  for (size_t i = 0; i < shape.parameters.size(); ++i) {
    AppendIndexedSeparator(static_cast<int64_t>(i), 5, out);
    shape.parameters[i].AppendTo(out, /*with_layout=*/true);
  }
  out->append(")->");
  shape.result.AppendTo(out, /*with_layout=*/true);
  out->push_back('}');
}

void AppendPropagation(absl::string_view name, const std::vector<bool>& flags, std::string* out) {
  if (flags.empty() || flags == std::vector<bool>{false}) return;
  absl::StrAppend(out, ", ", name, "={");
  AppendJoined(flags, ",", out, [out](bool flag) { AppendBool(flag, out); });
  out->push_back('}');
}

// A module inside a string: only what would end the string is escaped.
void AppendRecoveryModule(const Module& module, const PrintOptions& options, std::string* out) {
  out->append(",\n  \"\n");
  // In the default form whatever the form of the module around it.
  PrintOptions own = options.exact ? options : PrintOptions::Default();
  own.large_constants = options.large_constants;
  const std::string text = PrintModule(module, own);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!line.empty()) out->append(kRecoveryIndent.data(), kRecoveryIndent.size());
    for (char c : line) {
      if (c == '\\' || c == '"') out->push_back('\\');
      out->push_back(c);
    }
    out->push_back('\n');
  }
  out->append("  \"");
}

bool ArrayLess(const std::optional<OriginArray>& a, const std::optional<OriginArray>& b) {
  if (!a || !b) return b.has_value() && !a.has_value();
  return std::tie(a->instruction_name, a->shape_index) <
         std::tie(b->instruction_name, b->shape_index);
}

void AppendRecoveryTable(const Module& module, const PrintOptions& options, std::string* out) {
  std::vector<const OriginRecovery*> entries;
  for (const OriginRecovery& entry : module.origin_recovery) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto* a, const auto* b) { return ArrayLess(a->from, b->from); });
  out->append(", origin_recovery_table={\n");
  for (const OriginRecovery* entry : entries) {
    out->append("  ");
    AppendOriginArray(entry->from, out);
    out->append(" : ");
    AppendOriginArray(entry->to, out);
    if (entry->recovery != nullptr) AppendRecoveryModule(*entry->recovery, options, out);
    out->push_back('\n');
  }
  out->append("}");
}

void AppendDebugFields(const DebugAttributes& attributes, std::string* out) {
  out->push_back('{');
  bool any = false;
  const auto field = [&](bool present, auto... pieces) {
    if (!present) return;
    absl::StrAppend(out, any ? "," : "", pieces...);
    any = true;
  };
  using LogMode = DebugAttributes::LogMode;
  field(attributes.log_mode != LogMode::kNone,
        "log_mode=", attributes.log_mode == LogMode::kDefault ? "default" : "fusion_debugger");
  field(attributes.callback_id != 0, "callback_id=", attributes.callback_id);
  field(attributes.partitioned, "partitioned=true");
  field(attributes.op_id != 0, "op_id=", attributes.op_id);
  out->push_back('}');
}

void AppendDebugTable(const Module& module, std::string* out) {
  out->append(",\ndebug_attributes={\n");
  AppendJoined(module.debug_attributes, ",\n", out, [out](const DebugEntry& entry) {
    out->append("  ");
    AppendOriginArray(entry.array, out);
    out->append(":(");
    AppendJoined(entry.attributes, ",", out,
                 [out](const DebugAttributes& fields) { AppendDebugFields(fields, out); });
    out->push_back(')');
  });
  out->append("\n}");
}

void AppendNames(absl::string_view title, const std::vector<std::string>& names, std::string* out) {
  absl::StrAppend(out, "\n", title, "\n");
  for (size_t i = 0; i < names.size(); ++i) {
    absl::StrAppend(out, i + 1, " ");
    AppendQuoted(names[i], out);
    out->push_back('\n');
  }
}

void AppendStackFrames(const StackFrames& frames, std::string* out) {
  out->push_back('\n');
  AppendNames("FileNames", frames.file_names, out);
  AppendNames("FunctionNames", frames.function_names, out);
  out->append("\nFileLocations\n");
  for (size_t i = 0; i < frames.file_locations.size(); ++i) {
    const StackFrames::FileLocation& at = frames.file_locations[i];
    absl::StrAppend(out, i + 1, " {file_name_id=", at.file_name_id,
                    " function_name_id=", at.function_name_id);
    absl::StrAppend(out, " line=", at.line, " end_line=", at.end_line, " column=", at.column,
                    " end_column=", at.end_column, "}\n");
  }
  out->append("\nStackFrames\n");
  for (size_t i = 0; i < frames.frames.size(); ++i) {
    // The text writes the parent off by one: 1 is none.
    absl::StrAppend(out, i + 1, " {file_location_id=", frames.frames[i].file_location_id,
                    " parent_frame_id=", int64_t{frames.frames[i].parent_frame_id} + 1, "}\n");
  }
}

}  // namespace

void AppendHeader(const Module& module, const PrintOptions& options, std::string* out) {
  out->append("HloModule ");
  if (options.ids) absl::StrAppend(out, IsReserved(module.name()) ? "%" : "", module.name());
  if (module.is_scheduled) out->append(", is_scheduled=true");
  AppendInputOutputAlias(module, out);
  AppendBufferDonors(module, out);
  if (module.alias_passthrough_params) out->append(", alias_passthrough_params=true");
  AppendEntryLayout(module, out);
  AppendPropagation("allow_spmd_sharding_propagation_to_parameters",
                    module.spmd_propagation_to_parameters, out);
  AppendPropagation("allow_spmd_sharding_propagation_to_output", module.spmd_propagation_to_output,
                    out);
  if (module.replica_count != 1) absl::StrAppend(out, ", replica_count=", module.replica_count);
  if (module.num_partitions != 1) absl::StrAppend(out, ", num_partitions=", module.num_partitions);
  if (options.frontend_attributes && !module.frontend_attributes.empty()) {
    out->append(", frontend_attributes=");
    AppendFrontendAttributes(module.frontend_attributes, out);
  }
  if (!module.origin_recovery.empty()) AppendRecoveryTable(module, options, out);
  if (!module.debug_attributes.empty()) AppendDebugTable(module, out);
  // The tables end their last line themselves.
  if (!module.origin_recovery.empty() || !module.debug_attributes.empty()) out->push_back('\n');
  if (options.metadata && !module.stack_frames.empty()) {
    AppendStackFrames(module.stack_frames, out);
  }
  out->append("\n\n");
}

}  // namespace assay::printing
