// Programs of a campaign: random ones, and changed ones of a corpus. Tests: campaign_test.cc.
#ifndef ASSAY_FUZZ_CAMPAIGN_MUTATION_H_
#define ASSAY_FUZZ_CAMPAIGN_MUTATION_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "fuzz/programs/grammar.h"

namespace assay::fuzz {

using Bytes = std::vector<uint8_t>;

// A program with some changes: bytes, and records that are repeated, exchanged or taken away.
Bytes MutateRecords(absl::Span<const uint8_t> bytes, uint64_t seed, int64_t most_records);
// The header of one program, and records of both.
Bytes CrossRecords(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b, uint64_t seed,
                   int64_t most_records);

// The bytes of program `index` of a campaign: those of the corpus one after the other, then changes
// of them and random ones in turn.
Bytes ProgramBytes(uint64_t seed, int64_t index, absl::Span<const Bytes> corpus,
                   int64_t most_records);

// The programs, in their order, that have a feature (programs/features.h) which none before has.
std::vector<Bytes> WithNewFeatures(const Grammar& grammar, absl::Span<const Bytes> programs);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_CAMPAIGN_MUTATION_H_
