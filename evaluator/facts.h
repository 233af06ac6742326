// The facts from which error bounds of sums are derived, beside the golden value: the number of
// terms of each element, the sum of their magnitudes, and how much they cancel. They are
// computed only on request. Source: reference ops_structural.md 14. Tests:
// accumulation_facts_test.cc.
#ifndef ASSAY_EVALUATOR_FACTS_H_
#define ASSAY_EVALUATOR_FACTS_H_

#include <cmath>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::evaluator {

// Evaluates a module; whoever runs modules gives it.
using EvaluateModule = std::function<absl::StatusOr<Literal>(const Module& module,
                                                             absl::Span<const Literal> arguments)>;

struct AccumulationFact {
  // The number of terms of the sum. The start value of a fold counts unless it is zero. Padding
  // does not count.
  double terms = 0;
  // The sum of |terms|: magnitudes * 2^exponent, no less than it is and at most two ulps more.
  // Complex terms count as (|re| + |im|) of each factor, which is at most twice as much. Infinite
  // or NaN where a term is. `exponent` is 0 unless the sum is beyond the largest double.
  double magnitudes = 0;
  int exponent = 0;
  // sum |terms| / |sum|: 1 where nothing cancels (and for sums of zeros alone), infinite where all
  // does; of sums below the smallest normal double that of the rounded sum.
  double condition = 1;

  // Returns the sum as a double, or infinity if it does not fit.
  double sum_of_magnitudes() const { return std::ldexp(magnitudes, exponent); }
};

enum class FactsWanted : uint8_t { kTermsAndMagnitudes, kCondition };  // the latter: all of them

// One for each element of the result, in row-major order. For `dot`, `convolution` and, where they
// add floats or complex numbers, `reduce`, `reduce-window`, `scatter` and `select-and-scatter`
// (with one operand), and for the leaves of a `scan` that are running sums or the last of them. For
// `fft` the terms are those of a block, and the magnitudes sqrt(N sum
// |x|^2) of it, which bounds them and every value on the way, at most p + 12 ulps more for a block
// of p real parts; the inverse divides by N.
// Of `batch-norm-training` leaf 1 and 2, mean and variance, have facts of their sums over the
// cells, divided by the number of these (all terms of a variance are positive). UNIMPLEMENTED,
// naming the instruction, for others. `operands` have no dynamic sizes unless `evaluate` knows
// these; without it the kernels and definitions of the evaluator are used.
absl::StatusOr<std::vector<AccumulationFact>> FindAccumulationFacts(
    const Instruction& instruction, absl::Span<const Literal> operands,
    FactsWanted wanted = FactsWanted::kCondition, const EvaluateModule& evaluate = nullptr,
    int64_t leaf = 0);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_FACTS_H_
