// How good the suite is: which of the mutants it finds, and whether it accuses conforming
// variants. Each mutant runs the cases of its operation until one is judged wrong. Run by
// tools/mutation_score.
#ifndef ASSAY_CONFORMANCE_MUTANTS_SCORE_H_
#define ASSAY_CONFORMANCE_MUTANTS_SCORE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/mutants/mutant.h"
#include "interpreter/interpreter.h"

namespace assay::conformance {

struct MutantScore {
  const Mutant* mutant = nullptr;
  std::string profile;    // under which it was judged
  std::string caught_by;  // the id of the case; empty: nothing was wrong
  std::string reason;     // what was wrong there, in a line
  int64_t cases = 0;      // in which the defect stood
  // Not empty: the variant does not run as such, which is a mistake in our table.
  std::string broken;

  bool caught() const { return !caught_by.empty(); }
};

struct ScoreOptions {
  RunBudget budget;
  // What each is judged by; empty: a conforming variant by its own profile, a defect by golden.
  std::string profile;
  // Called with the cases done and to do; may be null.
  std::function<void(int64_t done, int64_t all)> progress;
};

// In the order of the mutants. The golden result of a case is found once for all mutants that the
// case examines. Errors as of TargetProfile::Find, and of cases that do not run.
absl::StatusOr<std::vector<MutantScore>> ScoreMutants(absl::Span<const Mutant* const> mutants,
                                                      absl::Span<const CorpusCase> cases,
                                                      const ScoreOptions& options);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_SCORE_H_
