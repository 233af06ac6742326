// What a target shows on one module, reduced as long as it goes on showing the same: behind
// `assay reduce`, and behind --reduce of `triage`, `test --bundle` and `diff --isolate`. Tests:
// reducer_test.cc, tools/cli/fuzz_cli_test.py.
#ifndef ASSAY_FUZZ_REDUCE_REDUCTION_H_
#define ASSAY_FUZZ_REDUCE_REDUCTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/profiles/profile.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/reduce/reducer.h"

namespace assay::fuzz {

struct ReductionOptions {
  Backend* target = nullptr;
  const TargetProfile* profile = nullptr;
  RunBudget budget;                 // of one golden evaluation, and of the judge
  std::optional<FindingKind> keep;  // what must be shown; none: whatever the module shows
  ReduceLimits limits{1000, 300};
  // Of a target that fails now and then: how often it is asked of each module, and how often it
  // must show the finding; needs <= tries.
  int64_t tries = 1, needs = 1;
};

struct Reduction {
  ReducedModule reduced;
  Examination last;  // of the reduced module
};

// FAILED_PRECONDITION, saying what the target shows, where that is nothing to keep.
absl::StatusOr<Reduction> ReduceFinding(const Module& module, absl::Span<const DeviceInputs> inputs,
                                        const ReductionOptions& options);

// Writes the folder of a finding (artifacts.h). `origin` is where the module came from.
absl::Status WriteReduction(const Reduction& reduction, const std::string& target,
                            const std::string& profile, const std::string& origin,
                            const std::string& folder);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_REDUCTION_H_
