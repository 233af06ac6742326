// The computation of a map as one of whole arrays, so that it is enclosed instruction by
// instruction. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_MAPPED_REGION_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_MAPPED_REGION_H_

#include <memory>

#include "spec/ir/module.h"

namespace assay {

// Its entry takes the operands of the map and gives its result. Null where the computation does
// more than elementwise operations, or where sizes are dynamic.
std::unique_ptr<Module> MapOfArrays(const Instruction& map);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_MAPPED_REGION_H_
