// Random values: of rng the distribution is specified, of the default algorithm of
// rng-bit-generator nothing but the type and that the bits are random (random_statistics.h); named
// algorithms are exact (reference ops_control_and_collectives.md 10). Tests:
// order_freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_RANDOM_VALUES_H_
#define ASSAY_CONFORMANCE_JUDGE_RANDOM_VALUES_H_

#include "conformance/judge/bounds.h"

namespace assay {

bool IsRandom(const Instruction& instruction);

// Whether the distribution can give the value.
bool CanBeDrawn(const Subject& subject, ElementType type, Element value);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_RANDOM_VALUES_H_
