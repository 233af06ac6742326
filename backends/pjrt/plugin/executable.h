// Executables of the plug-in: compilation, queries, execution and serialisation. Tests:
// plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_EXECUTABLE_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_EXECUTABLE_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backends/pjrt/plugin/program.h"

namespace assay::pjrt {

// The properties of a program, which its handles share.
struct ProgramFacts {
  std::vector<PJRT_Buffer_Type> result_types;
  std::vector<int64_t> result_dims;
  std::vector<size_t> result_ranks;
  std::vector<const char*> result_memories, argument_memories;
  std::vector<size_t> result_memory_sizes, argument_memory_sizes;
  std::vector<PJRT_NamedValue> costs;
  std::string optimized;
  std::vector<std::string> argument_shardings, result_shardings;
  std::vector<const char*> argument_sharding_data, result_sharding_data;
  std::vector<size_t> argument_sharding_sizes, result_sharding_sizes;
};

struct PJRT_Executable {
  explicit PJRT_Executable(std::shared_ptr<Program> of);
  const std::shared_ptr<Program> program;
  std::shared_ptr<const ProgramFacts> facts;
  const Counted counted{live_objects.executables};
};

struct PJRT_LoadedExecutable {
  PJRT_LoadedExecutable(PJRT_Client* on, std::shared_ptr<Program> of);
  PJRT_Client* const client;
  const std::shared_ptr<Program> program;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_LogicalDeviceIds> logical_ids;
  std::atomic<bool> deleted{false};
  std::string trace;  // the prefix of its trace files; empty if there are none
  std::atomic<int64_t> executions{0};
  const Counted counted{live_objects.executables};
};

absl::Status ClientCompile(PJRT_Client_Compile_Args& args);
absl::Status CompileAhead(PJRT_Compile_Args& args);
absl::Status ClientLoad(PJRT_Client_Load_Args& args);
absl::Status ExecutableDestroy(PJRT_Executable_Destroy_Args& args);
absl::Status ExecutableName(PJRT_Executable_Name_Args& args);
absl::Status ExecutableReplicas(PJRT_Executable_NumReplicas_Args& args);
absl::Status ExecutablePartitions(PJRT_Executable_NumPartitions_Args& args);
absl::Status ExecutableOutputs(PJRT_Executable_NumOutputs_Args& args);
absl::Status ExecutableCodeSize(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args);
absl::Status ExecutableCosts(PJRT_Executable_GetCostAnalysis_Args& args);
absl::Status ExecutableMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args& args);
absl::Status ExecutableOutputMemories(PJRT_Executable_OutputMemoryKinds_Args& args);
absl::Status ExecutableParameterMemories(PJRT_Executable_ParameterMemoryKinds_Args& args);
absl::Status ExecutableOutputTypes(PJRT_Executable_OutputElementTypes_Args& args);
absl::Status ExecutableOutputDimensions(PJRT_Executable_OutputDimensions_Args& args);
absl::Status ExecutableOptimized(PJRT_Executable_OptimizedProgram_Args& args);
absl::Status ExecutableFingerprint(PJRT_Executable_Fingerprint_Args& args);
absl::Status ExecutableSerialize(PJRT_Executable_Serialize_Args& args);
absl::Status ExecutableOptions(PJRT_Executable_GetCompileOptions_Args& args);
absl::Status ExecutableLoadStored(PJRT_Executable_DeserializeAndLoad_Args& args);
absl::Status LoadedDestroy(PJRT_LoadedExecutable_Destroy_Args& args);
absl::Status LoadedExecutable(PJRT_LoadedExecutable_GetExecutable_Args& args);
absl::Status LoadedDevices(PJRT_LoadedExecutable_AddressableDevices_Args& args);
absl::Status LoadedLogicalIds(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args);
absl::Status LoadedAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args);
absl::Status LoadedDelete(PJRT_LoadedExecutable_Delete_Args& args);
absl::Status LoadedIsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args);
absl::Status LoadedFingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args);
// execute.cc
absl::Status LoadedExecute(PJRT_LoadedExecutable_Execute_Args& args);

// Functions of the extension for shardings: the serialised sharding of each leaf.
PJRT_Error* ParameterShardings(PJRT_Shardings_Args* args);
PJRT_Error* OutputShardings(PJRT_Shardings_Args* args);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_EXECUTABLE_H_
