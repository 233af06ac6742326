// Boxes of random numbers: which numbers a target draws is free, where they lie is not
// (docs/semantics/random_numbers.md). Tests: random_boxes_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_RANDOM_BOXES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_RANDOM_BOXES_H_

#include <optional>

#include "conformance/enclosure/box.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Returns the range of the numbers of an `rng`, the one to which the judge holds each of them where
// the instruction is alone (CanBeDrawn of judge/random_values.h). Returns nullopt for other
// instructions, and where the parameters do not bound the numbers: a range that may be empty or
// infinite, or normal numbers that may overflow.
std::optional<Box> RangeOfRandom(const Instruction& instruction, Boxes operands);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_RANDOM_BOXES_H_
