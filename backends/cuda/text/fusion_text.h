// The source of a kernel for one fusion: the program of a launch of Elementwise as straight code, a
// call of Apply for each step, whose step is a constant. The meaning of operations stays in the
// headers of the kernels, so that the bits are those of the kernel that interprets the program.
// Sizes, strides and addresses remain parameters: fusions that differ in those alone have one text.
// Tests: cuda_text_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_TEXT_FUSION_TEXT_H_
#define ASSAY_BACKENDS_CUDA_TEXT_FUSION_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "backends/cuda/kernel_table.h"

namespace assay::cuda::text {

// The name of the kernel in every text.
inline constexpr char kKernelName[] = "AssayFusion";

// Returns the text for a launch of a plan. Returns nothing for launches of other kernels and for
// programs of one step, which gain nothing.
std::optional<std::string> FusionText(const KernelLaunch& launch, const KernelPlan& plan);

}  // namespace assay::cuda::text

#endif  // ASSAY_BACKENDS_CUDA_TEXT_FUSION_TEXT_H_
