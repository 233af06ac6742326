// The flat form of a computation: calls and fusions inlined, tuples resolved, instructions that
// only pass a value on left out. What is known of a region is asked of this form, so that the way
// in which a region is written does not matter.
// Tests: reducer_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_FLAT_COMPUTATION_H_
#define ASSAY_SPEC_ANALYSIS_FLAT_COMPUTATION_H_

#include <memory>

#include "spec/ir/module.h"

namespace assay::analysis {

// Returns the flat form, which has the same parameters and computes the same results; null where
// the computation is flat already, where it has anything but arrays among its parameters, where the
// root needs a value with a token or an opaque part, or where it would grow beyond some thousand
// instructions. Left out are: copy; optimization-barrier; a convert
// to the same type; reshape, bitcast, broadcast, transpose and reverse of a single element; a
// reshape to the same dimensions; instructions that the root does not need. What remains and calls
// computations (a loop, a conditional) calls those of the original.
std::unique_ptr<Computation> FlattenComputation(const Computation& computation);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_FLAT_COMPUTATION_H_
