// Compilers of generated kernels: NVRTC for GPUs, the compiler of the host for the emulator. Both
// get the headers of the kernels from this program (kernel_sources.h). Tests: cuda_text_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_TEXT_TEXT_COMPILER_H_
#define ASSAY_BACKENDS_CUDA_TEXT_TEXT_COMPILER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace assay::cuda::text {

class TextCompiler {
 public:
  virtual ~TextCompiler() = default;
  // Returns what Api::LoadKernel loads. `target` is "sm_90" for a GPU, "compute_90" for its PTX,
  // and "host" for the emulator. Returns INTERNAL with the compiler's messages. Thread-safe.
  virtual absl::StatusOr<std::string> Compile(const std::string& text,
                                              const std::string& target) = 0;
  // Compiles for a GPU, and also returns the PTX from which the image was made. Returns
  // UNIMPLEMENTED if the compiler makes none.
  struct WithPtx {
    std::string image, ptx;
  };
  virtual absl::StatusOr<WithPtx> CompileWithPtx(const std::string& /*text*/,
                                                 const std::string& /*target*/) {
    return absl::UnimplementedError("the compiler makes no PTX");
  }
};

// Loads NVRTC from the library that ASSAY_NVRTC names, or from libnvrtc.so.13. Returns
// UNIMPLEMENTED with one line if there is none.
absl::StatusOr<std::unique_ptr<TextCompiler>> LoadNvrtc();

// Calls the compiler that CXX names, or c++. Returns UNIMPLEMENTED if there is none.
absl::StatusOr<std::unique_ptr<TextCompiler>> FindHostCompiler();

}  // namespace assay::cuda::text

#endif  // ASSAY_BACKENDS_CUDA_TEXT_TEXT_COMPILER_H_
