// The CUDA backend: `cuda` over the plug-in and the devices of the machine, `cuda-emulated` over
// the emulated runtime. Nothing of it has run on a GPU. Tests: cuda_backend_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_CUDA_BACKEND_H_
#define ASSAY_BACKENDS_CUDA_CUDA_BACKEND_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/cuda/device/emulated_runtime.h"
#include "backends/cuda/device_pool.h"
#include "backends/cuda/libraries/provider.h"
#include "backends/cuda/text/text_kernels.h"
#include "backends/engine_backend.h"
#include "runtime/custom_calls/custom_call.h"

namespace assay::cuda {

// How fusions run. The results have the same bits.
enum class FusionTier : uint8_t {
  kKernels,   // every operation is a launch of its own
  kBytecode,  // a launch of the kernel that interprets programs
  kText,      // a generated kernel (text/), where its compiler is present; otherwise kBytecode
};

// From which run on a module runs as graphs, where that is possible.
enum class GraphUse : uint8_t { kNever, kFromSecondRun, kFromFirstRun };

struct CudaOptions {
  runtime::RunOptions run = {};
  double seconds = -1;  // that planning a module may take; negative: unlimited
  FusionTier fuse = FusionTier::kBytecode;
  GraphUse graphs = GraphUse::kFromSecondRun;
  std::string texts = {};  // the folder that keeps generated kernels; empty for none
  bool libraries = false;  // NVIDIA's libraries compute what they can (libraries/)
  // Targets beside the well-known ones; null for none. Must outlive the backend.
  const runtime::CustomCallRegistry* custom_calls = nullptr;
};

// Parses "fuse=text,graphs=off,texts=FOLDER", in any order, the options of the target cuda.
absl::StatusOr<CudaOptions> ParseCudaOptions(absl::string_view text);

// The options of cuda-emulated.
struct CudaEmulatedOptions : cuda::EmulatorOptions {
  FusionTier fuse = FusionTier::kBytecode;
  GraphUse graphs = GraphUse::kFromSecondRun;
  std::string texts;  // the folder that keeps generated kernels; empty for none
  bool libraries = false;
};
// Parses "schedule=random,seed=3,devices=2,memory=1073741824", in any order; an empty text gives
// the defaults. Returns INVALID_ARGUMENT with the name of an unknown option.
absl::StatusOr<CudaEmulatedOptions> ParseEmulatorOptions(absl::string_view text);

class CudaBackend : public EngineBackend {
 public:
  // Returns UNIMPLEMENTED if the driver or a device is missing or the version does not fit.
  static absl::StatusOr<std::unique_ptr<CudaBackend>> Create(std::string name,
                                                             std::shared_ptr<cuda::Api> api,
                                                             CudaOptions options = {});
  absl::string_view name() const override { return name_; }
  BackendCapabilities capabilities() const override;
  absl::Status Supports(const Module& module) override;

 protected:
  // CudaStats: launches, copies, waits.
  std::unique_ptr<runtime::RunStats> NewStats() const override;
  absl::StatusOr<std::shared_ptr<const runtime::ModulePlan>> Plan(
      const Module& module, const CompileOptions& options) override;

 private:
  CudaBackend(std::string name, std::shared_ptr<cuda::DevicePool> pool, CudaOptions options,
              std::shared_ptr<text::TextKernels> texts,
              std::shared_ptr<libraries::LibraryProvider> provider)
      : EngineBackend(options.run),
        name_(std::move(name)),
        pool_(std::move(pool)),
        seconds_(options.seconds),
        fuse_(options.fuse != FusionTier::kKernels),
        graphs_(options.graphs),
        custom_calls_(options.custom_calls),
        texts_(std::move(texts)),
        provider_(std::move(provider)) {}

  const std::string name_;
  const std::shared_ptr<cuda::DevicePool> pool_;
  const double seconds_;
  const bool fuse_;
  const GraphUse graphs_;
  const runtime::CustomCallRegistry* const custom_calls_;
  const std::shared_ptr<text::TextKernels> texts_;              // null unless fusions are generated
  const std::shared_ptr<libraries::LibraryProvider> provider_;  // null unless libraries are called
};

}  // namespace assay::cuda

#endif  // ASSAY_BACKENDS_CUDA_CUDA_BACKEND_H_
