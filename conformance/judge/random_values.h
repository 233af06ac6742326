// Random values. The distribution of rng is specified. For the default algorithm of
// rng-bit-generator only the type and the randomness of the bits are (random_statistics.h); named
// algorithms are exact (reference ops_control_and_collectives.md 10). Tests:
// order_freedoms_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_RANDOM_VALUES_H_
#define ASSAY_CONFORMANCE_JUDGE_RANDOM_VALUES_H_

#include <array>

#include "conformance/judge/bounds.h"

namespace assay::conformance {

bool IsRandom(const Instruction& instruction);

// The values of `type` to which numbers ten standard deviations below the mean, at it and ten above
// it are rounded: no generator reaches further. One of them is not finite if the type cannot
// represent every number of the distribution.
std::array<double, 3> ReachOfNormals(ElementType type, double mean, double deviation);

// Returns true if the value belongs to the distribution. An infinity or NaN belongs to a normal
// distribution if numbers within its reach are rounded to it.
bool CanBeDrawn(const Subject& subject, ElementType type, Element value);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_RANDOM_VALUES_H_
