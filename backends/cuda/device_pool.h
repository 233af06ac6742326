// The devices of a backend. Each device of a run is a stream on one of the physical devices,
// assigned in turn, and returns to the pool after the run. Thread-safe. Tests:
// cuda_backend_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_POOL_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_POOL_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/cuda/device/device.h"

namespace assay::cuda {

class DevicePool {
 public:
  DevicePool(std::shared_ptr<Api> api, int devices);

  Api& api() const { return *api_; }
  int device_count() const { return static_cast<int>(places_.size()); }

  // Takes a stream on one of the devices. Lost devices are reset when no stream is taken: streams
  // of other devices may read their memory.
  absl::StatusOr<std::shared_ptr<Device>> Take();
  void Return(std::shared_ptr<Device> device);

 private:
  // A physical device.
  struct Place {
    std::shared_ptr<Epoch> epoch = std::make_shared<Epoch>(0);
    std::vector<std::shared_ptr<Device>> idle;
  };
  absl::Status Restore();

  const std::shared_ptr<Api> api_;
  std::mutex mutex_;
  size_t next_ = 0;
  int64_t taken_ = 0;
  std::vector<Place> places_;  // by ordinal
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_POOL_H_
