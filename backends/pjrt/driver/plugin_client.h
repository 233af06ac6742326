// A client of a loaded plug-in: its devices, arrays on them, programs compiled and executed there.
// Everything in this process; who needs to be safe from the plug-in runs it in another one
// (driver_main.cc). Tests: driver_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_CLIENT_H_
#define ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/pjrt/driver/plugin_library.h"
#include "spec/ir/literal.h"

namespace assay::pjrt {

using PluginOptions = std::vector<std::pair<std::string, std::string>>;

// A buffer of the plug-in, which its owner destroys.
class PluginArray {
 public:
  PluginArray(const PluginLibrary& library, PJRT_Buffer* buffer)
      : library_(library), buffer_(buffer) {}
  ~PluginArray();
  PluginArray(const PluginArray&) = delete;
  PluginArray& operator=(const PluginArray&) = delete;
  PJRT_Buffer* get() const { return buffer_; }

 private:
  const PluginLibrary& library_;
  PJRT_Buffer* buffer_;
};

// A program as the plug-in takes it.
struct PluginProgram {
  std::string code;
  std::string format;   // "hlo" or "mlir"
  std::string options;  // serialised CompileOptions
};

class PluginProgramHandle;

class PluginClient {
 public:
  // Options are handed to the plug-in as integers, truth values (true, false) or strings, by their
  // form. Errors are the plug-in's.
  static absl::StatusOr<std::unique_ptr<PluginClient>> Create(const PluginLibrary& library,
                                                              const PluginOptions& options);
  ~PluginClient();

  const PluginLibrary& library() const { return library_; }
  const std::string& platform_name() const { return platform_name_; }
  const std::string& platform_version() const { return platform_version_; }
  // The ids of the devices that programs run on here.
  const std::vector<int64_t>& device_ids() const { return device_ids_; }
  // "StableHLO 1.17.0", as far as the plug-in says so; else empty.
  const std::string& stablehlo_version() const { return stablehlo_version_; }

  // Copies a dense array to a device.
  absl::StatusOr<std::unique_ptr<PluginArray>> Upload(const Literal& array, size_t device) const;
  // Copies a buffer that should hold an array of this shape. INTERNAL where it holds another one.
  absl::StatusOr<Literal> Download(PJRT_Buffer* buffer, const Shape& shape) const;
  absl::StatusOr<std::unique_ptr<PluginProgramHandle>> Compile(const PluginProgram& program) const;

 private:
  explicit PluginClient(const PluginLibrary& library) : library_(library) {}
  absl::Status ReadNames();
  absl::Status ReadDevices();
  void ReadAttributes();

  const PluginLibrary library_;
  PJRT_Client* client_ = nullptr;
  std::string platform_name_, platform_version_, stablehlo_version_;
  std::vector<PJRT_Device*> devices_;
  std::vector<int64_t> device_ids_;

  friend class PluginProgramHandle;
};

// A loaded executable.
class PluginProgramHandle {
 public:
  PluginProgramHandle(const PluginClient& client, PJRT_LoadedExecutable* executable)
      : client_(client), executable_(executable) {}
  ~PluginProgramHandle();
  PluginProgramHandle(const PluginProgramHandle&) = delete;
  PluginProgramHandle& operator=(const PluginProgramHandle&) = delete;

  // Asks the executable how many results there are and which devices it runs on. INTERNAL where
  // these are not `results` and `devices`.
  absl::Status Check(size_t results, size_t devices);
  // By device of the executable, the number of a device of the client.
  const std::vector<size_t>& devices() const { return devices_; }

  // Executes on arguments by device of the executable, and waits for the end. Arguments that are
  // donated are gone afterwards. `seconds` gets the time.
  using Arrays = std::vector<std::unique_ptr<PluginArray>>;
  absl::StatusOr<std::vector<Arrays>> Execute(
      const std::vector<std::vector<PJRT_Buffer*>>& arguments, double* seconds);

 private:
  const PluginClient& client_;
  PJRT_LoadedExecutable* executable_;
  size_t results_ = 0;
  std::vector<size_t> devices_;
};

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_CLIENT_H_
