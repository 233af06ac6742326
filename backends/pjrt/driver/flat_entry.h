// Converts modules to the form that PJRT requires. Buffers are arrays, so an entry has array
// parameters and returns an array or one tuple of arrays. XLA's own plug-in aborts on some entries
// with tuples. Tests: flat_entry_test.cc.
#ifndef ASSAY_BACKENDS_PJRT_DRIVER_FLAT_ENTRY_H_
#define ASSAY_BACKENDS_PJRT_DRIVER_FLAT_ENTRY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay::pjrt {

// Returns a copy of the module. If a parameter is a tuple, or the result a nested tuple, a new
// entry calls the old one. Its parameters are the leaves of the old parameters in order, its result
// the leaves of the old result. Aliases, donors and shardings follow their leaves.
absl::StatusOr<std::unique_ptr<Module>> WithFlatEntry(const Module& module);

// Marks every instruction with sharding={manual}, so that XLA's partitioner does not change a
// module that is already the program of one partition. Illegal shardings are kept, for the plug-in
// to reject.
void MarkPartitioned(Module& module);

}  // namespace assay::pjrt

#endif  // ASSAY_BACKENDS_PJRT_DRIVER_FLAT_ENTRY_H_
