// Several independent programs as one module: for targets that take long to compile. Tests:
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

// Returns true for programs of one device that neither feed nor transfer nor give other results
// when they run again, so that they do not meet others.
bool MayBeJoined(const ProgramToJoin& program);

struct JoinedPrograms {
  std::unique_ptr<Module> module;  // its result is the tuple of those of the programs
  std::vector<DeviceInputs> inputs;
};

// The programs, which all may be joined: their parameters one after the other, their results in a
// tuple.
JoinedPrograms JoinPrograms(absl::Span<const ProgramToJoin> programs);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_DIFFERENTIAL_JOINED_PROGRAMS_H_
