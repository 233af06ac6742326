#include "backends/pjrt/plugin/client.h"

#include "absl/strings/str_cat.h"
#include "backends/pjrt/plugin/engines.h"
#include "backends/pjrt/plugin/error.h"
#include "backends/pjrt/plugin/python_callback.h"
#include "spec/stablehlo/bytecode.h"

namespace assay::pjrt {
namespace {

constexpr const char* kMemoryKinds[] = {"device", "pinned_host", "unpinned_host"};

void* GetUserData(PJRT_Memory* memory, const void* key) {
  auto& own = *static_cast<MemorySpace*>(memory);
  const std::lock_guard lock(own.mutex);
  const auto found = own.user_data.find(key);
  return found == own.user_data.end() ? nullptr : found->second.first;
}

void SetUserData(PJRT_Memory* memory, const void* key, void* data, PJRT_UserDataDeleter* deleter) {
  auto& own = *static_cast<MemorySpace*>(memory);
  std::pair<void*, PJRT_UserDataDeleter*> before;
  {
    const std::lock_guard lock(own.mutex);
    before = std::exchange(own.user_data[key], {data, deleter});
  }
  if (before.second != nullptr) before.second(before.first);
}

constexpr PJRT_Memory_FunctionTable kMemoryTable = {sizeof(PJRT_Memory_FunctionTable), nullptr,
                                                    sizeof(MemorySpace), GetUserData, SetUserData};

}  // namespace

MemorySpace::MemorySpace() : PJRT_Memory{&kMemoryTable} {}

MemorySpace::~MemorySpace() {
  for (const auto& [key, data] : user_data) {
    if (data.second != nullptr) data.second(data.first);
  }
}

PJRT_Client::PJRT_Client(ClientOptions made_with) : options(std::move(made_with)) {
  RegisterPythonCallback(*this);
  topology.client = this;
  for (int32_t d = 0; d < options.device_count; ++d) {
    auto device = std::make_unique<PJRT_Device>();
    device->client = this;
    device->description.id = d;
    device->description.kind = options.platform_name;
    device->description.text = absl::StrCat("AssayDevice(id=", d, ")");
    for (int32_t k = 0; k < static_cast<int32_t>(std::size(kMemoryKinds)); ++k) {
      auto memory = std::make_unique<MemorySpace>();
      memory->device = device.get();
      memory->id = static_cast<int32_t>(owned_memories.size());
      memory->kind_id = k;
      memory->kind = kMemoryKinds[k];
      memory->text =
          absl::StrCat("AssayMemory(id=", memory->id, ", kind=", memory->kind, ", device=", d, ")");
      device->memories.push_back(memory.get());
      memories.push_back(memory.get());
      owned_memories.push_back(std::move(memory));
    }
    topology.descriptions.push_back(&device->description);
    devices.push_back(device.get());
    owned_devices.push_back(std::move(device));
  }
}

PJRT_Client::~PJRT_Client() = default;

PJRT_Device* PJRT_Client::Find(int64_t id) const {
  return id >= 0 && id < static_cast<int64_t>(devices.size()) ? devices[static_cast<size_t>(id)]
                                                              : nullptr;
}

absl::string_view PlatformVersion() { return "assay " ASSAY_VERSION; }

absl::Status PluginInitialize(PJRT_Plugin_Initialize_Args& /*args*/) { return absl::OkStatus(); }

PJRT_Error* PluginAttributes(PJRT_Plugin_Attributes_Args* args) {
  static const stablehlo::Version newest = stablehlo::kNewestVersion;
  static const stablehlo::Version oldest = stablehlo::kOldestVersion;
  static const int64_t current_version[] = {newest.major, newest.minor, newest.patch};
  static const int64_t minimum_version[] = {oldest.major, oldest.minor, oldest.patch};
  static const auto attribute = [](absl::string_view name, const int64_t* list, int64_t number) {
    PJRT_NamedValue value = {};
    value.struct_size = kStructSize<PJRT_NamedValue>;
    Give(name, &value.name, &value.name_size);
    value.type = list == nullptr ? PJRT_NamedValue_Int64 : PJRT_NamedValue_Int64List;
    if (list == nullptr) {
      value.value.int64_value = number;
    } else {
      value.value.int64_array_value = list;
    }
    value.value_size = list == nullptr ? 1 : 3;
    return value;
  };
  // The version of XLA's interface counts in its own way: 2 is that of today's plug-ins.
  static const PJRT_NamedValue attributes[] = {
      attribute("xla_version", nullptr, 2),
      attribute("stablehlo_current_version", current_version, 0),
      attribute("stablehlo_minimum_version", minimum_version, 0)};
  if (args == nullptr) return ToError(NoObject("struct of arguments"));
  args->attributes = attributes;
  args->num_attributes = std::size(attributes);
  return nullptr;
}

absl::Status ClientCreate(PJRT_Client_Create_Args& args) {
  absl::StatusOr<ClientOptions> options = ClientOptions::Read(absl::MakeConstSpan(
      args.create_options, args.create_options == nullptr ? 0 : args.num_options));
  if (!options.ok()) return options.status();
  const absl::StatusOr<std::unique_ptr<Backend>> made = MakeEngine(options->backend, {});
  if (!made.ok()) return made.status();
  args.client = new PJRT_Client(*std::move(options));
  return absl::OkStatus();
}

absl::Status ClientDestroy(PJRT_Client_Destroy_Args& args) {
  delete args.client;
  return absl::OkStatus();
}

absl::Status ClientPlatformName(PJRT_Client_PlatformName_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  Give(args.client->options.platform_name, &args.platform_name, &args.platform_name_size);
  return absl::OkStatus();
}

absl::Status ClientPlatformVersion(PJRT_Client_PlatformVersion_Args& args) {
  Give(PlatformVersion(), &args.platform_version, &args.platform_version_size);
  return absl::OkStatus();
}

absl::Status ClientProcessIndex(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = 0;
  return absl::OkStatus();
}

absl::Status ClientDevices(PJRT_Client_Devices_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  GiveList(args.client->devices, &args.devices, &args.num_devices);
  return absl::OkStatus();
}

absl::Status ClientAddressableDevices(PJRT_Client_AddressableDevices_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  GiveList(args.client->devices, &args.addressable_devices, &args.num_addressable_devices);
  return absl::OkStatus();
}

absl::Status ClientLookupDevice(PJRT_Client_LookupDevice_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  args.device = args.client->Find(args.id);
  if (args.device != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("there is no device ", args.id));
}

absl::Status ClientLookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  args.addressable_device = args.client->Find(args.local_hardware_id);
  if (args.addressable_device != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("there is no device ", args.local_hardware_id));
}

absl::Status ClientAddressableMemories(PJRT_Client_AddressableMemories_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  GiveList(args.client->memories, &args.addressable_memories, &args.num_addressable_memories);
  return absl::OkStatus();
}

absl::Status ClientDefaultAssignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  const int64_t count = int64_t{args.num_replicas} * args.num_partitions;
  const auto have = static_cast<int64_t>(args.client->devices.size());
  if (args.num_replicas < 1 || args.num_partitions < 1 || count > have) {
    return absl::InvalidArgumentError(absl::StrCat(args.num_replicas, " replicas of ",
                                                   args.num_partitions, " partitions on ", have,
                                                   " devices"));
  }
  if (static_cast<int64_t>(args.default_assignment_size) < count) {
    return absl::InvalidArgumentError("the list for the assignment is too short");
  }
  for (int32_t i = 0; i < count; ++i) args.default_assignment[i] = i;
  return absl::OkStatus();
}

absl::Status ClientTopology(PJRT_Client_TopologyDescription_Args& args) {
  if (args.client == nullptr) return NoObject("client");
  args.topology = &args.client->topology;
  return absl::OkStatus();
}

absl::Status DescriptionId(PJRT_DeviceDescription_Id_Args& args) {
  if (args.device_description == nullptr) return NoObject("device description");
  args.id = args.device_description->id;
  return absl::OkStatus();
}

absl::Status DescriptionProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = 0;
  return absl::OkStatus();
}

absl::Status DescriptionAttributes(PJRT_DeviceDescription_Attributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  return absl::OkStatus();
}

absl::Status DescriptionKind(PJRT_DeviceDescription_Kind_Args& args) {
  if (args.device_description == nullptr) return NoObject("device description");
  Give(args.device_description->kind, &args.device_kind, &args.device_kind_size);
  return absl::OkStatus();
}

absl::Status DescriptionDebugString(PJRT_DeviceDescription_DebugString_Args& args) {
  if (args.device_description == nullptr) return NoObject("device description");
  Give(args.device_description->text, &args.debug_string, &args.debug_string_size);
  return absl::OkStatus();
}

absl::Status DescriptionToString(PJRT_DeviceDescription_ToString_Args& args) {
  if (args.device_description == nullptr) return NoObject("device description");
  Give(args.device_description->text, &args.to_string, &args.to_string_size);
  return absl::OkStatus();
}

absl::Status DeviceDescription(PJRT_Device_GetDescription_Args& args) {
  if (args.device == nullptr) return NoObject("device");
  args.device_description = &args.device->description;
  return absl::OkStatus();
}

absl::Status DeviceIsAddressable(PJRT_Device_IsAddressable_Args& args) {
  args.is_addressable = true;
  return absl::OkStatus();
}

absl::Status DeviceHardwareId(PJRT_Device_LocalHardwareId_Args& args) {
  if (args.device == nullptr) return NoObject("device");
  args.local_hardware_id = args.device->description.id;
  return absl::OkStatus();
}

absl::Status DeviceMemories(PJRT_Device_AddressableMemories_Args& args) {
  if (args.device == nullptr) return NoObject("device");
  GiveList(args.device->memories, &args.memories, &args.num_memories);
  return absl::OkStatus();
}

absl::Status DeviceDefaultMemory(PJRT_Device_DefaultMemory_Args& args) {
  if (args.device == nullptr) return NoObject("device");
  args.memory = args.device->default_memory();
  return absl::OkStatus();
}

absl::Status DeviceAttributes(PJRT_Device_GetAttributes_Args& args) {
  args.attributes = nullptr;
  args.num_attributes = 0;
  args.device_attributes = nullptr;
  args.attributes_deleter = [](PJRT_DeviceAttributes* /*none*/) {};
  return absl::OkStatus();
}

absl::Status DeviceMemoryStats(PJRT_Device_MemoryStats_Args& args) {
  if (args.device == nullptr) return NoObject("device");
  PJRT_Device_MemoryStats_Args stats = {};
  stats.struct_size = args.struct_size;
  stats.extension_start = args.extension_start;
  stats.device = args.device;
  stats.bytes_in_use = args.device->use->bytes();
  stats.peak_bytes_in_use = args.device->use->peak();
  stats.peak_bytes_in_use_is_set = true;
  args = stats;
  return absl::OkStatus();
}

absl::Status DeviceClearMemoryStats(PJRT_Device_ClearMemoryStats_Args& args) {
  if (args.device == nullptr) return NoObject("device");
  args.device->use->Forget();
  return absl::OkStatus();
}

absl::Status MemoryId(PJRT_Memory_Id_Args& args) {
  if (args.memory == nullptr) return NoObject("memory");
  args.id = static_cast<MemorySpace*>(args.memory)->id;
  return absl::OkStatus();
}

absl::Status MemoryKind(PJRT_Memory_Kind_Args& args) {
  if (args.memory == nullptr) return NoObject("memory");
  Give(static_cast<MemorySpace*>(args.memory)->kind, &args.kind, &args.kind_size);
  return absl::OkStatus();
}

absl::Status MemoryKindId(PJRT_Memory_Kind_Id_Args& args) {
  if (args.memory == nullptr) return NoObject("memory");
  args.kind_id = static_cast<MemorySpace*>(args.memory)->kind_id;
  return absl::OkStatus();
}

absl::Status MemoryDebugString(PJRT_Memory_DebugString_Args& args) {
  if (args.memory == nullptr) return NoObject("memory");
  Give(static_cast<MemorySpace*>(args.memory)->text, &args.debug_string, &args.debug_string_size);
  return absl::OkStatus();
}

absl::Status MemoryToString(PJRT_Memory_ToString_Args& args) {
  if (args.memory == nullptr) return NoObject("memory");
  Give(static_cast<MemorySpace*>(args.memory)->text, &args.to_string, &args.to_string_size);
  return absl::OkStatus();
}

absl::Status MemoryDevices(PJRT_Memory_AddressableByDevices_Args& args) {
  if (args.memory == nullptr) return NoObject("memory");
  args.devices = &static_cast<MemorySpace*>(args.memory)->device;
  args.num_devices = 1;
  return absl::OkStatus();
}

// A context holds nothing.
struct PJRT_ExecuteContext {};

absl::Status ContextCreate(PJRT_ExecuteContext_Create_Args& args) {
  args.context = new PJRT_ExecuteContext;
  return absl::OkStatus();
}

absl::Status ContextDestroy(PJRT_ExecuteContext_Destroy_Args& args) {
  delete args.context;
  return absl::OkStatus();
}

}  // namespace assay::pjrt
