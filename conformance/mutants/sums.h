// Sums as implementations add them up: in some order, in some type. The terms of an element are
// what the definition of its operation reads for it, which serves every operation that sums alike.
// Tests: mutants_test.cc.
#ifndef ASSAY_CONFORMANCE_MUTANTS_SUMS_H_
#define ASSAY_CONFORMANCE_MUTANTS_SUMS_H_

#include <functional>
#include <vector>

#include "conformance/mutants/defects.h"

namespace assay::conformance {

// A term: a value, or a product of two.
struct SumTerm {
  double a = 0;
  double b = 1;
  bool product = false;
};

// The sum of the terms; `type` is that of the result, into which the sum is rounded afterwards.
using SumRule = std::function<double(const std::vector<SumTerm>& terms, ElementType type)>;

// Floating-point dots, convolutions, ragged dots, reductions and windows that add, under a rule.
// Other instructions stay as they are.
Defect SumBy(SumRule rule, Where where = nullptr);

// One after the other; each product and each partial sum is rounded to the accumulator's type.
double SumForward(const std::vector<SumTerm>& terms, ElementType accumulator);
// As SumForward, products not rounded.
double SumContracted(const std::vector<SumTerm>& terms, ElementType accumulator);
double SumPairwise(const std::vector<SumTerm>& terms, ElementType accumulator);
// So many partial sums, over every so-manyth term.
double SumByLanes(const std::vector<SumTerm>& terms, ElementType accumulator, int lanes);

// The type that implementations accumulate results of the type in: f64 for f64, else f32.
ElementType WideAccumulator(ElementType type);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_SUMS_H_
