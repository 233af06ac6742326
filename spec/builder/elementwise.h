// Elementwise functions, with the implicit broadcasting of the documents:
//   - equal ranks: dimension by dimension the sizes are equal or one of them is 1, which stretches;
//   - a scalar goes with everything;
//   - other ranks need broadcast_dimensions: entry i is the dimension of the larger operand that
//     dimension i of the smaller one becomes, strictly increasing; then sizes of 1 stretch.
// Source: seeds 000 and 003; reference ops_elementwise_and_types.md 4.2. Tests: builder_test.cc,
// builder_clauses_test.cc.
#ifndef ASSAY_SPEC_BUILDER_ELEMENTWISE_H_
#define ASSAY_SPEC_BUILDER_ELEMENTWISE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "spec/builder/builder.h"

namespace assay {

#define UNARY(function, opcode) Op function(Op operand, CallSite site = CallSite::Current());
#define ACCURATE(function, opcode)                               \
  Op function(Op operand, CallSite site = CallSite::Current());  \
  Op function(Op operand, const ResultAccuracy& result_accuracy, \
              CallSite site = CallSite::Current());
#define BINARY(function, opcode)                                                   \
  Op function(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions = {}, \
              CallSite site = CallSite::Current());
#define COMPARISON(function, direction)                                                        \
  Op function(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions = {},             \
              CallSite site = CallSite::Current());                                            \
  Op function##TotalOrder(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions = {}, \
                          CallSite site = CallSite::Current());
#include "spec/builder/elementwise_functions.def"
#undef UNARY
#undef ACCURATE
#undef BINARY
#undef COMPARISON

// The parent of the comparisons. Without a type, that of the element type's order.
Op Compare(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions,
           ComparisonDirection direction, CallSite site = CallSite::Current());
Op Compare(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions,
           ComparisonDirection direction, ComparisonType type, CallSite site = CallSite::Current());

// The names of 2017 for And, Or, Not of truth values.
Op LogicalAnd(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions = {},
              CallSite site = CallSite::Current());
Op LogicalOr(Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions = {},
             CallSite site = CallSite::Current());
Op LogicalNot(Op operand, CallSite site = CallSite::Current());

// min(max(operand, min), max); the bounds may be scalars.
Op Clamp(Op min, Op operand, Op max, CallSite site = CallSite::Current());
// A scalar pred takes one operand whole, which may then be a tuple (made with a conditional). A
// scalar operand beside an array stretches.
Op Select(Op pred, Op on_true, Op on_false, CallSite site = CallSite::Current());

Op ConvertElementType(Op operand, ElementType new_element_type,
                      CallSite site = CallSite::Current());
// The bits as another type; where widths differ, the last dimension is their ratio.
Op BitcastConvertType(Op operand, ElementType new_element_type,
                      CallSite site = CallSite::Current());
// The 2018 document prints the two numbers in the other order in one place; this one counts.
Op ReducePrecision(Op operand, int64_t exponent_bits, int64_t mantissa_bits,
                   CallSite site = CallSite::Current());
Op StochasticConvertType(Op operand, Op random, ElementType new_element_type,
                         CallSite site = CallSite::Current());
// Hands the operand on; nothing moves across it.
Op OptimizationBarrier(Op operand, CallSite site = CallSite::Current());

}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_ELEMENTWISE_H_
