// Tiers of the corpus by time and coverage: each holds the ones before it. Tests: tiers_test.cc.
#ifndef ASSAY_CONFORMANCE_CORPUS_TIERS_H_
#define ASSAY_CONFORMANCE_CORPUS_TIERS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/corpus/corpus_case.h"

namespace assay::conformance {

enum class Tier : uint8_t {
  kQuick,     // small cases that cover each operation with each type, form and profile, and all
              // clauses, decision points, worked examples, freedoms and pairs of types of
              // conversions once: some 6,700, below a minute
  kStandard,  // all but the large ones
  kFull       // all
};
inline constexpr int kTiers = 3;
absl::string_view TierName(Tier tier);  // "quick"

// The smallest tier of each case. It follows from ids, tags and sizes of all of them together:
// cases must be sorted by id and complete, not filtered, but by groups as CorpusCases does.
std::vector<Tier> TiersOf(absl::Span<const CorpusCase> cases);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_CORPUS_TIERS_H_
