// Joins several independent programs into one module, for targets that compile slowly. Tests:
// examiner_test.cc.
#ifndef ASSAY_FUZZ_DIFFERENTIAL_JOINED_PROGRAMS_H_
#define ASSAY_FUZZ_DIFFERENTIAL_JOINED_PROGRAMS_H_

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "backends/device_io.h"
#include "spec/ir/module.h"

namespace assay::fuzz {

struct ProgramToJoin {
  const Module* module = nullptr;
  absl::Span<const DeviceInputs> inputs;  // by device
};

// Returns true for deterministic programs of one device without feeds and transfers, which cannot
// affect each other.
bool MayBeJoined(const ProgramToJoin& program);

struct JoinedPrograms {
  std::unique_ptr<Module> module;  // its result is a tuple of the programs' results
  std::vector<DeviceInputs> inputs;
};

// Joins programs, for all of which MayBeJoined must be true. The parameters of the programs are
// concatenated, their results form a tuple.
JoinedPrograms JoinPrograms(absl::Span<const ProgramToJoin> programs);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_JOINED_PROGRAMS_H_
