// Metamorphic relations of whole modules: the entry is called, or put into a branch or a loop;
// arguments form a tuple or are aliased; results are duplicated; arrays are on two partitions. The
// rows are in relations.cc. Tests: ways_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_MODULE_RELATIONS_H_
#define ASSAY_FUZZ_DIFFERENTIAL_MODULE_RELATIONS_H_

#include <optional>

#include "absl/types/span.h"
#include "backends/device_io.h"
#include "fuzz/differential/relations.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

using RelationInputs = absl::Span<const DeviceInputs>;

std::optional<Rewritten> CalledWhole(const Module& module, RelationInputs inputs);
std::optional<Rewritten> InABranch(const Module& module, RelationInputs inputs);
std::optional<Rewritten> InALoop(const Module& module, RelationInputs inputs);
std::optional<Rewritten> Inlined(const Module& module, RelationInputs inputs);
std::optional<Rewritten> ResultsTwice(const Module& module, RelationInputs inputs);
std::optional<Rewritten> ArgumentsInATuple(const Module& module, RelationInputs inputs);
std::optional<Rewritten> ArgumentsAliased(const Module& module, RelationInputs inputs);
std::optional<Rewritten> OnTwoPartitions(const Module& module, RelationInputs inputs);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_MODULE_RELATIONS_H_
