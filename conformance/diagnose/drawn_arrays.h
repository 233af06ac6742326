// Arrays of random numbers side by side in the result of a program. Every `rng` draws numbers of
// its own: two of them with the same distribution must be independent, and what is shown twice of
// one must be the same twice. An interval says neither. docs/semantics/random_numbers.md has the
// false-alarm rate. Tests: drawn_arrays_test.cc.
#ifndef ASSAY_CONFORMANCE_DIAGNOSE_DRAWN_ARRAYS_H_
#define ASSAY_CONFORMANCE_DIAGNOSE_DRAWN_ARRAYS_H_

#include <vector>

#include "absl/types/span.h"
#include "conformance/judge/verdict.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The leaves of the result that hold the numbers of an `rng` in their order. Which of the numbers
// in its range an element is, is left to the target.
std::vector<int64_t> DrawnLeaves(const Module& module);

// Adds a wrong element for every such array in the result of one device, and for every pair of
// them, that cannot have come about as the module has it. Golden's own arrays are not tested.
void JudgeDrawnArrays(const Module& module, absl::Span<const Literal> arguments,
                      const Literal& golden, const Literal& actual, int64_t device,
                      Judgement* judgement);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_DIAGNOSE_DRAWN_ARRAYS_H_
