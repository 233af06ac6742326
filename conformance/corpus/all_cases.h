// The whole corpus, expanded once for all tests of a program.
#ifndef ASSAY_CONFORMANCE_CORPUS_ALL_CASES_H_
#define ASSAY_CONFORMANCE_CORPUS_ALL_CASES_H_

#include <utility>
#include <vector>

#include "conformance/corpus/corpus.h"
#include "gtest/gtest.h"

namespace assay::conformance {

inline const std::vector<CorpusCase>& AllCases() {
  static const auto* const cases = [] {
    absl::StatusOr<std::vector<CorpusCase>> read = CorpusCases();
    EXPECT_TRUE(read.ok()) << read.status();
    return new std::vector<CorpusCase>(read.ok() ? *std::move(read) : std::vector<CorpusCase>());
  }();
  return *cases;
}

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_ALL_CASES_H_
