// Makes sizes of a module smaller, and its attributes and constants simpler; its graph stays as it
// is. Private to fuzz/reduce. Tests: reducer_test.cc.
#ifndef ASSAY_FUZZ_REDUCE_MODULE_EDITS_H_
#define ASSAY_FUZZ_REDUCE_MODULE_EDITS_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "backends/device_io.h"
#include "fuzz/reduce/module_cuts.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

// The sizes above 1 of static dimensions, the largest first.
std::vector<int64_t> DimensionSizes(const Module& module);

// Every dimension of a size gets another, smaller one, wherever it stands, and arrays keep their
// first elements. None where that is no valid module.
std::optional<Cut> WithSmallerSize(const Module& module, absl::Span<const DeviceInputs> inputs,
                                   int64_t from, int64_t to);

// How many simplifications there are of the attributes of an instruction: no padding, steps and
// dilations of 1, the identity, one group, no algorithm, no flag.
int64_t AttributeEdits();

// The entry with one of them on instruction `index`, shapes behind it inferred anew. None where it
// changes nothing or is no valid module.
std::optional<Cut> WithSimplerAttribute(const Module& module, absl::Span<const DeviceInputs> inputs,
                                        int64_t index, int64_t edit);

// A scalar integer constant above 1 in any computation, by its place in the order of all, becomes
// `divisor`-th of it: loops run less often. None where there are not so many.
std::optional<Cut> WithSmallerConstant(const Module& module, absl::Span<const DeviceInputs> inputs,
                                       int64_t place, int64_t divisor);
int64_t ScalarConstants(const Module& module);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_MODULE_EDITS_H_
