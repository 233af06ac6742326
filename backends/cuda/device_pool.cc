#include "backends/cuda/device_pool.h"

namespace assay::cuda {

DevicePool::DevicePool(std::shared_ptr<Api> api, int devices)
    : api_(std::move(api)), places_(devices < 1 ? 1 : devices) {}

absl::StatusOr<std::shared_ptr<Device>> DevicePool::Take() {
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t ordinal = next_;
  next_ = (next_ + 1) % places_.size();
  Place& place = places_[ordinal];
  if (place.idle.empty()) {
    place.idle.push_back(Device::Create(api_, static_cast<int>(ordinal), place.epoch));
  }
  if (absl::Status status = Restore(); !status.ok()) return status;
  std::shared_ptr<Device> device = std::move(place.idle.back());
  place.idle.pop_back();
  ++taken_;
  return device;
}

void DevicePool::Return(std::shared_ptr<Device> device) {
  std::lock_guard<std::mutex> lock(mutex_);
  places_[device->ordinal()].idle.push_back(std::move(device));
  --taken_;
  Restore().IgnoreError();  // of a device that stays lost; the next run says so
}

absl::Status DevicePool::Restore() {
  absl::Status status;
  if (taken_ > 0) return status;
  for (Place& place : places_) {
    if (place.idle.empty() || !place.idle.back()->IsLost()) continue;
    status.Update(place.idle.back()->Recover());
  }
  return status;
}

}  // namespace assay::cuda
