// Metamorphic relations: rewrites of a module that change no bit of its results. A rewritten module
// asks an implementation for the same values in another way, so that a defect that hides in one
// form shows in the other. A row each. Tests: ways_test.cc.
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
  int64_t copies = 1;  // of the results, in a tuple of them where there are several
};

// What the rewritten module must give where the original gives `golden`: as many copies of the
// results, on each of its devices.
std::vector<DeviceOutputs> ExpectedOf(const Rewritten& rewritten,
                                      absl::Span<const DeviceOutputs> golden);

struct Relation {
  absl::string_view name;
  absl::string_view meaning;
  // The rewritten module; none where there is nothing to rewrite.
  std::optional<Rewritten> (*rewrite)(const Module& module, absl::Span<const DeviceInputs> inputs);
};

absl::Span<const Relation> Relations();

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_RELATIONS_H_
