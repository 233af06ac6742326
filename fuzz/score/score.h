// How good the fuzzer is: how many programs it takes to find each mutant, and that it accuses no
// conforming variant. Programs are those of a campaign without a corpus. Each is run on every
// mutant that is not found yet, so that the golden result is computed once for all. Tests:
// score_test.cc.
#ifndef ASSAY_FUZZ_SCORE_SCORE_H_
#define ASSAY_FUZZ_SCORE_SCORE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/mutants/mutant.h"
#include "fuzz/programs/grammar.h"

namespace assay::fuzz {

struct FuzzScore {
  const Mutant* mutant = nullptr;
  int64_t program = -1;  // the first that finds it; -1: none does
  int64_t shown = 0;     // programs up to there in which it stands
  int64_t crashes = 0;   // programs that its row is not made for
  std::string detail;    // the first wrong element
};

struct FuzzScores {
  std::vector<FuzzScore> scores;  // in the order of the mutants
  int64_t programs = 0;
  // Seconds for a program on a single target, judged: what the first detection takes is the number
  // of its program times this.
  double seconds_each = 0;
};

struct FuzzScoreOptions {
  uint64_t seed = 1;
  int64_t programs = 10000;
  double seconds = -1;  // of the whole, after which no block begins; negative: no limit
  int64_t most_records = 12;
  // After each block of programs: their number so far, and that of the mutants that are found.
  std::function<void(int64_t programs, int64_t found)> progress;
};

// A defect is judged by profile golden, a conforming variant by the profile that allows it; of
// these, whoever is found is accused wrongly. An error where the profiles or the grammar cannot be
// had.
absl::StatusOr<FuzzScores> ScoreFuzzer(absl::Span<const Mutant* const> mutants,
                                       const FuzzScoreOptions& options);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_SCORE_SCORE_H_
