#include "backends/pjrt/plugin/executable.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/pjrt/abi/compile_options.pb.h"
#include "backends/pjrt/abi/types.h"
#include "backends/pjrt/plugin/error.h"
#include "backends/pjrt/plugin/trace.h"

namespace assay::pjrt {
namespace {

PJRT_NamedValue Cost(absl::string_view name, double value) {
  PJRT_NamedValue cost = {};
  cost.struct_size = kStructSize<PJRT_NamedValue>;
  Give(name, &cost.name, &cost.name_size);
  cost.type = PJRT_NamedValue_Float;
  cost.value.float_value = static_cast<float>(value);
  cost.value_size = 1;
  return cost;
}

void AddShardings(const std::vector<PlacedLeaf>& leaves, std::vector<std::string>* texts) {
  for (const PlacedLeaf& leaf : leaves) texts->push_back(SerializedSharding(leaf));
}

void PointAt(const std::vector<std::string>& texts, std::vector<const char*>* data,
             std::vector<size_t>* sizes) {
  for (const std::string& text : texts) {
    data->push_back(text.data());
    sizes->push_back(text.size());
  }
}

std::shared_ptr<const ProgramFacts> FactsOf(const Program& program) {
  auto facts = std::make_shared<ProgramFacts>();
  for (const Shape& result : program.results()) {
    facts->result_types.push_back(BufferTypeOf(result.element_type()));
    facts->result_ranks.push_back(result.dimensions().size());
    for (const int64_t size : result.dimensions()) facts->result_dims.push_back(size);
  }
  PointAt(program.result_memories(), &facts->result_memories, &facts->result_memory_sizes);
  PointAt(program.argument_memories(), &facts->argument_memories, &facts->argument_memory_sizes);
  facts->costs = {Cost("flops", program.operations()),
                  Cost("bytes accessed", program.bytes_accessed())};
  if (program.global()) {
    AddShardings(program.global()->arguments(), &facts->argument_shardings);
    AddShardings(program.global()->results(), &facts->result_shardings);
  } else {
    // Replicated: the empty message.
    facts->argument_shardings.assign(program.arguments().size(), "");
    facts->result_shardings.assign(program.results().size(), "");
  }
  PointAt(facts->argument_shardings, &facts->argument_sharding_data,
          &facts->argument_sharding_sizes);
  PointAt(facts->result_shardings, &facts->result_sharding_data, &facts->result_sharding_sizes);
  return facts;
}

absl::StatusOr<ProgramSource> SourceOf(const PJRT_Program* given, const char* options,
                                       size_t options_size) {
  if (given == nullptr) return NoObject("program");
  const PJRT_Program program = Known(given);
  ProgramSource source;
  source.code.assign(program.code == nullptr ? "" : program.code,
                     program.code == nullptr ? 0 : program.code_size);
  source.format.assign(program.format == nullptr ? "" : program.format,
                       program.format == nullptr ? 0 : program.format_size);
  source.options.assign(options == nullptr ? "" : options, options == nullptr ? 0 : options_size);
  return source;
}

absl::StatusOr<PJRT_LoadedExecutable*> Load(PJRT_Client* client, ProgramSource source) {
  absl::StatusOr<std::shared_ptr<Program>> program = Program::Compile(*client, std::move(source));
  if (!program.ok()) return program.status();
  auto loaded = std::make_unique<PJRT_LoadedExecutable>(client, *std::move(program));
  if (absl::Status status = TraceModule(*loaded); !status.ok()) return status;
  return loaded.release();
}

absl::Status NoExecutable() { return NoObject("executable"); }

}  // namespace

PJRT_Executable::PJRT_Executable(std::shared_ptr<Program> of)
    : program(std::move(of)), facts(FactsOf(*program)) {}

PJRT_LoadedExecutable::PJRT_LoadedExecutable(PJRT_Client* on, std::shared_ptr<Program> of)
    : client(on), program(std::move(of)) {
  const ProgramOptions& options = program->options();
  for (const int64_t id : options.device_ids) devices.push_back(client->Find(id));
  if (devices.empty()) devices.push_back(client->devices.front());
  for (int32_t r = 0; r < options.replicas; ++r) {
    for (int32_t p = 0; p < options.partitions; ++p) logical_ids.push_back({r, p});
  }
}

absl::Status ClientCompile(PJRT_Client_Compile_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  absl::StatusOr<ProgramSource> source =
      SourceOf(args.program, args.compile_options, args.compile_options_size);
  if (!source.ok()) return source.status();
  absl::StatusOr<PJRT_LoadedExecutable*> loaded = Load(args.client, *std::move(source));
  if (!loaded.ok()) return loaded.status();
  args.executable = *loaded;
  return absl::OkStatus();
}

absl::Status CompileAhead(PJRT_Compile_Args& args) {
  const PJRT_Client* client = args.client;
  if (client == nullptr && args.topology != nullptr) client = args.topology->client;
  if (client == nullptr) return NoObject("client");
  absl::StatusOr<ProgramSource> source =
      SourceOf(args.program, args.compile_options, args.compile_options_size);
  if (!source.ok()) return source.status();
  absl::StatusOr<std::shared_ptr<Program>> program = Program::Compile(*client, *std::move(source));
  if (!program.ok()) return program.status();
  args.executable = new PJRT_Executable(*std::move(program));
  return absl::OkStatus();
}

absl::Status ClientLoad(PJRT_Client_Load_Args& args) {
  if (args.client == nullptr || args.executable == nullptr) return NoObject("client or executable");
  ProgramSource source = args.executable->program->source();
  if (args.compile_options != nullptr && args.compile_options_size > 0) {
    source.options.assign(args.compile_options, args.compile_options_size);
  }
  absl::StatusOr<PJRT_LoadedExecutable*> loaded = Load(args.client, std::move(source));
  if (!loaded.ok()) return loaded.status();
  args.loaded_executable = *loaded;
  return absl::OkStatus();
}

absl::Status ExecutableDestroy(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status ExecutableName(PJRT_Executable_Name_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  Give(args.executable->program->module().name(), &args.executable_name,
       &args.executable_name_size);
  return absl::OkStatus();
}

absl::Status ExecutableReplicas(PJRT_Executable_NumReplicas_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.num_replicas = static_cast<size_t>(args.executable->program->options().replicas);
  return absl::OkStatus();
}

absl::Status ExecutablePartitions(PJRT_Executable_NumPartitions_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.num_partitions = static_cast<size_t>(args.executable->program->options().partitions);
  return absl::OkStatus();
}

absl::Status ExecutableOutputs(PJRT_Executable_NumOutputs_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.num_outputs = args.executable->program->results().size();
  return absl::OkStatus();
}

absl::Status ExecutableCodeSize(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes = -1;  // not known: nothing is generated
  return absl::OkStatus();
}

absl::Status ExecutableCosts(PJRT_Executable_GetCostAnalysis_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.num_properties = args.executable->facts->costs.size();
  args.properties = args.executable->facts->costs.data();
  return absl::OkStatus();
}

absl::Status ExecutableMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  const Program& program = *args.executable->program;
  const auto bytes = [](const Shape& shape) {
    return shape.is_array() ? shape.ByteSize().value_or(0) : 0;
  };
  args.generated_code_size_in_bytes = 0;
  args.argument_size_in_bytes = args.output_size_in_bytes = args.alias_size_in_bytes = 0;
  for (size_t i = 0; i < program.arguments().size(); ++i) {
    args.argument_size_in_bytes += bytes(program.arguments()[i]);
    if (program.donated()[i]) args.alias_size_in_bytes += bytes(program.arguments()[i]);
  }
  for (const Shape& result : program.results()) args.output_size_in_bytes += bytes(result);
  args.temp_size_in_bytes = 0;
  args.host_generated_code_size_in_bytes = args.host_argument_size_in_bytes = 0;
  args.host_output_size_in_bytes = args.host_alias_size_in_bytes = 0;
  args.host_temp_size_in_bytes = 0;
  args.peak_memory_in_bytes = args.argument_size_in_bytes + args.output_size_in_bytes;
  args.total_size_in_bytes = args.total_allocation_bytes = args.peak_memory_in_bytes;
  args.indefinite_allocations = 0;
  args.peak_unpadded_heap_bytes = 0;
  return absl::OkStatus();
}

absl::Status ExecutableOutputMemories(PJRT_Executable_OutputMemoryKinds_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.num_outputs = args.executable->facts->result_memories.size();
  args.memory_kinds = args.executable->facts->result_memories.data();
  args.memory_kind_sizes = args.executable->facts->result_memory_sizes.data();
  return absl::OkStatus();
}

absl::Status ExecutableParameterMemories(PJRT_Executable_ParameterMemoryKinds_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.num_parameters = args.executable->facts->argument_memories.size();
  args.memory_kinds = args.executable->facts->argument_memories.data();
  args.memory_kind_sizes = args.executable->facts->argument_memory_sizes.data();
  return absl::OkStatus();
}

absl::Status ExecutableOutputTypes(PJRT_Executable_OutputElementTypes_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.output_types = args.executable->facts->result_types.data();
  args.num_output_types = args.executable->facts->result_types.size();
  return absl::OkStatus();
}

absl::Status ExecutableOutputDimensions(PJRT_Executable_OutputDimensions_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.num_outputs = args.executable->facts->result_ranks.size();
  args.dims = args.executable->facts->result_dims.data();
  args.dim_sizes = args.executable->facts->result_ranks.data();
  return absl::OkStatus();
}

absl::Status ExecutableOptimized(PJRT_Executable_OptimizedProgram_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  if (args.program == nullptr) return NoObject("program");
  const absl::StatusOr<std::string> code = args.executable->program->Optimized();
  if (!code.ok()) return code.status();
  static constexpr absl::string_view kFormat = "hlo_with_config";
  Give(kFormat, &args.program->format, &args.program->format_size);
  // Asked twice: for the size, and with room for it.
  if (args.program->code == nullptr) {
    args.program->code_size = code->size();
    return absl::OkStatus();
  }
  if (args.program->code_size < code->size()) {
    return absl::InvalidArgumentError(absl::StrCat("the program has ", code->size(), " bytes"));
  }
  std::memcpy(args.program->code, code->data(), code->size());
  return absl::OkStatus();
}

absl::Status ExecutableFingerprint(PJRT_Executable_Fingerprint_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  Give(args.executable->program->fingerprint(), &args.executable_fingerprint,
       &args.executable_fingerprint_size);
  return absl::OkStatus();
}

absl::Status ExecutableSerialize(PJRT_Executable_Serialize_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  const ProgramSource& source = args.executable->program->source();
  wire::StoredProgram stored;
  stored.set_format(source.format);
  stored.set_code(source.code);
  stored.set_options(source.options);
  stored.set_assay_version(ASSAY_VERSION);
  using Bytes = Owned<PJRT_SerializedExecutable>;
  args.serialized_executable = Bytes::New(stored.SerializeAsString());
  Give(Bytes::Bytes(args.serialized_executable), &args.serialized_bytes,
       &args.serialized_bytes_size);
  args.serialized_executable_deleter = Bytes::Delete;
  return absl::OkStatus();
}

absl::Status ExecutableOptions(PJRT_Executable_GetCompileOptions_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  using Bytes = Owned<PJRT_SerializedCompileOptions>;
  args.serialized_compile_options = Bytes::New(args.executable->program->source().options);
  Give(Bytes::Bytes(args.serialized_compile_options), &args.serialized_bytes,
       &args.serialized_bytes_size);
  args.serialized_compile_options_deleter = Bytes::Delete;
  return absl::OkStatus();
}

absl::Status ExecutableLoadStored(PJRT_Executable_DeserializeAndLoad_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  wire::StoredProgram stored;
  if (!stored.ParseFromString(
          std::string(args.serialized_executable, args.serialized_executable_size)) ||
      stored.assay_version().empty()) {
    return absl::InvalidArgumentError("the bytes are not a stored executable of Assay's plug-in");
  }
  if (stored.assay_version() != ASSAY_VERSION) {
    return absl::FailedPreconditionError(absl::StrCat("the executable was stored by version ",
                                                      stored.assay_version(), " of Assay, not ",
                                                      ASSAY_VERSION));
  }
  ProgramSource source = {stored.code(), stored.format(), stored.options()};
  if (args.overridden_serialized_compile_options != nullptr) {
    source.options.assign(args.overridden_serialized_compile_options,
                          args.overridden_serialized_compile_options_size);
  }
  absl::StatusOr<PJRT_LoadedExecutable*> loaded = Load(args.client, std::move(source));
  if (!loaded.ok()) return loaded.status();
  args.loaded_executable = *loaded;
  return absl::OkStatus();
}

absl::Status LoadedDestroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status LoadedExecutable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  if (args.loaded_executable == nullptr) return NoExecutable();
  args.executable = new PJRT_Executable(args.loaded_executable->program);
  return absl::OkStatus();
}

absl::Status LoadedDevices(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.addressable_devices = args.executable->devices.data();
  args.num_addressable_devices = args.executable->devices.size();
  return absl::OkStatus();
}

absl::Status LoadedLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.addressable_device_logical_ids = args.executable->logical_ids.data();
  args.num_addressable_device_logical_ids = args.executable->logical_ids.size();
  return absl::OkStatus();
}

absl::Status LoadedAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  const ProgramOptions& options = args.executable->program->options();
  wire::DeviceAssignment assignment;
  if (!options.device_ids.empty()) {
    assignment.set_replica_count(static_cast<int32_t>(options.replicas));
    assignment.set_computation_count(static_cast<int32_t>(options.partitions));
    for (int64_t p = 0; p < options.partitions; ++p) {
      auto* own = assignment.add_computation_devices();
      for (int64_t r = 0; r < options.replicas; ++r) {
        own->add_replica_device_ids(
            options.device_ids[static_cast<size_t>(r * options.partitions + p)]);
      }
    }
  }
  using Bytes = Owned<PJRT_DeviceAssignmentSerialized>;
  args.serialized_device_assignment = Bytes::New(assignment.SerializeAsString());
  Give(Bytes::Bytes(args.serialized_device_assignment), &args.serialized_bytes,
       &args.serialized_bytes_size);
  args.serialized_device_assignment_deleter = Bytes::Delete;
  return absl::OkStatus();
}

absl::Status LoadedDelete(PJRT_LoadedExecutable_Delete_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.executable->deleted = true;
  return absl::OkStatus();
}

absl::Status LoadedIsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  args.is_deleted = args.executable->deleted;
  return absl::OkStatus();
}

absl::Status LoadedFingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  if (args.executable == nullptr) return NoExecutable();
  Give(args.executable->program->fingerprint(), &args.executable_fingerprint,
       &args.executable_fingerprint_size);
  return absl::OkStatus();
}

PJRT_Error* ParameterShardings(PJRT_Shardings_Args* args) {
  if (args == nullptr || args->executable == nullptr) return ToError(NoExecutable());
  const ProgramFacts& facts = *args->executable->facts;
  args->num_values = facts.argument_shardings.size();
  args->shardings = facts.argument_sharding_data.data();
  args->sharding_sizes = facts.argument_sharding_sizes.data();
  return nullptr;
}

PJRT_Error* OutputShardings(PJRT_Shardings_Args* args) {
  if (args == nullptr || args->executable == nullptr) return ToError(NoExecutable());
  const ProgramFacts& facts = *args->executable->facts;
  args->num_values = facts.result_shardings.size();
  args->shardings = facts.result_sharding_data.data();
  args->sharding_sizes = facts.result_sharding_sizes.data();
  return nullptr;
}

}  // namespace assay::pjrt
