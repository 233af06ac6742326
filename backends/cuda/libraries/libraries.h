// NVIDIA's libraries, loaded while the program runs: cuBLASLt, cuBLAS, cuDNN, cuFFT, cuSOLVER and
// NCCL. Each is looked for at its first use, in the folder that ASSAY_CUDA_LIBRARIES names or where
// the loader of the system looks. The emulated device takes a library only if it computes on the
// host and exports AssayConnectDevice (the recording fake of the tests, testing/). Thread-safe.
// Tests: libraries_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_LIBRARIES_LIBRARIES_H_
#define ASSAY_BACKENDS_CUDA_LIBRARIES_LIBRARIES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/cuda/device/device.h"
#include "backends/cuda/libraries/library_functions.h"

namespace assay::cuda::libraries {

enum class Library : int { kCublasLt, kCublas, kCudnn, kCufft, kCusolver, kNccl };
// Returns "cuBLASLt".
absl::string_view NameOf(Library library);

// Returns OK for status 0. Otherwise the status names the device, the function and the number of
// the error: RESOURCE_EXHAUSTED for memory, INTERNAL for all others.
absl::Status CheckCall(Library library, absl::string_view function, int error, int device);

// Something of a library that belongs to one device and is destroyed with it: a handle, a plan.
class Resource {
 public:
  Resource() = default;
  // `destroy` is not called after a reset of the device, which has destroyed everything.
  Resource(Device& device, void* value, int (*destroy)(void*))
      : device_(device.shared_from_this()),
        epoch_(device.epoch()),
        value_(value),
        destroy_(destroy) {}
  Resource(Resource&& other) noexcept { *this = std::move(other); }
  Resource& operator=(Resource&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(epoch_, other.epoch_);
    std::swap(value_, other.value_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~Resource() {
    if (value_ != nullptr && device_->epoch() == epoch_) destroy_(value_);
  }
  void* get() const { return value_; }

 private:
  std::shared_ptr<Device> device_;
  int64_t epoch_ = 0;
  void* value_ = nullptr;
  int (*destroy_)(void*) = nullptr;
};

class Libraries {
 public:
  // `api` is the table of the devices that the libraries are for.
  explicit Libraries(std::shared_ptr<Api> api) : api_(std::move(api)) {}

  // Loads the library at its first use. Returns UNIMPLEMENTED with one line that says what is
  // missing; it is printed to the standard error once.
  absl::Status Load(Library library);
  // The functions of the libraries that have been loaded.
  const LibraryFunctions& functions() const { return functions_; }

  // Returns the library's handle for the stream of the device, which is made at its first use.
  absl::StatusOr<void*> Handle(Library library, Device& device);
  // Returns the communicators of NCCL for these devices, by rank, which are made at their first
  // use.
  absl::StatusOr<std::vector<void*>> Communicators(absl::Span<Device* const> devices);

 private:
  struct Loaded {
    bool tried = false;
    absl::Status status;
  };
  struct Handles {
    int64_t epoch = -1;
    Resource handles[kLibraries];
  };
  absl::Status Find(Library library);

  const std::shared_ptr<Api> api_;
  std::mutex mutex_;
  Loaded loaded_[kLibraries];
  LibraryFunctions functions_;
  std::map<const Device*, Handles> handles_;
  std::map<std::vector<std::pair<int, int64_t>>, std::vector<Resource>> communicators_;
};

// What a call of a library keeps for each device, such as its descriptors. `make` makes it at the
// first use and after a reset.
template <typename State>
class PerDevice {
 public:
  template <typename Make>
  absl::StatusOr<State*> Get(Device& device, Make make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Kept& kept = kept_[&device];
    if (kept.state == nullptr || kept.epoch != device.epoch()) {
      kept.state = nullptr;
      auto state = std::make_unique<State>();
      if (absl::Status status = make(*state); !status.ok()) return status;
      kept = {device.epoch(), std::move(state)};
    }
    return kept.state.get();
  }

 private:
  struct Kept {
    int64_t epoch = -1;
    std::unique_ptr<State> state;
  };
  std::mutex mutex_;
  std::map<const Device*, Kept> kept_;
};

}  // namespace assay::cuda::libraries

// Calls a function of a library that has been loaded, and returns the status of its error.
#define ASSAY_LIBRARY_CALL(loaded, library, device, function, ...) \
  ::assay::cuda::libraries::CheckCall(                             \
      library, #function, (loaded).functions().function(__VA_ARGS__), (device).ordinal())

#endif  // ASSAY_BACKENDS_CUDA_LIBRARIES_LIBRARIES_H_
