// Mutants that measure the fuzzer: defects that show only for certain pairs of producer and
// consumer, types, sizes or ranks. Tests: score_test.cc.
#ifndef ASSAY_FUZZ_SCORE_COMBINATIONS_H_
#define ASSAY_FUZZ_SCORE_COMBINATIONS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/mutants/mutant.h"

namespace assay::fuzz {

// Returns mutants that are not in conformance/mutants.
const std::vector<conformance::Mutant>& CombinationMutants();

// Returns those of them that are wrong rewrites of programs (rewrite_combinations.cc).
std::vector<conformance::Mutant> RewriteCombinations();

// Returns those of them that are rules of an algebraic simplifier with a mistake in them
// (simplifier_combinations.cc).
std::vector<conformance::Mutant> SimplifierCombinations();

// Returns those of them that depend on users, on what stands two instructions away, and on what
// loops carry (graph_combinations.cc).
std::vector<conformance::Mutant> GraphCombinations();

// Returns those of them that XLA itself once had (history_*.cc).
std::vector<conformance::Mutant> HistoryCombinations();

// Returns the mutant of a name "combination/..." or "history/...", without the prefix "mutant:";
// null if there is none.
const conformance::Mutant* FindCombination(absl::string_view name);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_SCORE_COMBINATIONS_H_
