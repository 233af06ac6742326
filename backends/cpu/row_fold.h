// Sums and extremes of common types in plain loops: of elements that lie one after the other into
// one, and of a short row into another. A call costs a few nanoseconds, which block functions of
// few elements do not reach. Results depend on the number of elements alone, and are the same for
// every instruction set. Tests: kernels_test.cc, conformance/runner/cpu_suite_test.cc.
#ifndef ASSAY_BACKENDS_CPU_ROW_FOLD_H_
#define ASSAY_BACKENDS_CPU_ROW_FOLD_H_

#include <cstddef>
#include <cstdint>

#include "spec/element/element_type.h"
#include "spec/op_info.h"

namespace assay::cpu {

struct RowFunctions {
  // *acc = the fold of n > 0 elements, in lanes and then as a tree.
  void (*fold)(const std::byte* x, int64_t n, std::byte* acc) = nullptr;
  // acc[i] = f(acc[i], x[i]). The rows do not overlap.
  void (*combine)(std::byte* acc, const std::byte* x, int64_t n) = nullptr;
};

// Null functions where there are none for the operation and type.
RowFunctions FindRowFunctions(Opcode opcode, ElementType type);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_ROW_FOLD_H_
