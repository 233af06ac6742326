// What a plug-in (plugin/cuda_api.cu) and the program that loads it agree on.
#ifndef ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_H_
#define ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_H_

#include "backends/cuda/device/api.h"

namespace assay::cuda {

// The interface between program and plug-in has a number, which rises with api.h and entry.h.
inline constexpr int kPluginVersion = 1;
// What a plug-in exports: its table, or null if it was built for another version. It lives as long
// as the process.
using PluginFunction = Api* (*)(int version);
inline constexpr char kPluginSymbol[] = "AssayCudaApi";

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_DEVICE_PLUGIN_H_
