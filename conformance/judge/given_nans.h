// Tells which NaNs come from the arguments and constants of a program. Such a NaN keeps its sign
// wherever it is moved (N-2). A NaN that an operation produces may have either sign, and so may the
// result of abs, negate or convert of a NaN (N-1, V-7). Tests: diagnose/program_judge_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_GIVEN_NANS_H_
#define ASSAY_CONFORMANCE_JUDGE_GIVEN_NANS_H_

#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true if every NaN of the value comes from a constant or an argument of the entry
// computation through operations that only move elements, so that its sign is known. Calls and
// fusions are followed in both directions; parameters of loops and regions count as produced. The
// result is true for a value without floats.
bool HasGivenNansAlone(const Instruction& value);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_GIVEN_NANS_H_
