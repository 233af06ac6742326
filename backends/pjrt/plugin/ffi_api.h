// The functions that a user's handler may call while it runs (XLA's FFI). Test: ffi_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_PLUGIN_FFI_API_H_
#define ASSAY_BACKENDS_PJRT_PLUGIN_FFI_API_H_

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "backends/pjrt/plugin/ffi_abi.h"

namespace assay::pjrt::ffi {

struct Error {
  absl::Status status;
};

// The context of a call. It owns the states of the handler's stages and the memory that they
// allocate.
struct Context {
  Context() = default;
  Context(const Context&) = delete;
  ~Context();
  int32_t device = 0;
  int64_t run_id = 0;
  std::map<Stage, std::pair<int64_t, void*>> states;  // type and object
  std::vector<void*> allocations;
};

// The result of a handler that continues asynchronously.
struct Future {
  absl::Status Await();
  void Set(absl::Status status);
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  absl::Status result;
};

const Api& TheApi();
// Converts the error to a status and destroys it.
absl::Status ToStatus(Error* error);

}  // namespace assay::pjrt::ffi

#endif  // ASSAY_BACKENDS_PJRT_PLUGIN_FFI_API_H_
