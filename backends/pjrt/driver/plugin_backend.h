// A PJRT plug-in as a backend. Modules are compiled with a flat entry and XLA's options; buffers
// are the plug-in's. Modules with values that PJRT buffers cannot hold are rejected: tokens,
// dynamic sizes, queues. Tests: driver_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_BACKEND_H_
#define ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_BACKEND_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/pjrt/driver/plugin_client.h"

namespace assay::pjrt {

// Compiler flags for every module, such as xla_allow_excess_precision=false.
using CompilerFlags = std::vector<std::pair<std::string, std::string>>;

class PluginBackend : public Backend {
 public:
  PluginBackend(std::string name, std::unique_ptr<PluginClient> client, CompilerFlags flags = {})
      : name_(std::move(name)), client_(std::move(client)), flags_(std::move(flags)) {}

  absl::string_view name() const override { return name_; }
  std::string display_name() override;
  BackendCapabilities capabilities() const override {
    return {.devices = static_cast<int64_t>(client_->device_ids().size())};
  }
  absl::Status Supports(const Module& module) override;
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const Module& module,
                                                      const CompileOptions& options = {}) override;
  absl::StatusOr<BufferHandle> Upload(const Literal& array, int64_t device) override;
  absl::StatusOr<Literal> Download(const Buffer& buffer) override;

  int32_t minor_version() const { return client_->library().minor_version(); }

  // Returns OK if the plug-in supports arrays of the type, otherwise its error for a program that
  // copies one.
  absl::Status TryType(ElementType type);

 private:
  friend class PluginExecutable;

  // Selects the format of programs: "hlo", or "mlir" if the plug-in rejects that.
  absl::Status ChooseFormat();
  absl::StatusOr<PluginProgram> ProgramOf(const Module& flat, const std::string& format,
                                          bool logical) const;

  const std::string name_;
  const std::unique_ptr<PluginClient> client_;
  const CompilerFlags flags_;
  std::string format_;  // empty until it is selected
};

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_BACKEND_H_
