// The tables of mutants that are real miscompilations of XLA, by theme; history_combinations.cc
// joins them. Tests: score_test.cc, tools/checks/known_bugs_check.py.
#ifndef ASSAY_FUZZ_SCORE_HISTORY_TABLES_H_
#define ASSAY_FUZZ_SCORE_HISTORY_TABLES_H_

#include <vector>

#include "conformance/mutants/mutant.h"

namespace assay::fuzz {

// Algebra of floats and integers, conversions and narrow types (history_algebra.cc).
std::vector<conformance::Mutant> HistoryOfAlgebra();

// Movement, layouts, gathers, scatters and dynamic slices (history_indexing.cc).
std::vector<conformance::Mutant> HistoryOfIndexing();

// Folds, branches inside loops, and functions of complex numbers (history_functions.cc).
std::vector<conformance::Mutant> HistoryOfFunctions();

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_SCORE_HISTORY_TABLES_H_
