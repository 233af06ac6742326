// The table of functions of the CUDA runtime, from a plug-in: a library of its own, so that
// programs link no CUDA library and work where there is none. Tests: device_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_LOADER_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_LOADER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "backends/cuda/device/api.h"
#include "backends/cuda/device/plugin.h"

namespace assay::cuda {

// The plug-in at a path; empty: $ASSAY_CUDA_PLUGIN, or assay_cuda.so beside the program.
// UNIMPLEMENTED says that it is missing, does not load or has another version.
absl::StatusOr<std::shared_ptr<Api>> LoadPlugin(const std::string& path = {});

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_LOADER_H_
