// Makes the sizes and types of a module smaller and its constants simpler, without changing its
// graph. Private to fuzz/reduce. Tests: reducer_test.cc.
#ifndef ASSAY_FUZZ_REDUCE_MODULE_EDITS_H_
#define ASSAY_FUZZ_REDUCE_MODULE_EDITS_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "backends/device_io.h"
#include "fuzz/reduce/module_cuts.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

// Changes a copy of an instruction. Returns false if there is no such change.
using EditCopy = std::function<bool(const Instruction& original, Instruction* copy)>;
// Returns the module with each instruction changed, or null if an edit returns false.
std::unique_ptr<Module> Edited(const Module& module, const EditCopy& edit);
// Returns nothing if there is no module or it is not valid.
std::optional<Cut> Checked(std::unique_ptr<Module> module, std::vector<DeviceInputs> inputs);

// Returns the sizes above 1 of static dimensions, the largest first.
std::vector<int64_t> DimensionSizes(const Module& module);

// Replaces a size by a smaller one in every dimension. Arrays keep their first elements. Returns
// nothing if the module becomes invalid.
std::optional<Cut> WithSmallerSize(const Module& module, absl::Span<const DeviceInputs> inputs,
                                   int64_t from, int64_t to);

// Divides a scalar integer constant above 1, addressed by its place among all, by `divisor`, so
// that loops have fewer iterations. Returns nothing if there is no such constant.
std::optional<Cut> WithSmallerConstant(const Module& module, absl::Span<const DeviceInputs> inputs,
                                       int64_t place, int64_t divisor);
int64_t ScalarConstants(const Module& module);

// Replaces types by narrower ones everywhere: f64 by f32 and c128 by c64, 64-bit integers by 32-bit
// ones, 32-bit ones by 8-bit ones. Returns nothing if the module has no such type, a narrow type
// does not have an integer, or the module becomes invalid.
int64_t TypeEdits();
std::optional<Cut> WithNarrowerTypes(const Module& module, absl::Span<const DeviceInputs> inputs,
                                     int64_t step);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_MODULE_EDITS_H_
