// Copies the values of a handover from one frame to another. It is inline because a loop on small
// arrays calls it five times in each iteration. Tests: interpreter/plan_values_test.cc.
#ifndef ASSAY_RUNTIME_COPY_RUNS_H_
#define ASSAY_RUNTIME_COPY_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/plan.h"

namespace assay::runtime {

// Copies between the arenas of two frames.
inline void CopyRuns(const Handover& handover, const std::byte* from, std::byte* to) {
  for (const Handover::Run& run : handover.runs) {
    const std::byte* source = from + run.from;
    std::byte* target = to + run.to;
    if (run.bytes == 4) {
      std::memcpy(target, source, 4);
    } else if (run.bytes >= kPlaceBytes) {
      for (int32_t i = 0; i < run.bytes; i += kPlaceBytes) {
        std::memcpy(target + i, source + i, kPlaceBytes);
      }
    } else if (run.bytes == 8) {
      std::memcpy(target, source, 8);
    } else {
      for (int32_t i = 0; i < run.bytes; ++i) target[i] = source[i];
    }
  }
}

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_COPY_RUNS_H_
