// The attributes of emulated devices. Tests: device_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_ATTRIBUTES_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_ATTRIBUTES_H_

#include "backends/cuda/device/api.h"

namespace assay::cuda {

// The most bytes of dynamic shared memory that a kernel may ask for.
inline constexpr int kMostSharedBytes = 227 << 10;

constexpr int EmulatedAttribute(DeviceAttribute attribute) {
  switch (attribute) {
    case DeviceAttribute::kMaxThreadsPerBlock:
      return 1024;
    case DeviceAttribute::kMaxSharedMemoryPerBlock:
      return 48 << 10;
    case DeviceAttribute::kMultiProcessorCount:
      return 4;
    case DeviceAttribute::kComputeCapabilityMajor:
      return 9;
    case DeviceAttribute::kComputeCapabilityMinor:
      return 0;
    case DeviceAttribute::kMaxSharedMemoryPerBlockOptin:
      return kMostSharedBytes;
  }
  return 0;
}

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_EMULATED_ATTRIBUTES_H_
