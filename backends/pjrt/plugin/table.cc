// GetPjrtApi: the table of the plug-in's functions. Every slot is filled; what Assay does not offer
// answers UNIMPLEMENTED, since hosts do not look for null.
#include "backends/pjrt/plugin/buffer.h"
#include "backends/pjrt/plugin/client.h"
#include "backends/pjrt/plugin/error.h"
#include "backends/pjrt/plugin/event.h"
#include "backends/pjrt/plugin/executable.h"
#include "backends/pjrt/plugin/live_objects.h"
#include "backends/pjrt/plugin/made_buffers.h"
#include "backends/pjrt/plugin/topology.h"

namespace assay::pjrt {
namespace {

// A slot of which nothing is done, for arguments of any type. kName is a place of the table.
template <typename Args>
PJRT_Error* Unimplemented(Args* /*args*/) {
  return ToError(absl::UnimplementedError("Assay's plug-in does not implement this function"));
}

template <auto kFunction>
struct SlotOf;
template <typename Args, absl::Status (*kFunction)(Args&)>
struct SlotOf<kFunction> {
  static constexpr PJRT_Error* (*value)(Args*) = Slot<Args, kFunction>;
};

PJRT_Shardings_Extension shardings = {
    {sizeof(PJRT_Shardings_Extension), PJRT_Extension_Shardings, nullptr},
    ParameterShardings,
    OutputShardings};

void FillObjects(PJRT_Api& api) {
  api.Error_Destroy = DestroyError;
  api.Error_Message = ErrorMessage;
  api.Plugin_Attributes = PluginAttributes;
#define SLOT(name, function) api.name = SlotOf<function>::value;
  SLOT(Error_GetCode, ErrorCode)
  SLOT(Error_ForEachPayload, ErrorPayloads)
  SLOT(Plugin_Initialize, PluginInitialize)
  SLOT(Event_Destroy, EventDestroy)
  SLOT(Event_IsReady, EventIsReady)
  SLOT(Event_Error, EventError)
  SLOT(Event_Await, EventAwait)
  SLOT(Event_OnReady, EventOnReady)
  SLOT(Event_Create, EventCreate)
  SLOT(Event_Set, EventSet)
  SLOT(Client_Create, ClientCreate)
  SLOT(Client_Destroy, ClientDestroy)
  SLOT(Client_PlatformName, ClientPlatformName)
  SLOT(Client_ProcessIndex, ClientProcessIndex)
  SLOT(Client_PlatformVersion, ClientPlatformVersion)
  SLOT(Client_Devices, ClientDevices)
  SLOT(Client_AddressableDevices, ClientAddressableDevices)
  SLOT(Client_LookupDevice, ClientLookupDevice)
  SLOT(Client_LookupAddressableDevice, ClientLookupAddressableDevice)
  SLOT(Client_AddressableMemories, ClientAddressableMemories)
  SLOT(Client_DefaultDeviceAssignment, ClientDefaultAssignment)
  SLOT(Client_TopologyDescription, ClientTopology)
  SLOT(DeviceDescription_Id, DescriptionId)
  SLOT(DeviceDescription_ProcessIndex, DescriptionProcessIndex)
  SLOT(DeviceDescription_Attributes, DescriptionAttributes)
  SLOT(DeviceDescription_Kind, DescriptionKind)
  SLOT(DeviceDescription_DebugString, DescriptionDebugString)
  SLOT(DeviceDescription_ToString, DescriptionToString)
  SLOT(Device_GetDescription, DeviceDescription)
  SLOT(Device_IsAddressable, DeviceIsAddressable)
  SLOT(Device_LocalHardwareId, DeviceHardwareId)
  SLOT(Device_AddressableMemories, DeviceMemories)
  SLOT(Device_DefaultMemory, DeviceDefaultMemory)
  SLOT(Device_GetAttributes, DeviceAttributes)
  SLOT(Memory_Id, MemoryId)
  SLOT(Memory_Kind, MemoryKind)
  SLOT(Memory_Kind_Id, MemoryKindId)
  SLOT(Memory_DebugString, MemoryDebugString)
  SLOT(Memory_ToString, MemoryToString)
  SLOT(Memory_AddressableByDevices, MemoryDevices)
  SLOT(Device_MemoryStats, DeviceMemoryStats)
  SLOT(Device_ClearMemoryStats, DeviceClearMemoryStats)
  SLOT(TopologyDescription_Create, TopologyCreate)
  SLOT(TopologyDescription_Serialize, TopologySerialize)
  SLOT(TopologyDescription_Deserialize, TopologyDeserialize)
  SLOT(TopologyDescription_Destroy, TopologyDestroy)
  SLOT(TopologyDescription_PlatformName, TopologyPlatformName)
  SLOT(TopologyDescription_PlatformVersion, TopologyPlatformVersion)
  SLOT(TopologyDescription_GetDeviceDescriptions, TopologyDescriptions)
  SLOT(TopologyDescription_Attributes, TopologyAttributes)
  SLOT(TopologyDescription_Fingerprint, TopologyFingerprint)
  SLOT(ExecuteContext_Create, ContextCreate)
  SLOT(ExecuteContext_Destroy, ContextDestroy)
}

void FillPrograms(PJRT_Api& api) {
  SLOT(Client_Compile, ClientCompile)
  SLOT(Client_Load, ClientLoad)
  SLOT(Compile, CompileAhead)
  SLOT(Executable_Destroy, ExecutableDestroy)
  SLOT(Executable_Name, ExecutableName)
  SLOT(Executable_NumReplicas, ExecutableReplicas)
  SLOT(Executable_NumPartitions, ExecutablePartitions)
  SLOT(Executable_NumOutputs, ExecutableOutputs)
  SLOT(Executable_SizeOfGeneratedCodeInBytes, ExecutableCodeSize)
  SLOT(Executable_GetCostAnalysis, ExecutableCosts)
  SLOT(Executable_GetCompiledMemoryStats, ExecutableMemoryStats)
  SLOT(Executable_OutputMemoryKinds, ExecutableOutputMemories)
  SLOT(Executable_ParameterMemoryKinds, ExecutableParameterMemories)
  SLOT(Executable_OutputElementTypes, ExecutableOutputTypes)
  SLOT(Executable_OutputDimensions, ExecutableOutputDimensions)
  SLOT(Executable_OptimizedProgram, ExecutableOptimized)
  SLOT(Executable_Fingerprint, ExecutableFingerprint)
  SLOT(Executable_Serialize, ExecutableSerialize)
  SLOT(Executable_GetCompileOptions, ExecutableOptions)
  SLOT(Executable_DeserializeAndLoad, ExecutableLoadStored)
  SLOT(LoadedExecutable_Destroy, LoadedDestroy)
  SLOT(LoadedExecutable_GetExecutable, LoadedExecutable)
  SLOT(LoadedExecutable_AddressableDevices, LoadedDevices)
  SLOT(LoadedExecutable_AddressableDeviceLogicalIds, LoadedLogicalIds)
  SLOT(LoadedExecutable_GetDeviceAssignment, LoadedAssignment)
  SLOT(LoadedExecutable_Delete, LoadedDelete)
  SLOT(LoadedExecutable_IsDeleted, LoadedIsDeleted)
  SLOT(LoadedExecutable_Fingerprint, LoadedFingerprint)
  SLOT(LoadedExecutable_Execute, LoadedExecute)
}

void FillBuffers(PJRT_Api& api) {
  SLOT(Client_BufferFromHostBuffer, BufferFromHost)
  SLOT(Client_CreateViewOfDeviceBuffer, BufferView)
  SLOT(Client_CreateUninitializedBuffer, BufferUninitialized)
  SLOT(Client_CreateErrorBuffer, BufferOfError)
  SLOT(Client_CreateAliasBuffer, BufferPromise)
  SLOT(Client_FulfillAliasBuffer, BufferFulfill)
  SLOT(Buffer_Destroy, BufferDestroy)
  SLOT(Buffer_ElementType, BufferElementType)
  SLOT(Buffer_Dimensions, BufferDimensions)
  SLOT(Buffer_UnpaddedDimensions, BufferUnpaddedDimensions)
  SLOT(Buffer_DynamicDimensionIndices, BufferDynamicDimensions)
  SLOT(Buffer_GetMemoryLayout, BufferMemoryLayout)
  SLOT(Buffer_OnDeviceSizeInBytes, BufferSize)
  SLOT(Buffer_Device, BufferDevice)
  SLOT(Buffer_Memory, BufferMemory)
  SLOT(Buffer_Delete, BufferDelete)
  SLOT(Buffer_IsDeleted, BufferIsDeleted)
  SLOT(Buffer_CopyToDevice, BufferCopyToDevice)
  SLOT(Buffer_CopyToMemory, BufferCopyToMemory)
  SLOT(Buffer_ToHostBuffer, BufferToHost)
  SLOT(Buffer_CopyRawToHost, BufferCopyRawToHost)
  SLOT(Buffer_IsOnCpu, BufferIsOnCpu)
  SLOT(Buffer_ReadyEvent, BufferReadyEvent)
  SLOT(Buffer_UnsafePointer, BufferUnsafePointer)
  SLOT(Buffer_IncreaseExternalReferenceCount, BufferAddReference)
  SLOT(Buffer_DecreaseExternalReferenceCount, BufferDropReference)
  SLOT(Buffer_OpaqueDeviceMemoryDataPointer, BufferDataPointer)
#undef SLOT
}

// The functions that return nothing are filled by name.
template <typename Result, typename Args>
void FillMissing(Result (**slot)(Args*)) {
  if constexpr (!std::is_void_v<Result>) *slot = Unimplemented<Args>;
}

PJRT_Api MakeTable() {
  PJRT_Api api = {};
  api.struct_size = sizeof(PJRT_Api);
  api.extension_start = &shardings.base;
  api.pjrt_api_version.struct_size = kStructSize<PJRT_Api_Version>;
  api.pjrt_api_version.major_version = kApiMajor;
  api.pjrt_api_version.minor_version = kApiMinor;
#define FUNCTION(name) FillMissing(&api.name);
#define OTHER_FUNCTION(name) FillMissing(&api.name);
#include "backends/pjrt/abi/functions.def"
#undef OTHER_FUNCTION
#undef FUNCTION
  FillObjects(api);
  FillPrograms(api);
  FillBuffers(api);
  return api;
}

}  // namespace
}  // namespace assay::pjrt

extern "C" __attribute__((visibility("default"))) const assay::pjrt::PJRT_Api* GetPjrtApi() {
  static const assay::pjrt::PJRT_Api api = assay::pjrt::MakeTable();
  return &api;
}

extern "C" __attribute__((visibility("default"))) void AssayPjrtLiveObjects(int64_t counts[5]) {
  const assay::pjrt::LiveObjects& live = assay::pjrt::live_objects;
  int64_t i = 0;
  for (const std::atomic<int64_t>* count :
       {&live.clients, &live.buffers, &live.events, &live.executables, &live.errors}) {
    counts[i++] = *count;
  }
}
