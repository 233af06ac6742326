// A loop body or condition on arrays of few elements as a scalar program with a register for each
// element, so that moves of elements (slice, concatenate, transpose ...) cost nothing. Arrays of
// many elements are part of the state only as wholes: the program reads slices of them
// (dynamic-slice) and writes slices of them (dynamic-update-slice), as loops that scan arrays do.
// Tests: element_loop_test.cc.
#ifndef ASSAY_BACKENDS_CPU_ELEMENT_REGION_H_
#define ASSAY_BACKENDS_CPU_ELEMENT_REGION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/analysis/flat_region.h"
#include "spec/ir/module.h"

namespace assay::cpu {

// The largest number of elements of an array that becomes registers.
inline constexpr int64_t kMostElementsInRegisters = 16;

// Returns true if the elements of a leaf of the state become registers.
bool IsInRegisters(const Shape& leaf);

struct ElementRegion {
  // The slice of a large leaf of the state that one instruction reads or writes.
  struct Slice {
    int64_t leaf = 0;
    Dimensions sizes, limits;       // of the slice and of the leaf
    std::vector<int32_t> starts;    // registers, one for each dimension
    std::vector<int32_t> elements;  // registers in row-major order
    ElementType start_type = ElementType::kInvalid;
  };
  // The parameters are the elements of the leaves in registers, then those of all slices that are
  // read. The results are the elements of the leaves in registers.
  analysis::FlatRegion flat;
  // All slices are read before any is written. A leaf has at most one slice that is written.
  std::vector<Slice> reads, writes;
  int64_t instructions = 0;  // the number that the region consists of, moves included
};

// Flattens a computation on the leaves of the state. Returns UNIMPLEMENTED unless it consists of
// elementwise operations and moves on arrays of few elements and of slices of large leaves.
absl::StatusOr<ElementRegion> FlattenElements(const Computation& computation);

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_ELEMENT_REGION_H_
