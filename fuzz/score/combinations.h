// Mutants by which the fuzzer is examined: defects that show only where one operation takes what
// another gives, of some types, sizes or ranks. Tests: score_test.cc.
#ifndef ASSAY_FUZZ_SCORE_COMBINATIONS_H_
#define ASSAY_FUZZ_SCORE_COMBINATIONS_H_

#include <vector>

#include "conformance/mutants/mutant.h"

namespace assay::fuzz {

// Rows that the table of conformance/mutants does not have.
const std::vector<Mutant>& CombinationMutants();

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_SCORE_COMBINATIONS_H_
