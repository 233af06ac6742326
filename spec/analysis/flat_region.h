// A called computation on scalars as one flat list of steps on numbered registers. An engine binds
// a function, a vector operation or a line of source text to each step; this file does not know
// what steps compute. Reducers, comparators, map bodies and scalar loops are such computations.
// Tests: flat_region_test.cc, evaluator/region/scalar_program_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_FLAT_REGION_H_
#define ASSAY_SPEC_ANALYSIS_FLAT_REGION_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/element/element.h"
#include "spec/ir/module.h"

namespace assay::analysis {

struct FlatRegion {
  // The instruction defines the operation, types and attributes. It belongs to the computation of
  // the region or to one that it calls.
  struct Step {
    const Instruction* instruction = nullptr;
    std::array<int32_t, 3> operands = {};  // registers; as many as the instruction has operands
    int32_t result;
  };
  std::vector<Step> steps;                             // each after those whose results it reads
  std::vector<std::pair<int32_t, Element>> constants;  // register and value
  std::vector<int32_t> results;                        // registers of the leaves of the root
  std::vector<ElementType> parameter_types;            // of registers 0, 1, ...
  std::vector<ElementType> result_types;
  int64_t register_count = 0;
};

// Flattens a computation. Returns UNIMPLEMENTED if the computation (its calls included) has
// anything but elementwise operations on scalars: an array, a loop, an operation that is not
// elementwise (bitcast-convert is allowed), or if it is too large once its calls are written out.
// Parameters and results may be tuples of scalars; they are numbered by leaves in pre-order. With
// `lanes`, arrays of these dimensions count as scalars too: the region then computes one element of
// each, from the elements at the same index and the scalars (UNIMPLEMENTED if the computation moves
// elements).
absl::StatusOr<FlatRegion> FlattenRegion(const Computation& computation,
                                         absl::Span<const int64_t> lanes = {});

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_FLAT_REGION_H_
