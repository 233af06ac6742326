#include "backends/cuda/device/plugin_loader.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace assay::cuda {
namespace {

std::string DefaultPath() {
  if (const char* const path = std::getenv("ASSAY_CUDA_PLUGIN"); path != nullptr) return path;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / "assay_cuda.so").string();
}

}  // namespace

absl::StatusOr<std::shared_ptr<Api>> LoadPlugin(const std::string& path) {
  const std::string file = path.empty() ? DefaultPath() : path;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    return absl::UnimplementedError(absl::StrCat(
        "CUDA: the plug-in is missing (", reason == nullptr ? file.c_str() : reason,
        "); build the target assay_cuda_plugin with nvcc and set ASSAY_CUDA_PLUGIN to its path"));
  }
  const auto function = reinterpret_cast<PluginFunction>(dlsym(library, kPluginSymbol));
  if (function == nullptr) {
    dlclose(library);
    return absl::UnimplementedError(absl::StrCat("CUDA: ", file, " is no plug-in of Assay"));
  }
  Api* const api = function(kPluginVersion);
  if (api == nullptr) {
    dlclose(library);
    return absl::UnimplementedError(
        absl::StrCat("CUDA: the plug-in ", file, " was built for another version of Assay"));
  }
  // Kernels stay registered with the runtime: the library is never unloaded.
  return std::shared_ptr<Api>(api, [](Api*) {});
}

}  // namespace assay::cuda
