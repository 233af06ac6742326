// An event that becomes ready once, with a status. A PJRT_Event is a handle of a shared state.
// Tests: plugin_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_EVENT_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_EVENT_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "backends/pjrt/abi/abi.h"
#include "backends/pjrt/plugin/live_objects.h"

namespace assay::pjrt {

class EventState {
 public:
  using Callback = std::function<void(const absl::Status&)>;

  bool IsReady() const;
  // Waits until the event is ready and returns its status.
  absl::Status Await() const;
  // Calls the callback once: immediately if the event is ready, otherwise on the thread that makes
  // it ready, without holding locks.
  void OnReady(Callback callback);
  // Makes the event ready. Later calls are ignored.
  void Set(absl::Status status);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool ready_ = false;
  absl::Status status_;
  std::vector<Callback> callbacks_;
};

struct PJRT_Event {
  std::shared_ptr<EventState> state;
  const Counted counted{live_objects.events};
};

// Return a handle of a state, and a handle of a new state that is ready with a status.
PJRT_Event* NewEvent(std::shared_ptr<EventState> state);
PJRT_Event* ReadyEvent(absl::Status status = absl::OkStatus());

absl::Status EventDestroy(PJRT_Event_Destroy_Args& args);
absl::Status EventIsReady(PJRT_Event_IsReady_Args& args);
absl::Status EventError(PJRT_Event_Error_Args& args);
absl::Status EventAwait(PJRT_Event_Await_Args& args);
absl::Status EventOnReady(PJRT_Event_OnReady_Args& args);
absl::Status EventCreate(PJRT_Event_Create_Args& args);
absl::Status EventSet(PJRT_Event_Set_Args& args);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_EVENT_H_
