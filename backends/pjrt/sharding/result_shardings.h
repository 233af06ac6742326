// The shardings of results that the host leaves to the compiler. A result gets the sharding of the
// value that it is, or that it is computed of: element by element, by transposition, broadcast,
// reduction over other dimensions, or as an operand of a dot, the left one first. XLA's partitioner
// goes further, and merges the shardings of several operands. Tests: global_shapes_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_SHARDING_RESULT_SHARDINGS_H_
#define ASSAY_BACKENDS_PJRT_SHARDING_RESULT_SHARDINGS_H_

#include <cstddef>
#include <optional>

#include "spec/ir/module.h"

namespace assay::pjrt {

// Returns the sharding of a leaf of the entry's result, or none if no sharding reaches it.
// Shardings that cannot be read do not reach it, and neither do those behind more than 4,096 calls.
std::optional<Sharding> PropagatedSharding(const Module& module, size_t leaf);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_SHARDING_RESULT_SHARDINGS_H_
