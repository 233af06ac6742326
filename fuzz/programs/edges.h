// Ranges of arguments for which implementations of elementwise operations have special branches.
// The corpus has cases of the same ranges. Tests: decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_EDGES_H_
#define ASSAY_FUZZ_PROGRAMS_EDGES_H_

#include <optional>

#include "conformance/corpus/value_profiles.h"
#include "fuzz/programs/choices.h"
#include "spec/op_info.h"

namespace assay::fuzz {

// Returns the values of a range for the first (0) or second (1) operand, or nothing if the
// operation has no range or the type does not reach it.
std::optional<ProfileUse> AnyEdge(Opcode opcode, int operand, ElementType type, Choices& choices);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_EDGES_H_
