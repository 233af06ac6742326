// Ranges of arguments for which implementations of elementwise operations have special branches,
// which the corpus has, too, and bit patterns at which values of a type change their kind. Tests:
// decoder_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_EDGES_H_
#define ASSAY_FUZZ_PROGRAMS_EDGES_H_

#include <cstdint>
#include <optional>

#include "conformance/corpus/value_profiles.h"
#include "fuzz/programs/choices.h"
#include "spec/op_info.h"

namespace assay::fuzz {

// Returns the values of a range for the first (0) or second (1) operand, or nothing if the
// operation has no range or the type does not reach it.
std::optional<conformance::ProfileUse> AnyEdge(Opcode opcode, int operand, ElementType type,
                                               Choices& choices);

// Returns a bit pattern just before such a change: of finite numbers to infinity, of infinity to
// NaNs, of signaling to quiet NaNs, of either sign; of the largest integer to the least one.
uint64_t AnyEdgePattern(ElementType type, Choices& choices);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_EDGES_H_
