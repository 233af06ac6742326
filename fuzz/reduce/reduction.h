// Reduces a module on which a target fails, as long as the failure stays the same. It implements
// `assay reduce`, and --reduce of `triage`, `test --bundle` and `diff --isolate`. Tests:
// reducer_test.cc, tools/cli/fuzz_cli_test.py.
#ifndef ASSAY_FUZZ_REDUCE_REDUCTION_H_
#define ASSAY_FUZZ_REDUCE_REDUCTION_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "conformance/profiles/profile.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/reduce/reducer.h"

namespace assay::fuzz {

// How far a reduction is.
struct ReductionProgress {
  int64_t questions = 0;            // asked, or known from an earlier run
  int64_t known = 0;                // those from an earlier run
  int64_t instructions = 0;         // of the smallest module so far
  int64_t elements = 0, bytes = 0;  // of its arguments
};

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
  // The file of answers (answers.h), and what tells the reduction from others beside the module and
  // the values. An empty path keeps none.
  std::string answers, identity;
  std::function<void(const ReductionProgress&)> progress;  // called after each question
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
