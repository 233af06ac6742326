// Windows that reach from an element to the beginning or the end of its line: cumulative sums,
// products, minima and maxima as JAX writes them. They are one pass over the line, while the
// general kernel would fold every window anew. Tests: running_window_test.cc.
#ifndef ASSAY_BACKENDS_CPU_RUNNING_WINDOW_H_
#define ASSAY_BACKENDS_CPU_RUNNING_WINDOW_H_

#include <memory>

#include "backends/cpu/fold.h"
#include "backends/cpu/kernels.h"

namespace assay::cpu {

// Returns null if the windows of a reduce-window are others, or if its fold does not allow one
// pass.
std::unique_ptr<Kernel> PrepareRunningWindow(const Instruction& reduce_window,
                                             std::shared_ptr<const Fold> fold);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_RUNNING_WINDOW_H_
