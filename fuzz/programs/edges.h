// Where implementations of elementwise operations take a branch of their own: the ranges of
// arguments that the corpus has cases of. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_EDGES_H_
#define ASSAY_FUZZ_PROGRAMS_EDGES_H_

#include <optional>

#include "conformance/corpus/value_profiles.h"
#include "fuzz/programs/choices.h"
#include "spec/op_info.h"

namespace assay::fuzz {

// Values of a range of the operation for its first (0) or second (1) operand; none where no range
// is known, or the type does not reach it.
std::optional<ProfileUse> AnyEdge(Opcode opcode, int operand, ElementType type, Choices& choices);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_EDGES_H_
