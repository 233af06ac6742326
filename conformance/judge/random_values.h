// Random values. The distribution of rng is specified. For the default algorithm of
// rng-bit-generator only the type and the randomness of the bits are (random_statistics.h); named
// algorithms are exact (reference ops_control_and_collectives.md 10). Tests:
// order_freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_RANDOM_VALUES_H_
#define ASSAY_CONFORMANCE_JUDGE_RANDOM_VALUES_H_

#include "conformance/judge/bounds.h"

namespace assay {

bool IsRandom(const Instruction& instruction);

// Returns true if the value belongs to the distribution.
bool CanBeDrawn(const Subject& subject, ElementType type, Element value);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_RANDOM_VALUES_H_
