// Which cases of the corpus are meant: what `assay corpus`, `assay test` and everything else that
// takes a part of it share. Tests: tiers_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_SELECTION_H_
#define ASSAY_CONFORMANCE_CORPUS_SELECTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/corpus/corpus.h"
#include "conformance/corpus/corpus_case.h"
#include "conformance/corpus/tiers.h"

namespace assay::conformance {

struct CaseFilter {
  std::vector<std::string> globs;            // of ids; none: all
  std::vector<std::string> ops;              // values of the tag op; none: all
  Tier tier = Tier::kFull;                   // this one and those below
  std::optional<int64_t> max_multiply_adds;  // of WorkOf
  std::optional<int64_t> max_bytes;          // of the arguments of all processes
};

// Those of all the cases, which are sorted by id, that pass, in their order. INVALID_ARGUMENT for a
// glob that matches no id and for an operation that has no case.
absl::StatusOr<std::vector<CorpusCase>> SelectCases(std::vector<CorpusCase> all,
                                                    const CaseFilter& filter);

// The groups outside of which nothing passes.
CaseGroups GroupsOf(const CaseFilter& filter);
// SelectCases of the corpus that is built in, of which only those groups are made.
absl::StatusOr<std::vector<CorpusCase>> SelectCorpusCases(const CaseFilter& filter);

// Every f32 argument of a unary elementwise operation, in 4096 cases of 2^20 elements, such as
// exponential/f32/sweep/3f800000, which begins with the pattern of 1. They are no part of the
// corpus but made where they are asked for. INVALID_ARGUMENT for any other operation.
absl::StatusOr<std::vector<CorpusCase>> SweepCases(const std::string& op);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_SELECTION_H_
