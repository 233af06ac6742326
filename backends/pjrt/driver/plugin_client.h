// A client of a loaded plug-in, with its devices, arrays and programs. It runs in this process;
// driver_main.cc runs it in a process of its own, to isolate crashes. Tests: driver_test.cc.
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

// A buffer of the plug-in. The destructor destroys it.
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

// A program in the form that the plug-in compiles.
struct PluginProgram {
  std::string code;
  std::string format;   // "hlo" or "mlir"
  std::string options;  // serialised CompileOptions
};

class PluginProgramHandle;

class PluginClient {
 public:
  // Creates a client. The text of an option decides if it is passed as an integer, a boolean (true,
  // false) or a string. Returns the plug-in's errors.
  static absl::StatusOr<std::unique_ptr<PluginClient>> Create(const PluginLibrary& library,
                                                              const PluginOptions& options);
  ~PluginClient();

  const PluginLibrary& library() const { return library_; }
  const std::string& platform_name() const { return platform_name_; }
  const std::string& platform_version() const { return platform_version_; }
  // Returns the ids of the addressable devices.
  const std::vector<int64_t>& device_ids() const { return device_ids_; }
  // Returns "StableHLO 1.17.0", or an empty text if the plug-in does not report a version.
  const std::string& stablehlo_version() const { return stablehlo_version_; }

  // Copies a dense array to a device.
  absl::StatusOr<std::unique_ptr<PluginArray>> Upload(const Literal& array, size_t device) const;
  // Copies a buffer to the host. Returns INTERNAL if it does not hold an array of this shape.
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

  // Queries the executable's number of results and its devices. Returns INTERNAL if the numbers are
  // not `results` and `devices`.
  absl::Status Check(size_t results, size_t devices);
  // Returns, by device of the executable, the index of a device of the client.
  const std::vector<size_t>& devices() const { return devices_; }

  // Executes the program on arguments by device of the executable, and waits until it has finished.
  // Donated arguments are invalid afterwards. Stores the time in `seconds`.
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
