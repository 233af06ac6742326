// Idioms: groups of instructions that real programs have, or that compilers simplify. One record
// writes a whole idiom. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_IDIOMS_H_
#define ASSAY_FUZZ_PROGRAMS_IDIOMS_H_

#include <string>

#include "absl/types/span.h"
#include "fuzz/programs/writer.h"

namespace assay::fuzz {

struct Idiom {
  absl::string_view name;
  void (*write)(ProgramWriter& writer);
};

// Return the idioms of a family (idioms_*.cc): arithmetic and logic, data movement, parts of
// models, expressions, graphs, loops, sizes beyond which implementations change their algorithm,
// operations on what another one has padded, permuted or widened, pairs of operations,
// and numbers at which a simplification shows.
absl::Span<const Idiom> AlgebraIdioms();
absl::Span<const Idiom> MovementIdioms();
absl::Span<const Idiom> ModelIdioms();
absl::Span<const Idiom> ExpressionIdioms();
absl::Span<const Idiom> GraphIdioms();
absl::Span<const Idiom> LoopIdioms();
absl::Span<const Idiom> SizeIdioms();
absl::Span<const Idiom> ChainIdioms();
absl::Span<const Idiom> PairIdioms();
absl::Span<const Idiom> NumberIdioms();

// Writes an idiom.
void WriteIdiom(ProgramWriter& writer);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_IDIOMS_H_
