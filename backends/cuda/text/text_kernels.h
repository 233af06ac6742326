// The generated kernels of a backend, compiled at their first use and kept: in memory, and, if
// there is a folder, in a file for each. A file holds the text beside the image and its hash, and
// is used only for the same text, target and version. Thread-safe. Tests: cuda_text_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_TEXT_TEXT_KERNELS_H_
#define ASSAY_BACKENDS_CUDA_TEXT_TEXT_KERNELS_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "backends/cuda/device/api.h"
#include "backends/cuda/kernel_table.h"
#include "backends/cuda/text/text_compiler.h"

namespace assay::cuda::text {

class TextKernels {
 public:
  // `folder` is empty for none.
  TextKernels(std::shared_ptr<Api> api, std::unique_ptr<TextCompiler> compiler, std::string target,
              std::string folder)
      : api_(std::move(api)),
        compiler_(std::move(compiler)),
        target_(std::move(target)),
        folder_(std::move(folder)) {}
  // Finds the compiler for the devices of `api`. Returns UNIMPLEMENTED if it is missing.
  static absl::StatusOr<std::shared_ptr<TextKernels>> Create(std::shared_ptr<Api> api,
                                                             std::string folder);

  // Returns the generated kernel for a launch of the plan, or null if it has none (FusionText). The
  // kernel lives as long as the process.
  absl::StatusOr<const Entry*> Find(const KernelLaunch& launch, const KernelPlan& plan);

 private:
  absl::StatusOr<std::string> ImageOf(const std::string& text);

  const std::shared_ptr<Api> api_;
  const std::unique_ptr<TextCompiler> compiler_;
  const std::string target_, folder_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by text
};

}  // namespace assay::cuda::text

#endif  // ASSAY_BACKENDS_CUDA_TEXT_TEXT_KERNELS_H_
