// Rewrites the computation of a map on whole arrays, so that it is enclosed instruction by
// instruction. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_MAPPED_REGION_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_MAPPED_REGION_H_

#include <memory>

#include "spec/ir/module.h"

namespace assay::conformance {

// Returns a module whose entry takes the operands of the map and returns its result. Returns null
// if the computation has other than elementwise operations or sizes are dynamic.
std::unique_ptr<Module> MapOfArrays(const Instruction& map);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_MAPPED_REGION_H_
