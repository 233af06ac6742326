#include "backends/pjrt/plugin/event.h"

#include <string>
#include <utility>

#include "backends/pjrt/plugin/error.h"

namespace assay::pjrt {

bool EventState::IsReady() const {
  const std::lock_guard lock(mutex_);
  return ready_;
}

absl::Status EventState::Await() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ready_; });
  return status_;
}

void EventState::OnReady(Callback callback) {
  absl::Status status;
  {
    const std::lock_guard lock(mutex_);
    if (!ready_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
    status = status_;
  }
  callback(status);
}

void EventState::Set(absl::Status status) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (ready_) return;
    ready_ = true;
    status_ = status;
    callbacks.swap(callbacks_);
  }
  changed_.notify_all();
  for (const Callback& callback : callbacks) callback(status);
}

PJRT_Event* NewEvent(std::shared_ptr<EventState> state) {
  auto* event = new PJRT_Event;
  event->state = std::move(state);
  return event;
}

PJRT_Event* ReadyEvent(absl::Status status) {
  auto state = std::make_shared<EventState>();
  state->Set(std::move(status));
  return NewEvent(std::move(state));
}

absl::Status EventDestroy(PJRT_Event_Destroy_Args& args) {
  delete args.event;
  return absl::OkStatus();
}

absl::Status EventIsReady(PJRT_Event_IsReady_Args& args) {
  if (args.event == nullptr) return NoObject("event");
  args.is_ready = args.event->state->IsReady();
  return absl::OkStatus();
}

absl::Status EventError(PJRT_Event_Error_Args& args) {
  if (args.event == nullptr) return NoObject("event");
  return args.event->state->Await();
}

absl::Status EventAwait(PJRT_Event_Await_Args& args) {
  if (args.event == nullptr) return NoObject("event");
  return args.event->state->Await();
}

absl::Status EventOnReady(PJRT_Event_OnReady_Args& args) {
  if (args.event == nullptr || args.callback == nullptr) return NoObject("event or its callback");
  args.event->state->OnReady([callback = args.callback, user = args.user_arg](
                                 const absl::Status& status) { callback(ToError(status), user); });
  return absl::OkStatus();
}

absl::Status EventCreate(PJRT_Event_Create_Args& args) {
  args.event = NewEvent(std::make_shared<EventState>());
  return absl::OkStatus();
}

absl::Status EventSet(PJRT_Event_Set_Args& args) {
  if (args.event == nullptr) return NoObject("event");
  if (args.event->state->IsReady()) {
    return absl::FailedPreconditionError("the event is ready already");
  }
  const std::string message(args.error_message == nullptr ? "" : args.error_message,
                            args.error_message == nullptr ? 0 : args.error_message_size);
  args.event->state->Set(absl::Status(static_cast<absl::StatusCode>(args.error_code), message));
  return absl::OkStatus();
}

}  // namespace assay::pjrt
