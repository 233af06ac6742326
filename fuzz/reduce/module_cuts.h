// Parts of a module's entry as modules of their own. Private to fuzz/reduce. Tests:
// reducer_test.cc.
#ifndef ASSAY_FUZZ_REDUCE_MODULE_CUTS_H_
#define ASSAY_FUZZ_REDUCE_MODULE_CUTS_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

struct Cut {
  std::unique_ptr<Module> module;
  std::vector<DeviceInputs> inputs;
};

// The golden value of each instruction of the entry, by device. Empty where the interpreter does
// not run the module.
using EntryValues = std::vector<absl::flat_hash_map<const Instruction*, Literal>>;
EntryValues TraceEntry(const Module& module, absl::Span<const DeviceInputs> inputs);

// What `root` comes from, with parameters in the place of the instructions of `given`, which get
// their values. Parameters that nothing takes are left out.
Cut CutModule(const Module& module, absl::Span<const DeviceInputs> inputs, const Instruction& root,
              const absl::flat_hash_set<const Instruction*>& given, const EntryValues& values);

// The first call, loop, branch or fusion of the entry replaced by the instructions of what it
// calls, where that is called once and whole.
std::optional<Cut> InlineFirstCall(const Module& module, absl::Span<const DeviceInputs> inputs);

// An elementwise program of arrays of one shape on the element at a place; none for other modules.
std::optional<Cut> OnOneElement(const Module& module, absl::Span<const DeviceInputs> inputs,
                                int64_t element);

// Instructions with effects, or that meet those of other devices, keep their places.
bool HasEffects(const Module& module);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_MODULE_CUTS_H_
