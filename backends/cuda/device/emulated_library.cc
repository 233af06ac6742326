#include "backends/cuda/device/emulated_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace assay::cuda {
namespace {

emulator::BuiltIns* BuiltInsOfThisThread() { return &emulator::built_ins; }

// Opens a library whose file is removed at once.
void* OpenLibrary(const void* image, size_t bytes) {
  std::error_code error;
  std::string file = (std::filesystem::temp_directory_path(error) / "assay_kernel_XXXXXX").string();
  const int descriptor = mkstemp(file.data());
  if (descriptor < 0) return nullptr;
  const ssize_t written = write(descriptor, image, bytes);
  close(descriptor);
  void* const library = written == static_cast<ssize_t>(bytes)
                            ? dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)
                            : nullptr;
  unlink(file.c_str());
  return library;
}

}  // namespace

Error LoadHostKernel(const void* image, size_t bytes, const char* name, Entry* entry) {
  void* const library = OpenLibrary(image, bytes);
  if (library == nullptr) return Error::kInvalidValue;
  using BuiltInsFunction = emulator::BuiltIns* (*)();
  auto* const built_ins = static_cast<BuiltInsFunction*>(dlsym(library, "AssayBuiltIns"));
  entry->run_thread = reinterpret_cast<void (*)(void**)>(dlsym(library, name));
  if (built_ins == nullptr || entry->run_thread == nullptr) {
    dlclose(library);
    return Error::kInvalidValue;
  }
  *built_ins = &BuiltInsOfThisThread;
  return Error::kSuccess;
}

}  // namespace assay::cuda
