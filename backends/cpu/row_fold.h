// Sums and extreme values of common types in plain loops: they fold contiguous elements into one,
// or one short row into another. A call costs a few nanoseconds, less than a block function of few
// elements. The order of a fold depends only on the number of elements, so every instruction set
// gives the same bits. Tests: kernels_test.cc, conformance/runner/cpu_suite_test.cc.
#ifndef ASSAY_BACKENDS_CPU_ROW_FOLD_H_
#define ASSAY_BACKENDS_CPU_ROW_FOLD_H_

#include <cstddef>
#include <cstdint>

#include "spec/element/element_type.h"
#include "spec/op_info.h"

namespace assay::cpu {

struct RowFunctions {
  // Sets *acc to the fold of n > 0 elements, first in lanes and then as a tree.
  void (*fold)(const std::byte* x, int64_t n, std::byte* acc) = nullptr;
  // Computes acc[i] = f(acc[i], x[i]). The rows must not overlap.
  void (*combine)(std::byte* acc, const std::byte* x, int64_t n) = nullptr;
};

// Returns null functions if there are none for the operation and type.
RowFunctions FindRowFunctions(Opcode opcode, ElementType type);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_ROW_FOLD_H_
