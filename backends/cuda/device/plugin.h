// The interface between a plug-in (plugin/cuda_api.cu) and the program that loads it. Tests:
// device_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_H_

#include "backends/cuda/device/api.h"

namespace assay::cuda {

// The version of the interface, which increases with every change of api.h and entry.h.
inline constexpr int kPluginVersion = 3;
// The function that a plug-in exports. It returns the table, which lives as long as the process, or
// null if the plug-in was built for another version.
using PluginFunction = Api* (*)(int version);
inline constexpr char kPluginSymbol[] = "AssayCudaApi";

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_H_
