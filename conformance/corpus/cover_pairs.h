// Combinations of choices by pairs: how a template with many choices gets few cases. Test:
// corpus_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_COVER_PAIRS_H_
#define ASSAY_CONFORMANCE_CORPUS_COVER_PAIRS_H_

#include <cstddef>
#include <vector>

namespace assay::conformance {

// Rows of chosen values, one per choice, such that every pair of values of two choices occurs in
// one: all combinations where there are at most 12. Deterministic. `sizes` are at least 1.
std::vector<std::vector<size_t>> CoverPairs(const std::vector<size_t>& sizes);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_COVER_PAIRS_H_
