#include "backends/pjrt/plugin/error.h"

#include <string>

#include "backends/pjrt/plugin/live_objects.h"

namespace assay::pjrt {
namespace {

struct OwnError : PJRT_Error {
  explicit OwnError(const absl::Status& status);
  const PJRT_Error_Code code;
  const std::string message;
  const Counted counted{live_objects.errors};
};

const OwnError& Own(const PJRT_Error* error) { return *static_cast<const OwnError*>(error); }

void Destroy(PJRT_Error* error) { delete static_cast<OwnError*>(error); }
void Message(const PJRT_Error* error, const char** message, size_t* size) {
  Give(Own(error).message, message, size);
}
PJRT_Error_Code Code(const PJRT_Error* error) { return Own(error).code; }
void NoPayloads(const PJRT_Error* /*error*/, PJRT_Error_PayloadVisitor* /*visitor*/,
                void* /*user_arg*/) {}

constexpr PJRT_Error_FunctionTable kErrorTable = {sizeof(PJRT_Error_FunctionTable),
                                                  sizeof(OwnError),
                                                  nullptr,
                                                  Destroy,
                                                  Message,
                                                  Code,
                                                  NoPayloads};

OwnError::OwnError(const absl::Status& status)
    : PJRT_Error{&kErrorTable},
      code(static_cast<PJRT_Error_Code>(status.code())),
      message(status.message()) {}

// What Assay's errors are called at this border. An illegal module and a failure of a precondition
// are both bad input there; ABORTED is a failed implementation.
absl::Status AtBorder(const absl::Status& status) {
  if (absl::IsAborted(status)) return absl::InternalError(status.message());
  return status;
}

}  // namespace

PJRT_Error* ToError(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return new OwnError(AtBorder(status));
}

void DestroyError(PJRT_Error_Destroy_Args* args) {
  if (args != nullptr && args->error != nullptr) Destroy(args->error);
}

void ErrorMessage(PJRT_Error_Message_Args* args) {
  if (args == nullptr || args->error == nullptr) return;
  Message(args->error, &args->message, &args->message_size);
}

absl::Status ErrorCode(PJRT_Error_GetCode_Args& args) {
  args.code = args.error == nullptr ? PJRT_OK : Code(args.error);
  return absl::OkStatus();
}

absl::Status ErrorPayloads(PJRT_Error_ForEachPayload_Args& /*args*/) { return absl::OkStatus(); }

absl::Status NoObject(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the ", what, " is null"));
}

}  // namespace assay::pjrt
