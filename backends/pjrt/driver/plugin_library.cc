#include "backends/pjrt/driver/plugin_library.h"

#include <dlfcn.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backends/pjrt/abi/layout.h"

namespace assay::pjrt {
namespace {

constexpr size_t kLongestMessage = 4096;
constexpr size_t kLargestTable = size_t{1} << 16;

absl::Status NoPlugin(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("'", path, "' is not a PJRT plug-in: ", why));
}

}  // namespace

absl::StatusOr<PluginLibrary> PluginLibrary::Open(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return NoPlugin(path, dlerror());
  void* symbol = dlsym(library, kGetApiName);
  if (symbol == nullptr) return NoPlugin(path, "it exports no function GetPjrtApi");
  const PJRT_Api* api = reinterpret_cast<GetApiFunction*>(symbol)();
  if (api == nullptr) return NoPlugin(path, "GetPjrtApi returned null");
  const size_t size = api->struct_size;
  if (size < offsetof(PJRT_Api, Error_Destroy) || size > kLargestTable || size % 8 != 0) {
    return NoPlugin(path, absl::StrCat("its table of functions claims a size of ", size, " bytes"));
  }
  const PJRT_Api_Version& version = api->pjrt_api_version;
  if (version.major_version != kApiMajor || version.minor_version < kOldestMinor) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' has version ", version.major_version, ".", version.minor_version,
                     " of PJRT's interface; Assay drives plug-ins of version ", kApiMajor, ".",
                     kOldestMinor, " and later ones of major version ", kApiMajor));
  }
  return PluginLibrary(api);
}

absl::Status PluginLibrary::Missing(size_t offset) {
  const size_t slot = (offset - offsetof(PJRT_Api, Error_Destroy)) / sizeof(void*);
  return absl::UnimplementedError(
      absl::StrCat("the plug-in has no function PJRT_", FunctionNames()[slot]));
}

absl::Status PluginLibrary::StatusOf(PJRT_Error* error) const {
  if (error == nullptr) return absl::OkStatus();
  Padded<PJRT_Error_GetCode_Args> code;
  code->error = error;
  if (Has(&PJRT_Api::Error_GetCode)) {
    // An error about the error.
    if (PJRT_Error* other = api_->Error_GetCode(&code.args); other != nullptr) {
      code->code = PJRT_UNKNOWN;
    }
  }
  Padded<PJRT_Error_Message_Args> message;
  message->error = error;
  if (Has(&PJRT_Api::Error_Message)) api_->Error_Message(&message.args);
  std::string text;
  if (message->message != nullptr) {
    text.assign(message->message, std::min(message->message_size, kLongestMessage));
  }
  if (Has(&PJRT_Api::Error_Destroy)) {
    Padded<PJRT_Error_Destroy_Args> destroy;
    destroy->error = error;
    api_->Error_Destroy(&destroy.args);
  }
  const int number = code->code;
  const bool known = number > 0 && number <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  return absl::Status(known ? static_cast<absl::StatusCode>(number) : absl::StatusCode::kUnknown,
                      text);
}

absl::Status PluginLibrary::Await(PJRT_Event* event) const {
  if (event == nullptr) return absl::InternalError("the plug-in gave a null event");
  Padded<PJRT_Event_Await_Args> await;
  await->event = event;
  absl::Status status = Call(&PJRT_Api::Event_Await, await);
  Padded<PJRT_Event_Destroy_Args> destroy;
  destroy->event = event;
  status.Update(Call(&PJRT_Api::Event_Destroy, destroy));
  return status;
}

}  // namespace assay::pjrt
