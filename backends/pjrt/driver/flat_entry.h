// Modules as PJRT takes them. Buffers are arrays, so an entry has array parameters and gives an
// array or one tuple of arrays; XLA's own plug-in aborts on some entries with tuples.
// Tests: flat_entry_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_DRIVER_FLAT_ENTRY_H_
#define ASSAY_BACKENDS_PJRT_DRIVER_FLAT_ENTRY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay::pjrt {

// A copy of the module. Where a parameter is a tuple, or the result a tuple within a tuple, a new
// entry stands in front of the old one and calls it: its parameters are the leaves of the old
// parameters in order, its result the leaves of the old result. Aliases, donors and shardings keep
// to their leaves.
absl::StatusOr<std::unique_ptr<Module>> WithFlatEntry(const Module& module);

// Says of every instruction that each device runs it on values of its own (sharding={manual}), so
// that XLA's partitioner leaves a module alone that is already the program of one partition.
// Illegal shardings stay as they are, for the plug-in to refuse.
void MarkPartitioned(Module& module);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_FLAT_ENTRY_H_
