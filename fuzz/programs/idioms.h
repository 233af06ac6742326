// Idioms: several instructions that real programs have together, or that simplifications of
// compilers look for. A record writes a whole one. Tests: decoder_test.cc.
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

// By family (idioms_*.cc): arithmetic and logic; elements that are moved; parts of models;
// expressions; sizes beyond those at which implementations change their way of working.
absl::Span<const Idiom> AlgebraIdioms();
absl::Span<const Idiom> MovementIdioms();
absl::Span<const Idiom> ModelIdioms();
absl::Span<const Idiom> ExpressionIdioms();
absl::Span<const Idiom> SizeIdioms();

// Writes one of them.
void WriteIdiom(ProgramWriter& writer);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_IDIOMS_H_
