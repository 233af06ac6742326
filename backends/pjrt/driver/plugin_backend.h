// A PJRT plug-in behind the interface of backends: modules become programs with a flat entry and
// the options that XLA wants, buffers are the plug-in's. Modules with values that PJRT has no
// buffers for are refused: tokens, sizes that are not known before the run, queues.
// Tests: driver_test.cc.
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

// Flags of the compiler for every module: xla_allow_excess_precision=false.
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

  // Why the plug-in does not take arrays of the type: what it says where a program copies one. OK
  // where it does.
  absl::Status TryType(ElementType type);

 private:
  friend class PluginExecutable;

  // The format that the plug-in takes: "hlo", or "mlir" where it refuses that.
  absl::Status ChooseFormat();
  absl::StatusOr<PluginProgram> ProgramOf(const Module& flat, const std::string& format,
                                          bool logical) const;

  const std::string name_;
  const std::unique_ptr<PluginClient> client_;
  const CompilerFlags flags_;
  std::string format_;  // empty: not chosen yet
};

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_PLUGIN_BACKEND_H_
