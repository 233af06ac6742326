// Constants and functions that move elements: broadcasts, reshapes, slices, gathers, scatters.
// Source: seeds 000, 003, 004; reference ops_structural.md 3, 4, 13. Tests:
// builder_clauses_test.cc, conformance/seeds.
#ifndef ASSAY_SPEC_BUILDER_MOVEMENT_H_
#define ASSAY_SPEC_BUILDER_MOVEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "spec/builder/builder.h"

namespace assay {

Op Constant(Builder* builder, const Literal& literal, CallSite site = CallSite::Current());
Op ConstantLiteral(Builder* builder, const Literal& literal, CallSite site = CallSite::Current());
// A scalar of an integer, or of a float or complex type the value rounded once.
Op ConstantR0(Builder* builder, ElementType type, double value,
              CallSite site = CallSite::Current());
// result[i] = i[iota_dimension]
Op Iota(Builder* builder, const Shape& shape, int64_t iota_dimension,
        CallSite site = CallSite::Current());

// Copies of the operand under new dimensions, which come first.
Op Broadcast(Op operand, absl::Span<const int64_t> broadcast_sizes,
             CallSite site = CallSite::Current());
// Dimension d of the operand becomes broadcast_dimensions[d]; sizes of 1 stretch.
Op BroadcastInDim(Op operand, absl::Span<const int64_t> out_dim_size,
                  absl::Span<const int64_t> broadcast_dimensions,
                  CallSite site = CallSite::Current());

Op Reshape(Op operand, absl::Span<const int64_t> new_sizes, CallSite site = CallSite::Current());
// As in 2017: the elements in the order of a loop nest over `dimensions`, the slowest first.
Op Reshape(Op operand, absl::Span<const int64_t> dimensions, absl::Span<const int64_t> new_sizes,
           CallSite site = CallSite::Current());
// With a shape, which may have dynamic dimensions.
Op Reshape(const Shape& shape, Op operand, CallSite site = CallSite::Current());
Op DynamicReshape(Op operand, absl::Span<const Op> dim_sizes,
                  absl::Span<const int64_t> new_size_bounds,
                  const std::vector<bool>& dims_are_dynamic, CallSite site = CallSite::Current());
// One dimension in the place of several neighbours; fewer than two change nothing.
Op Collapse(Op operand, absl::Span<const int64_t> dimensions, CallSite site = CallSite::Current());
Op Transpose(Op operand, absl::Span<const int64_t> permutation,
             CallSite site = CallSite::Current());
Op Rev(Op operand, absl::Span<const int64_t> dimensions, CallSite site = CallSite::Current());

Op Concatenate(absl::Span<const Op> operands, int64_t dimension,
               CallSite site = CallSite::Current());
Op ConcatInDim(absl::Span<const Op> operands, int64_t dimension,
               CallSite site = CallSite::Current());
Op Pad(Op operand, Op padding_value, const PaddingConfig& padding_config,
       CallSite site = CallSite::Current());
Op PadInDim(Op operand, Op padding_value, int64_t dimension, int64_t pad_lo, int64_t pad_hi,
            CallSite site = CallSite::Current());

// Without strides: all 1. In 2017 a slice may not be empty.
Op Slice(Op operand, absl::Span<const int64_t> start_indices,
         absl::Span<const int64_t> limit_indices, absl::Span<const int64_t> strides = {},
         CallSite site = CallSite::Current());
Op SliceInDim(Op operand, int64_t start_index, int64_t limit_index, int64_t stride,
              int64_t dimension, CallSite site = CallSite::Current());
// Starts are scalars, or one array of rank 1; they are clamped (2017: taken modulo the size).
Op DynamicSlice(Op operand, Op start_indices, absl::Span<const int64_t> slice_sizes,
                CallSite site = CallSite::Current());
Op DynamicSlice(Op operand, absl::Span<const Op> start_indices,
                absl::Span<const int64_t> slice_sizes, CallSite site = CallSite::Current());
Op DynamicUpdateSlice(Op operand, Op update, Op start_indices, CallSite site = CallSite::Current());
Op DynamicUpdateSlice(Op operand, Op update, absl::Span<const Op> start_indices,
                      CallSite site = CallSite::Current());

struct GatherDimensionNumbers {
  std::vector<int64_t> offset_dims;
  std::vector<int64_t> collapsed_slice_dims;
  std::vector<int64_t> start_index_map;
  std::vector<int64_t> operand_batching_dims;
  std::vector<int64_t> start_indices_batching_dims;
  int64_t index_vector_dim = 0;
};
Op Gather(Op operand, Op start_indices, const GatherDimensionNumbers& dimension_numbers,
          absl::Span<const int64_t> slice_sizes, bool indices_are_sorted = false,
          CallSite site = CallSite::Current());

struct ScatterDimensionNumbers {
  std::vector<int64_t> update_window_dims;
  std::vector<int64_t> inserted_window_dims;
  std::vector<int64_t> scatter_dims_to_operand_dims;
  std::vector<int64_t> input_batching_dims;
  std::vector<int64_t> scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
};
Op Scatter(absl::Span<const Op> operands, Op scatter_indices, absl::Span<const Op> updates,
           const Callee& update_computation, const ScatterDimensionNumbers& dimension_numbers,
           bool indices_are_sorted = false, bool unique_indices = false,
           CallSite site = CallSite::Current());
Op Scatter(Op operand, Op scatter_indices, Op updates, const Callee& update_computation,
           const ScatterDimensionNumbers& dimension_numbers, bool indices_are_sorted = false,
           bool unique_indices = false, CallSite site = CallSite::Current());

Op GetDimensionSize(Op operand, int64_t dimension, CallSite site = CallSite::Current());
Op SetDimensionSize(Op operand, Op val, int64_t dimension, CallSite site = CallSite::Current());

}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_MOVEMENT_H_
