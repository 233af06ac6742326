#include "backends/cuda/libraries/libraries.h"

#include <dlfcn.h>

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "backends/cuda/device/emulated_runtime.h"

namespace assay::cuda::libraries {
namespace {

struct LibraryRow {
  const char* name;
  int out_of_memory;  // the status of a failed allocation
};
constexpr LibraryRow kRows[kLibraries] = {{"cuBLASLt", 3}, {"cuBLAS", 3},   {"cuDNN", 4003},
                                          {"cuFFT", 2},    {"cuSOLVER", 2}, {"NCCL", -1}};

constexpr char kConnect[] = "AssayConnectDevice";

// The functions of one library, by name.
struct Symbol {
  const char* name;
  void** function;
};
std::vector<Symbol> SymbolsOf(Library wanted, LibraryFunctions& functions, const char** file) {
  std::vector<Symbol> symbols;
#define LIBRARY(name, soname) \
  if (wanted == Library::k##name) *file = soname;
#define LIBRARY_FUNCTION(library, function, parameters)                            \
  if (wanted == Library::k##library) {                                             \
    symbols.push_back({#function, reinterpret_cast<void**>(&functions.function)}); \
  }
#include "backends/cuda/libraries/functions.def"
  return symbols;
}

}  // namespace

absl::string_view NameOf(Library library) { return kRows[static_cast<int>(library)].name; }

absl::Status CheckCall(Library library, absl::string_view function, int error, int device) {
  if (error == 0) return absl::OkStatus();
  const LibraryRow& row = kRows[static_cast<int>(library)];
  const std::string text =
      absl::StrCat("CUDA device ", device, ": ", function, ": error ", error, " of ", row.name);
  return error == row.out_of_memory ? absl::ResourceExhaustedError(text)
                                    : absl::InternalError(text);
}

absl::Status Libraries::Find(Library library) {
  const char* file = "";
  const std::vector<Symbol> symbols = SymbolsOf(library, functions_, &file);
  const char* const folder = std::getenv("ASSAY_CUDA_LIBRARIES");
  const std::string path = folder == nullptr ? file : absl::StrCat(folder, "/", file);
  void* const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto missing = [&](absl::string_view what) {
    return absl::UnimplementedError(
        absl::StrCat(NameOf(library), " is missing (", what, "); own kernels run instead"));
  };
  if (opened == nullptr) {
    const char* const reason = dlerror();
    return missing(reason == nullptr ? path : reason);
  }
  for (const Symbol& symbol : symbols) {
    *symbol.function = dlsym(opened, symbol.name);
    if (*symbol.function == nullptr) return missing(absl::StrCat(path, " has no ", symbol.name));
  }
  const auto connect =
      reinterpret_cast<void (*)(const std::shared_ptr<Api>&)>(dlsym(opened, kConnect));
  const bool emulated = dynamic_cast<EmulatedRuntime*>(api_.get()) != nullptr;
  if (emulated && connect == nullptr) {
    return missing(absl::StrCat(path, " computes on GPUs, and the device is emulated"));
  }
  if (!emulated && connect != nullptr) {
    return missing(absl::StrCat(path, " computes on the host, and the device is a GPU"));
  }
  if (connect != nullptr) connect(api_);
  return absl::OkStatus();
}

absl::Status Libraries::Load(Library library) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Loaded& loaded = loaded_[static_cast<int>(library)];
  if (!loaded.tried) {
    loaded.status = Find(library);
    loaded.tried = true;
    if (!loaded.status.ok()) std::cerr << "cuda: " << loaded.status.message() << "\n";
  }
  return loaded.status;
}

absl::StatusOr<void*> Libraries::Handle(Library library, Device& device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Handles& kept = handles_[&device];
  if (kept.epoch != device.epoch()) {
    kept = Handles();
    kept.epoch = device.epoch();
  }
  Resource& resource = kept.handles[static_cast<int>(library)];
  if (resource.get() != nullptr) return resource.get();
  void* handle = nullptr;
  const auto create = [&](int (*make)(void**), int (*destroy)(void*), absl::string_view name) {
    absl::Status status = CheckCall(library, name, make(&handle), device.ordinal());
    if (status.ok()) resource = Resource(device, handle, destroy);
    return status;
  };
  absl::Status status;
  switch (library) {
    case Library::kCublasLt:
      status = create(functions_.cublasLtCreate, functions_.cublasLtDestroy, "cublasLtCreate");
      break;
    case Library::kCublas:
      status = create(functions_.cublasCreate_v2, functions_.cublasDestroy_v2, "cublasCreate_v2");
      break;
    case Library::kCudnn:
      status = create(functions_.cudnnCreate, functions_.cudnnDestroy, "cudnnCreate");
      break;
    case Library::kCusolver:
      status =
          create(functions_.cusolverDnCreate, functions_.cusolverDnDestroy, "cusolverDnCreate");
      break;
    default:
      return absl::InternalError(absl::StrCat(NameOf(library), " has no handles"));
  }
  if (!status.ok()) return status;
  return handle;
}

absl::StatusOr<std::vector<void*>> Libraries::Communicators(absl::Span<Device* const> devices) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::pair<int, int64_t>> key;
  std::vector<int> ordinals;
  for (const Device* device : devices) {
    key.emplace_back(device->ordinal(), device->epoch());
    ordinals.push_back(device->ordinal());
  }
  std::vector<Resource>& kept = communicators_[key];
  std::vector<void*> values(devices.size());
  if (kept.empty()) {
    absl::Status status = CheckCall(
        Library::kNccl, "ncclCommInitAll",
        functions_.ncclCommInitAll(values.data(), static_cast<int>(values.size()), ordinals.data()),
        ordinals[0]);
    if (!status.ok()) return status;
    for (size_t k = 0; k < values.size(); ++k) {
      kept.emplace_back(*devices[k], values[k], functions_.ncclCommDestroy);
    }
  }
  for (size_t k = 0; k < values.size(); ++k) values[k] = kept[k].get();
  return values;
}

}  // namespace assay::cuda::libraries
