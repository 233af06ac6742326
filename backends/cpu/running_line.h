// Cumulative sums, products, minima and maxima of one line in one pass, for types with machine
// arithmetic. Sums and products of f32 are kept in f64, products of f64 in scaled numbers
// (scaled.h). Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_RUNNING_LINE_H_
#define ASSAY_BACKENDS_CPU_RUNNING_LINE_H_

#include <cstddef>
#include <cstdint>

#include "spec/analysis/reducer.h"
#include "spec/element/element_type.h"

namespace assay::cpu {

struct RunningLine {
  const std::byte* in;
  std::byte* out;  // the prefixes; null if only the carry is needed
  const std::byte* init;
  std::byte* carry;
  int64_t steps, first, stride;  // counted in elements; a negative stride runs from the end
  bool after;                    // true if a prefix includes the element at its position
};
using RunningFunction = void (*)(const RunningLine& line);

// Returns null if there is none for the kind and type.
RunningFunction FindRunningFunction(analysis::ReducerKind kind, ElementType type);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_RUNNING_LINE_H_
