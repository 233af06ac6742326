// Running sums, products, minima and maxima of one line in one pass, for the types that have
// machine arithmetic. Sums and products of f32 are kept in f64. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_RUNNING_LINE_H_
#define ASSAY_BACKENDS_CPU_RUNNING_LINE_H_

#include <cstddef>
#include <cstdint>

#include "spec/analysis/reducer.h"
#include "spec/element/element_type.h"

namespace assay::cpu {

struct RunningLine {
  const std::byte* in;
  std::byte* out;  // the prefixes; null: only the carry is wanted
  const std::byte* init;
  std::byte* carry;
  int64_t steps, first, stride;  // elements; negative stride: from the end
  bool after;                    // prefixes hold the element at their position
};
using RunningFunction = void (*)(const RunningLine& line);

// Null where there is none.
RunningFunction FindRunningFunction(analysis::ReducerKind kind, ElementType type);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_RUNNING_LINE_H_
