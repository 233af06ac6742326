#include "backends/cuda/device_pool.h"

namespace assay::cuda {

absl::StatusOr<std::shared_ptr<Device>> DevicePool::Take() {
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t ordinal = next_;
  next_ = (next_ + 1) % idle_.size();
  std::vector<std::shared_ptr<Device>>& idle = idle_[ordinal];
  if (idle.empty()) return Device::Open(api_, static_cast<int>(ordinal));
  std::shared_ptr<Device> device = std::move(idle.back());
  idle.pop_back();
  return device;
}

void DevicePool::Return(std::shared_ptr<Device> device) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (device->IsLost()) {
    // A reset takes every stream of the device with it.
    idle_[device->ordinal()].clear();
    if (!device->Recover().ok()) return;
  }
  idle_[device->ordinal()].push_back(std::move(device));
}

}  // namespace assay::cuda
