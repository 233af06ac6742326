// The mutation score of the fuzzer: how many programs it takes to find each mutant, and whether it
// accuses a conforming variant. Programs are those of a campaign without a corpus. Each runs on
// every mutant that is not found yet, so that the golden result is computed once. Tests:
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
  const conformance::Mutant* mutant = nullptr;
  int64_t program = -1;  // the first program that finds the mutant; -1 if none does
  int64_t shown = 0;     // the number of programs up to there with its operation
  int64_t crashes = 0;   // the number of programs that the mutant's code does not support
  int64_t failed = 0;    // the number of programs that the mutant refused to run
  std::string detail;    // the first wrong element
};

struct FuzzScores {
  std::vector<FuzzScore> scores;  // in the order of the mutants
  int64_t programs = 0;
  // The processor seconds of making a program and of running it on golden, twice, since a target
  // takes as long. The time of a first detection is this times the program's number.
  double seconds_each = 0;
};

struct FuzzScoreOptions {
  uint64_t seed = 1;
  int64_t first = 0;         // the number of the first program, from which a long run goes on
  int64_t programs = 10000;  // how many
  double seconds = -1;       // the time limit, after which no block begins; negative for none
  int64_t most_records = 12;
  // Called after each block with the number of programs so far and of found mutants.
  std::function<void(int64_t programs, int64_t found)> progress;
};

// Scores the fuzzer. A defect is judged by profile golden, a conforming variant by the profile that
// permits it; a variant that is found is a false accusation. Returns an error if the profiles or
// the grammar cannot be loaded.
absl::StatusOr<FuzzScores> ScoreFuzzer(absl::Span<const conformance::Mutant* const> mutants,
                                       const FuzzScoreOptions& options);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_SCORE_SCORE_H_
