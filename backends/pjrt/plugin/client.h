// A client of the plug-in with its virtual devices and their memories. Tests: plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_CLIENT_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "backends/pjrt/abi/abi.h"
#include "backends/pjrt/plugin/live_objects.h"
#include "backends/pjrt/plugin/options.h"
#include "backends/pjrt/plugin/worker.h"
#include "interpreter/custom_call.h"

namespace assay::pjrt {

struct PJRT_DeviceDescription {
  int32_t id = 0;
  std::string kind, text;
};

// A kind of memory of a device. All kinds are the same to the interpreter.
struct MemorySpace : PJRT_Memory {
  MemorySpace();
  ~MemorySpace();
  PJRT_Device* device = nullptr;
  int32_t id = 0;
  int32_t kind_id = 0;
  std::string kind, text;
  // Data that the host attaches, by key, with their deleters.
  std::mutex mutex;
  std::map<const void*, std::pair<void*, PJRT_UserDataDeleter*>> user_data;
};

// The bytes of the arrays on a device. Buffers refer to it as long as they live.
class MemoryUse {
 public:
  void Add(int64_t bytes) {
    const int64_t now = bytes_.fetch_add(bytes) + bytes;
    int64_t most = peak_.load();
    while (most < now && !peak_.compare_exchange_weak(most, now)) {
    }
  }
  int64_t bytes() const { return bytes_; }
  int64_t peak() const { return peak_; }
  // The peak counts from now on.
  void Forget() { peak_ = bytes_.load(); }

 private:
  std::atomic<int64_t> bytes_{0}, peak_{0};
};

struct PJRT_Device {
  PJRT_Client* client = nullptr;
  PJRT_DeviceDescription description;
  std::vector<PJRT_Memory*> memories;  // the first is the default
  std::shared_ptr<MemoryUse> use = std::make_shared<MemoryUse>();
  MemorySpace* default_memory() const { return static_cast<MemorySpace*>(memories.front()); }
};

struct PJRT_TopologyDescription {
  PJRT_Client* client = nullptr;
  std::vector<PJRT_DeviceDescription*> descriptions;
  bool owns_client = false;  // true if it was made without a client (topology.h)
};

struct PJRT_Client {
  explicit PJRT_Client(ClientOptions made_with);
  ~PJRT_Client();

  // Returns null if there is no such device.
  PJRT_Device* Find(int64_t id) const;

  const ClientOptions options;
  std::vector<std::unique_ptr<PJRT_Device>> owned_devices;
  std::vector<std::unique_ptr<MemorySpace>> owned_memories;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Memory*> memories;
  PJRT_TopologyDescription topology;
  CustomCallRegistry custom_calls;
  // The number of running calls into Python. Programs that they start cannot wait for others.
  std::atomic<int64_t> callbacks{0};
  std::atomic<int64_t> traced{0};  // the number of modules in the trace folder
  Worker worker;
  const Counted counted{live_objects.clients};
};

// The text of the version that the plug-in was built as.
absl::string_view PlatformVersion();

// Functions of the table.
absl::Status PluginInitialize(PJRT_Plugin_Initialize_Args& args);
// Writes the number of attributes regardless of struct_size, because old hosts read it.
PJRT_Error* PluginAttributes(PJRT_Plugin_Attributes_Args* args);
absl::Status ClientCreate(PJRT_Client_Create_Args& args);
absl::Status ClientDestroy(PJRT_Client_Destroy_Args& args);
absl::Status ClientPlatformName(PJRT_Client_PlatformName_Args& args);
absl::Status ClientPlatformVersion(PJRT_Client_PlatformVersion_Args& args);
absl::Status ClientProcessIndex(PJRT_Client_ProcessIndex_Args& args);
absl::Status ClientDevices(PJRT_Client_Devices_Args& args);
absl::Status ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args);
absl::Status ClientLookupDevice(PJRT_Client_LookupDevice_Args& args);
absl::Status ClientLookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args);
absl::Status ClientAddressableMemories(PJRT_Client_AddressableMemories_Args& args);
absl::Status ClientDefaultAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args);
absl::Status ClientTopology(PJRT_Client_TopologyDescription_Args& args);
absl::Status DescriptionId(PJRT_DeviceDescription_Id_Args& args);
absl::Status DescriptionProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args);
absl::Status DescriptionAttributes(PJRT_DeviceDescription_Attributes_Args& args);
absl::Status DescriptionKind(PJRT_DeviceDescription_Kind_Args& args);
absl::Status DescriptionDebugString(PJRT_DeviceDescription_DebugString_Args& args);
absl::Status DescriptionToString(PJRT_DeviceDescription_ToString_Args& args);
absl::Status DeviceDescription(PJRT_Device_GetDescription_Args& args);
absl::Status DeviceIsAddressable(PJRT_Device_IsAddressable_Args& args);
absl::Status DeviceHardwareId(PJRT_Device_LocalHardwareId_Args& args);
absl::Status DeviceMemories(PJRT_Device_AddressableMemories_Args& args);
absl::Status DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args& args);
absl::Status DeviceAttributes(PJRT_Device_GetAttributes_Args& args);
absl::Status DeviceMemoryStats(PJRT_Device_MemoryStats_Args& args);
absl::Status DeviceClearMemoryStats(PJRT_Device_ClearMemoryStats_Args& args);
absl::Status MemoryId(PJRT_Memory_Id_Args& args);
absl::Status MemoryKind(PJRT_Memory_Kind_Args& args);
absl::Status MemoryKindId(PJRT_Memory_Kind_Id_Args& args);
absl::Status MemoryDebugString(PJRT_Memory_DebugString_Args& args);
absl::Status MemoryToString(PJRT_Memory_ToString_Args& args);
absl::Status MemoryDevices(PJRT_Memory_AddressableByDevices_Args& args);
absl::Status ContextCreate(PJRT_ExecuteContext_Create_Args& args);
absl::Status ContextDestroy(PJRT_ExecuteContext_Destroy_Args& args);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_CLIENT_H_
