// Variations on an instruction: what a program has beside it or behind it so that a wrong rewrite
// of the group shows. A compiler that shares equal calculations, or moves one operation through
// another, meets near copies of an instruction, the same operation twice, an operation and its
// inverse, and one operation on all operands of another. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_VARIATIONS_H_
#define ASSAY_FUZZ_PROGRAMS_VARIATIONS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {

struct Variation {
  absl::string_view name;
  int64_t weight;    // of the sum of all weights
  bool same_opcode;  // writes no other operation than the subject's
  // Returns the instruction that a further variation may take, or null if nothing was written.
  Instruction* (*write)(ProgramWriter& writer, Instruction* subject);
};

// Returns the table of variations.
absl::Span<const Variation> Variations();

// Returns true if there are variations on the instruction: its operation has no effects and calls
// at most a computation of scalars, and its arrays have static sizes.
bool MayVary(const Instruction& instruction);

// Writes one to three variations, each on the instruction of the one before.
void WriteVariations(ProgramWriter& writer, Instruction* subject);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_VARIATIONS_H_
