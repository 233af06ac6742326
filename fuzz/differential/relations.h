// Metamorphic relations: rewrites of a module that change no bit of its results. An implementation
// computes the rewritten module in another way, which may reveal a defect that the original does
// not. Each relation is a row. Tests: ways_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_RELATIONS_H_
#define ASSAY_FUZZ_DIFFERENTIAL_RELATIONS_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backends/device_io.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

struct Rewritten {
  std::unique_ptr<Module> module;
  std::vector<DeviceInputs> inputs;
  int64_t copies = 1;  // the number of copies of the results, in a tuple if there are several
};

// Returns the outputs that the rewritten module must have if the original has `golden`: the copies
// of the results on each device.
std::vector<DeviceOutputs> ExpectedOf(const Rewritten& rewritten,
                                      absl::Span<const DeviceOutputs> golden);

struct Relation {
  absl::string_view name;
  absl::string_view meaning;
  // Returns the rewritten module, or nothing if the relation does not apply.
  std::optional<Rewritten> (*rewrite)(const Module& module, absl::Span<const DeviceInputs> inputs);
};

absl::Span<const Relation> Relations();

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_RELATIONS_H_
