// The programs of a campaign: random programs, and mutations of a corpus. Tests: campaign_test.cc.
#ifndef ASSAY_FUZZ_CAMPAIGN_MUTATION_H_
#define ASSAY_FUZZ_CAMPAIGN_MUTATION_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "fuzz/programs/grammar.h"

namespace assay::fuzz {

using Bytes = std::vector<uint8_t>;

// Returns a mutated program: some bytes are changed, and some records repeated, exchanged or
// removed.
Bytes MutateRecords(absl::Span<const uint8_t> bytes, uint64_t seed, int64_t most_records);
// Returns a program with the header of one program and records of both.
Bytes CrossRecords(absl::Span<const uint8_t> a, absl::Span<const uint8_t> b, uint64_t seed,
                   int64_t most_records);

// Returns the bytes of program `index` of a campaign: first the programs of the corpus, then
// mutations and random programs in turn.
Bytes ProgramBytes(uint64_t seed, int64_t index, absl::Span<const Bytes> corpus,
                   int64_t most_records);

// Returns the programs, in their order, that have a feature (programs/features.h) that no earlier
// one has.
std::vector<Bytes> WithNewFeatures(const Grammar& grammar, absl::Span<const Bytes> programs);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_CAMPAIGN_MUTATION_H_
