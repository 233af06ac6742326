// Loads the table of functions of the CUDA runtime from a plug-in. The plug-in is a library of its
// own, so that programs do not link a CUDA library and run on machines without one. Tests:
// device_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_LOADER_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_LOADER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "backends/cuda/device/api.h"
#include "backends/cuda/device/plugin.h"

namespace assay::cuda {

// Loads the plug-in at a path. An empty path means $ASSAY_CUDA_PLUGIN, or assay_cuda.so beside the
// program. Returns UNIMPLEMENTED if the plug-in is missing, does not load or has another version.
absl::StatusOr<std::shared_ptr<Api>> LoadPlugin(const std::string& path = {});

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_LOADER_H_
