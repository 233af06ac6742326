// Cuts parts of a module's entry into modules of their own. Private to fuzz/reduce. Tests:
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

// The golden value of each instruction of the entry, by device. Empty if the interpreter does not
// support the module.
using EntryValues = std::vector<absl::flat_hash_map<const Instruction*, Literal>>;
EntryValues TraceEntry(const Module& module, absl::Span<const DeviceInputs> inputs);

// Returns `root` with its producers. Parameters replace the instructions of `given` and get their
// values. Unused parameters are removed.
Cut CutModule(const Module& module, absl::Span<const DeviceInputs> inputs, const Instruction& root,
              const absl::flat_hash_set<const Instruction*>& given, const EntryValues& values);

// Returns an elementwise program of arrays of one shape restricted to one element; nothing for
// other modules.
std::optional<Cut> OnOneElement(const Module& module, absl::Span<const DeviceInputs> inputs,
                                int64_t element);

// Returns true if the module has effects or collectives, whose instructions are kept.
bool HasEffects(const Module& module);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_MODULE_CUTS_H_
