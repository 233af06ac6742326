// Decodes any bytes into a valid program: the first 16 are its header (how many devices, which
// sizes and values), each further 16 are a record, an instruction as a rule. Missing bytes are 0.
// What comes out is accepted by `assay verify --rules strict`, and is the same with every compiler.
// Page: docs/fuzzing.md. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_DECODER_H_
#define ASSAY_FUZZ_PROGRAMS_DECODER_H_

#include <string>

#include "absl/types/span.h"
#include "fuzz/programs/grammar.h"
#include "fuzz/programs/program.h"

namespace assay::fuzz {

FuzzProgram DecodeProgram(const Grammar& grammar, absl::Span<const uint8_t> bytes);

// The bytes of program `index` of a seed: a header and some records, random.
std::vector<uint8_t> RandomBytes(uint64_t seed, uint64_t index, int64_t most_records);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_DECODER_H_
