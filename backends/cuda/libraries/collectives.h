// Collectives by NCCL: one call for each member of a group, on the member's own device and stream.
// Tests: libraries_test.cc.
#ifndef ASSAY_BACKENDS_CUDA_LIBRARIES_COLLECTIVES_H_
#define ASSAY_BACKENDS_CUDA_LIBRARIES_COLLECTIVES_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/cuda/libraries/libraries.h"
#include "spec/ir/module.h"

namespace assay::cuda::libraries {

// Returns true if NCCL computes the collective for a group of `members`: all-reduce, all-gather,
// reduce-scatter and all-to-all of types and reducers that it has, where the parts of all members
// lie one after the other. Minima and maxima of floats are left to the own kernels, because NCCL
// does not say what becomes of a NaN.
bool TakesCollective(const Instruction& collective, int64_t members);

// A member of a group: its stream and its arrays, leaf by leaf.
struct Member {
  Device* device = nullptr;
  std::vector<const std::byte*> operands;
  std::vector<std::byte*> results;
};
// Enqueues a collective that TakesCollective returns true for. The devices are all different.
absl::Status EnqueueCollective(Libraries& libraries, const Instruction& collective,
                               absl::Span<const Member> members);

}  // namespace assay::cuda::libraries

#endif  // ASSAY_BACKENDS_CUDA_LIBRARIES_COLLECTIVES_H_
