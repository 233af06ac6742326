// Decodes any bytes into a valid program. The first 16 bytes are its header (the number of devices,
// sizes and values); each further 16 are a record, usually one instruction. Missing bytes are 0.
// `assay verify --rules strict` accepts the program, which is the same with every compiler. See
// docs/fuzzing.md. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_DECODER_H_
#define ASSAY_FUZZ_PROGRAMS_DECODER_H_

#include <string>

#include "absl/types/span.h"
#include "fuzz/programs/grammar.h"
#include "fuzz/programs/program.h"

namespace assay::fuzz {

FuzzProgram DecodeProgram(const Grammar& grammar, absl::Span<const uint8_t> bytes);

// Returns the random bytes of program `index` of a seed: a header and some records.
std::vector<uint8_t> RandomBytes(uint64_t seed, uint64_t index, int64_t most_records);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_DECODER_H_
