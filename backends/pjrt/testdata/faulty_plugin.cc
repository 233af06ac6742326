// A PJRT plug-in that is wrong in the way that the environment variable FAULT says, for
// driver_test.cc. Without a fault it has one device and compiles nothing.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "backends/pjrt/abi/abi.h"

namespace {

using namespace assay::pjrt;

bool Fault(const char* name) {
  const char* fault = std::getenv("FAULT");
  return fault != nullptr && std::strcmp(fault, name) == 0;
}

// The one error that there is: a refusal.
PJRT_Error* Refusal() {
  static PJRT_Error error = {nullptr};
  return &error;
}
void DestroyError(PJRT_Error_Destroy_Args* /*args*/) {}
void Message(PJRT_Error_Message_Args* args) {
  args->message = "not today";
  args->message_size = std::strlen(args->message);
}
PJRT_Error* GetCode(PJRT_Error_GetCode_Args* args) {
  args->code = Fault("crash_at_compile") ? PJRT_INTERNAL : PJRT_UNIMPLEMENTED;
  return nullptr;
}

template <typename Args>
PJRT_Error* Nothing(Args* /*args*/) {
  return nullptr;
}

int client, device;
PJRT_Device* const kDevices[] = {reinterpret_cast<PJRT_Device*>(&device)};

PJRT_Error* CreateClient(PJRT_Client_Create_Args* args) {
  if (Fault("client_refused")) return Refusal();
  if (!Fault("null_client")) args->client = reinterpret_cast<PJRT_Client*>(&client);
  return nullptr;
}
PJRT_Error* AddressableDevices(PJRT_Client_AddressableDevices_Args* args) {
  args->addressable_devices = kDevices;
  args->num_addressable_devices = Fault("many_devices") ? size_t{1} << 60 : 1;
  return nullptr;
}
PJRT_Error* PlatformName(PJRT_Client_PlatformName_Args* args) {
  args->platform_name = "faulty";
  args->platform_name_size = std::strlen(args->platform_name);
  return nullptr;
}
PJRT_Error* Compile(PJRT_Client_Compile_Args* /*args*/) {
  if (Fault("crash_at_compile")) std::abort();
  return Refusal();
}

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() {
  static PJRT_Api api;
  if (Fault("abort")) std::abort();
  if (Fault("hang")) sleep(1000);
  if (Fault("null_table")) return nullptr;
  api.struct_size = Fault("huge_table")    ? size_t{1} << 40
                    : Fault("tiny_table")  ? 8
                    : Fault("short_table") ? offsetof(PJRT_Api, Client_Compile)
                                           : sizeof(PJRT_Api);
  api.pjrt_api_version.struct_size = kStructSize<PJRT_Api_Version>;
  api.pjrt_api_version.major_version = Fault("major") ? 1 : 0;
  api.pjrt_api_version.minor_version = Fault("minor") ? 20 : 114;
  api.Error_Destroy = DestroyError;
  api.Error_Message = Message;
  api.Error_GetCode = GetCode;
  api.Plugin_Initialize = Nothing<PJRT_Plugin_Initialize_Args>;
  api.Client_Create = CreateClient;
  api.Client_Destroy = Nothing<PJRT_Client_Destroy_Args>;
  api.Client_PlatformName = PlatformName;
  if (!Fault("null_slot")) {
    api.Client_PlatformVersion = Nothing<PJRT_Client_PlatformVersion_Args>;
  }
  api.Client_AddressableDevices = AddressableDevices;
  api.Device_GetDescription = Nothing<PJRT_Device_GetDescription_Args>;
  api.DeviceDescription_Id = Nothing<PJRT_DeviceDescription_Id_Args>;
  api.Client_Compile = Compile;
  return &api;
}
