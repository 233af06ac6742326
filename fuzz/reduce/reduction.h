// Reduces a module on which a target fails, as long as the failure stays the same. It implements
// `assay reduce`, and --reduce of `triage`, `test --bundle` and `diff --isolate`. Tests:
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
  const conformance::TargetProfile* profile = nullptr;
  RunBudget budget;  // the budget of one golden evaluation and of the judge
  // the kind of finding to keep; if not set, that of the original module
  std::optional<FindingKind> keep;
  ReduceLimits limits{1000, 300};
  // For a flaky target: the number of runs of each module, and how many of them must show the
  // finding; needs <= tries.
  int64_t tries = 1, needs = 1;
};

struct Reduction {
  ReducedModule reduced;
  Examination last;  // the examination of the reduced module
};

// Reduces a module. Returns FAILED_PRECONDITION, with the target's result, if there is no finding
// to keep.
absl::StatusOr<Reduction> ReduceFinding(const Module& module, absl::Span<const DeviceInputs> inputs,
                                        const ReductionOptions& options);

// Writes the folder of a finding (artifacts.h). `origin` tells where the module came from.
absl::Status WriteReduction(const Reduction& reduction, const std::string& target,
                            const std::string& profile, const std::string& origin,
                            const std::string& folder);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_REDUCE_REDUCTION_H_
