// Sorts lines by a comparator that is not recognised. It is a stable merge sort that runs many
// merges in parallel, so that the comparator runs on blocks of pairs. Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_LINE_SORT_H_
#define ASSAY_BACKENDS_CPU_LINE_SORT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "backends/cpu/region.h"
#include "runtime/context.h"

namespace assay::cpu {

// Sorts `lines` lines of `length` items. `arrays` hold the values of the items, line after line;
// `bytes` is the size of an element of each array. Writes to `order` the positions of each line's
// items in their new order. Returns the errors of the comparator and of the budget.
absl::Status SortLines(const Region& comparator, absl::Span<const std::byte* const> arrays,
                       absl::Span<const int64_t> bytes, int64_t lines, int64_t length,
                       int32_t* order, runtime::Context& context);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_LINE_SORT_H_
