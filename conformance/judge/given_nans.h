// Which NaNs a target did not make. A NaN of an argument or a constant keeps its sign wherever it
// is moved (N-2); one that an operation makes has any sign, and so has one that abs, negate or
// convert takes (N-1, V-7). Tests: diagnose/program_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_GIVEN_NANS_H_
#define ASSAY_CONFORMANCE_JUDGE_GIVEN_NANS_H_

#include "spec/ir/module.h"

namespace assay {

// Returns true if every NaN of the value comes from a constant or from an argument of the entry, by
// operations that move elements alone, so that its sign is known. Calls and fusions are followed in
// both directions; what loops and regions are given counts as made. Values without floats have no
// NaN.
bool HasGivenNansAlone(const Instruction& value);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_GIVEN_NANS_H_
