// Libraries as a second provider of operations beside the own kernels: which instructions go to
// which library, and by which call. What a library does not take is left to the own kernels. A
// library rounds otherwise than the own kernels: results are judged by the profile cuda-libraries.
// Tests: libraries_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_LIBRARIES_PROVIDER_H_
#define ASSAY_BACKENDS_CUDA_LIBRARIES_PROVIDER_H_

#include <memory>
#include <optional>
#include <utility>

#include "backends/cuda/kernel_table.h"
#include "backends/cuda/libraries/libraries.h"

namespace assay::cuda::libraries {

using LibrariesPtr = std::shared_ptr<Libraries>;

class LibraryProvider : public KernelProvider {
 public:
  explicit LibraryProvider(LibrariesPtr libraries) : libraries_(std::move(libraries)) {}
  Libraries& libraries() const { return *libraries_; }
  std::optional<KernelPlan> Prepare(const Instruction& instruction) override;
  std::optional<KernelPlan> PrepareDotAndBias(const Instruction& dot,
                                              const Instruction& bias) override;

 private:
  const LibrariesPtr libraries_;
};

// The operations and types that a library takes.
struct LibraryUse {
  Opcode opcode;
  Library library;
  const char* types;  // "f32 f64"
};
absl::Span<const LibraryUse> LibraryUses();

// Return the plan of an instruction, or nothing if the library does not take it.
// dot of f16, bf16, f32, f64, c64 and c128 (matmul.cc). `bias` adds operand 2 to each row.
std::optional<KernelPlan> PrepareMatmul(const LibrariesPtr& libraries, const Instruction& dot,
                                        bool bias);
// convolution of f16, bf16, f32 and f64 in one to three dimensions (convolution.cc).
std::optional<KernelPlan> PrepareConvolution(const LibrariesPtr& libraries,
                                             const Instruction& convolution);
// fft (transforms.cc).
std::optional<KernelPlan> PrepareTransform(const LibrariesPtr& libraries, const Instruction& fft);
// cholesky and triangular-solve of f32, f64, c64 and c128 (factors.cc).
std::optional<KernelPlan> PrepareFactor(const LibrariesPtr& libraries, const Instruction& cholesky);
std::optional<KernelPlan> PrepareSolve(const LibrariesPtr& libraries, const Instruction& solve);

// Returns the cudaDataType of a type, or nothing.
std::optional<int> DataTypeOf(ElementType type);
// Adds a call on these arrays to a plan.
void AddCall(KernelPlan& plan, std::shared_ptr<const LibraryCall> call,
             std::initializer_list<BufferUse> arrays);

}  // namespace assay::cuda::libraries

#endif  // ASSAY_BACKENDS_CUDA_LIBRARIES_PROVIDER_H_
