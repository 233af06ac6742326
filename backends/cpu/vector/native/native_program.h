// The runs of steps of a block program that the second tier compiles, and the decision when to
// compile them. Tests: native_test.cc.
#ifndef ASSAY_BACKENDS_CPU_VECTOR_NATIVE_NATIVE_PROGRAM_H_
#define ASSAY_BACKENDS_CPU_VECTOR_NATIVE_NATIVE_PROGRAM_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/cpu/vector/native/lane_code.h"
#include "backends/cpu/vector/native/native_code.h"
#include "backends/cpu/vector/step.h"
#include "backends/cpu/vector/tier.h"

namespace assay::cpu {

class NativeProgram {
 public:
  // Consecutive steps that become one piece of code.
  struct Run {
    int32_t first = 0, end = 0;
    LaneCode code;
    std::vector<Place> arrays;  // by the numbers of the code's arrays
    std::unique_ptr<const NativeCode> compiled;
  };
  NativeProgram(std::vector<Run> runs, Tier tier);

  // Counts the work of a call, and compiles when there has been enough of it to pay. Returns true
  // if the runs are compiled.
  bool Ready(int64_t elements) const;
  // The runs. A run without code is left to the kernels.
  const std::vector<Run>& runs() const { return runs_; }

 private:
  // Compiling takes some ten microseconds; a step of an element saves a twentieth of a nanosecond.
  static constexpr int64_t kWorkThatPays = 1 << 18;

  mutable std::vector<Run> runs_;  // compiled once
  int64_t steps_ = 0;
  int64_t threshold_;
  mutable std::atomic<int64_t> work_{0};
  mutable std::atomic<bool> ready_{false};
  mutable std::once_flag once_;
};

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_VECTOR_NATIVE_NATIVE_PROGRAM_H_
