// The flat form of a computation: calls and fusions inlined, tuples resolved, instructions that
// only forward a value removed. Regions are recognised in this form, so that it does not matter how
// a region is written. Tests: reducer_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_FLAT_COMPUTATION_H_
#define ASSAY_SPEC_ANALYSIS_FLAT_COMPUTATION_H_

#include <memory>

#include "spec/ir/module.h"

namespace assay::analysis {

// Returns the flat form, which has the same parameters and computes the same results. Returns null
// if the computation is flat already, if a parameter is not an array, if the root needs a value
// with a token or an opaque part, or if it would have more than some thousand instructions. Removed
// are copy, optimization-barrier, a convert to the same type, a reshape, bitcast, broadcast,
// transpose or reverse of a single element, a reshape to the same dimensions, and instructions that
// the root does not need. Remaining instructions that call computations (a loop, a conditional)
// call those of the original.
std::unique_ptr<Computation> FlattenComputation(const Computation& computation);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_FLAT_COMPUTATION_H_
