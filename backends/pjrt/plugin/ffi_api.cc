#include "backends/pjrt/plugin/ffi_api.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace assay::pjrt::ffi {
namespace {

Error* Failed(absl::Status status) { return new Error{std::move(status)}; }

Error* CreateError(ErrorCreate* args) {
  const bool known = args->code > 0 && args->code <= 16;
  return Failed(
      absl::Status(known ? static_cast<absl::StatusCode>(args->code) : absl::StatusCode::kUnknown,
                   args->message == nullptr ? "" : args->message));
}
void MessageOf(ErrorMessage* args) { args->message = args->error->status.message().data(); }
void DestroyError(ErrorDestroy* args) { delete args->error; }

Error* NotThere(Unsupported* /*args*/) {
  return Failed(
      absl::UnimplementedError("Assay's plug-in has no streams and registers no handlers "
                               "for handlers"));
}

// Types of states, by number from 1.
struct Types {
  std::mutex mutex;
  std::map<std::string, int64_t> numbers;
  std::map<int64_t, void (*)(void*)> deleters;
};
Types& AllTypes() {
  static Types& types = *new Types;
  return types;
}

Error* RegisterType(TypeRegister* args) {
  Types& types = AllTypes();
  const std::lock_guard lock(types.mutex);
  const auto next = static_cast<int64_t>(types.numbers.size()) + 1;
  const auto [found, made] =
      types.numbers.try_emplace(std::string(args->name.data, args->name.size), next);
  *args->type_id = found->second;
  if (made && args->info != nullptr) types.deleters[found->second] = args->info->deleter;
  return nullptr;
}

Error* GetFromContext(ContextGet* /*args*/) {
  return Failed(absl::NotFoundError("the execution has no user data of this type"));
}

Error* SetState(State* args) {
  if (!args->context->states.try_emplace(args->stage, *args->type_id, args->state).second) {
    return Failed(absl::AlreadyExistsError("the stage has a state"));
  }
  return nullptr;
}
Error* GetState(State* args) {
  const auto found = args->context->states.find(args->stage);
  if (found == args->context->states.end()) {
    return Failed(absl::NotFoundError("the stage has left no state"));
  }
  if (found->second.first != *args->type_id) {
    return Failed(absl::InvalidArgumentError("the state has another type"));
  }
  args->state = found->second.second;
  return nullptr;
}

Error* Allocate(MemoryAllocate* args) {
  constexpr size_t kAlignment = 64;
  const size_t alignment = std::max(args->alignment, kAlignment);
  const size_t size = (std::max<size_t>(args->size, 1) + alignment - 1) / alignment * alignment;
  args->data = size < args->size ? nullptr : std::aligned_alloc(alignment, size);
  if (args->data == nullptr) {
    return Failed(absl::ResourceExhaustedError(absl::StrCat("no ", args->size, " bytes")));
  }
  args->context->allocations.push_back(args->data);
  return nullptr;
}
Error* Free(MemoryFree* args) {
  std::erase(args->context->allocations, args->data);
  std::free(args->data);
  return nullptr;
}

// On this thread: a handler that waits for its tasks finds them done.
Error* RunTask(Schedule* args) {
  args->task(args->data);
  return nullptr;
}
Error* CountThreads(ThreadCount* args) {
  *args->count = 1;
  return nullptr;
}

Error* CreateFuture(FutureArgs* args) {
  args->future = new Future;
  return nullptr;
}
Error* SetAvailable(FutureArgs* args) {
  args->future->Set(absl::OkStatus());
  return nullptr;
}
Error* SetError(FutureArgs* args) {
  args->future->Set(ToStatus(args->error));
  return nullptr;
}

Error* GetRunId(RunId* args) {
  args->run_id = args->context->run_id;
  return nullptr;
}
Error* GetOrdinal(DeviceOrdinal* args) {
  args->ordinal = args->context->device;
  return nullptr;
}

constexpr Api kApi = {{sizeof(Api), nullptr},
                      {{sizeof(ApiVersion), nullptr}, kMajor, kMinor},
                      nullptr,
                      CreateError,
                      MessageOf,
                      DestroyError,
                      NotThere,
                      NotThere,
                      RegisterType,
                      GetFromContext,
                      SetState,
                      GetState,
                      Allocate,
                      Free,
                      RunTask,
                      CountThreads,
                      CreateFuture,
                      SetAvailable,
                      SetError,
                      GetRunId,
                      GetOrdinal};

}  // namespace

Context::~Context() {
  for (const auto& [stage, state] : states) {
    Types& types = AllTypes();
    void (*deleter)(void*) = nullptr;
    {
      const std::lock_guard lock(types.mutex);
      if (const auto found = types.deleters.find(state.first); found != types.deleters.end()) {
        deleter = found->second;
      }
    }
    if (deleter != nullptr) deleter(state.second);
  }
  for (void* memory : allocations) std::free(memory);
}

absl::Status Future::Await() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return ready; });
  return result;
}

void Future::Set(absl::Status status) {
  const std::lock_guard lock(mutex);
  ready = true;
  result = std::move(status);
  changed.notify_all();
}

const Api& TheApi() { return kApi; }

absl::Status ToStatus(Error* error) {
  if (error == nullptr) return absl::OkStatus();
  absl::Status status = std::move(error->status);
  delete error;
  return status;
}

}  // namespace assay::pjrt::ffi
