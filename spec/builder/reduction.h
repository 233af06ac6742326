// Reductions, windows, sorts and maps.
// Source: seeds 000, 003, 004; reference ops_structural.md 5, 6. Tests: builder_clauses_test.cc,
// conformance/seeds.
#ifndef ASSAY_SPEC_BUILDER_REDUCTION_H_
#define ASSAY_SPEC_BUILDER_REDUCTION_H_

#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "spec/builder/builder.h"

namespace assay {

// kValid adds none; kSame so much that a stride of 1 keeps the size, the odd element at the end.
enum class Padding { kSame, kValid };
using PaddingPair = std::pair<int64_t, int64_t>;  // low, high

Op Reduce(Op operand, Op init_value, const Callee& computation,
          absl::Span<const int64_t> dimensions_to_reduce, CallSite site = CallSite::Current());
Op Reduce(absl::Span<const Op> operands, absl::Span<const Op> init_values,
          const Callee& computation, absl::Span<const int64_t> dimensions_to_reduce,
          CallSite site = CallSite::Current());
Op ReduceAll(Op operand, Op init_value, const Callee& computation,
             CallSite site = CallSite::Current());

Op ReduceWindow(Op operand, Op init_value, const Callee& computation,
                absl::Span<const int64_t> window_dimensions,
                absl::Span<const int64_t> window_strides, Padding padding,
                CallSite site = CallSite::Current());
Op ReduceWindow(absl::Span<const Op> operands, absl::Span<const Op> init_values,
                const Callee& computation, absl::Span<const int64_t> window_dimensions,
                absl::Span<const int64_t> window_strides, Padding padding,
                CallSite site = CallSite::Current());
Op ReduceWindowWithGeneralPadding(
    absl::Span<const Op> operands, absl::Span<const Op> init_values, const Callee& computation,
    absl::Span<const int64_t> window_dimensions, absl::Span<const int64_t> window_strides,
    absl::Span<const int64_t> base_dilations, absl::Span<const int64_t> window_dilations,
    absl::Span<const PaddingPair> padding, CallSite site = CallSite::Current());

Op SelectAndScatter(Op operand, const Callee& select, absl::Span<const int64_t> window_dimensions,
                    absl::Span<const int64_t> window_strides, Padding padding, Op source,
                    Op init_value, const Callee& scatter, CallSite site = CallSite::Current());
Op SelectAndScatterWithGeneralPadding(Op operand, const Callee& select,
                                      absl::Span<const int64_t> window_dimensions,
                                      absl::Span<const int64_t> window_strides,
                                      absl::Span<const PaddingPair> padding, Op source,
                                      Op init_value, const Callee& scatter,
                                      CallSite site = CallSite::Current());

// `dimensions` are all of them; none stands for all, as in 2017. Each call gets the static operands
// as they are (HLO has none: scalars become further operands, arrays make the map a loop).
Op Map(absl::Span<const Op> operands, const Callee& computation,
       absl::Span<const int64_t> dimensions = {}, absl::Span<const Op> static_operands = {},
       CallSite site = CallSite::Current());

// What a program says of a property that it need not know.
enum class TriState { kUnknown, kTrue, kFalse };
// num_carries of the operands, the last, are carried along. An unknown is_associative promises no
// more than kFalse; HLO text has no word for it, and the module says false.
Op Scan(absl::Span<const Op> inputs, absl::Span<const Op> inits, const Callee& to_apply,
        int64_t scan_dimension, bool is_reverse = false,
        TriState is_associative = TriState::kUnknown, CallSite site = CallSite::Current());

// A negative dimension counts from the end.
Op Sort(absl::Span<const Op> operands, const Callee& comparator, int64_t dimension = -1,
        bool is_stable = false, CallSite site = CallSite::Current());
// As in 2017: without a comparator, ascending along the last dimension; floats in total order.
Op Sort(Op operand, CallSite site = CallSite::Current());
// (values, s32 indices) of the k largest of each line of the last dimension, ties by lower index.
Op TopK(Op operand, int64_t k, bool largest = true, CallSite site = CallSite::Current());

}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_REDUCTION_H_
