// What the dimension lists of contractions and indexed operations say, decoded once: which
// dimension of which operand goes where. For instructions that CheckInstruction accepted; kernels
// and definitions read these instead of the attributes. Pointers to nothing: plain numbers only.
// Source: reference ops_structural.md 4, 7, 8. Tests: dimension_numbers_test.cc.
#ifndef ASSAY_SPEC_OPS_DIMENSION_NUMBERS_H_
#define ASSAY_SPEC_OPS_DIMENSION_NUMBERS_H_

#include <cstdint>
#include <vector>

#include "spec/ir/module.h"

namespace assay {

// The dimensions 0..rank-1 that neither list has, ascending.
Dimensions RemainingDimensions(int64_t rank, absl::Span<const int64_t> taken,
                               absl::Span<const int64_t> also_taken = {});

// dot, ragged-dot, scaled-dot. The result of a dot has the batch dimensions in list order, the free
// ones of lhs, the free ones of rhs.
struct DotDimensions {
  Dimensions lhs_batch, rhs_batch;              // paired by position
  Dimensions lhs_contracting, rhs_contracting;  // paired by position
  Dimensions lhs_free, rhs_free;                // the rest, ascending
};
DotDimensions DotDimensionsOf(const Instruction& dot);

// gather: result[o] = operand[full], where full starts at the (clamped) start indices, plus the
// batch position in batching dimensions, plus the offset in the window dimensions.
struct GatherDimensions {
  // Dimensions of the result that count start vectors, ascending; the k-th goes with the k-th
  // dimension of start_indices that is not the index vector.
  Dimensions batch;
  Dimensions index_batch;
  // Dimensions of the result that walk inside a slice; the k-th goes with the k-th of `window`.
  Dimensions offset;
  Dimensions window;  // of the operand: neither collapsed nor batching, ascending
  // Component k of a start vector is the start in dimension start_index_map[k] of the operand.
  Dimensions start_index_map;
  // Dimension index_vector_dim of start_indices; equal to its rank when it is implied (size 1).
  int64_t index_vector_dim = 0;
  bool implied_index_vector = false;
  // Dimension operand_batching[j] of the operand follows result dimension batch[batch_position[j]].
  Dimensions operand_batching;
  Dimensions batch_position;
  Dimensions slice_sizes;  // per dimension of the operand
};
GatherDimensions GatherDimensionsOf(const Instruction& gather);

// scatter: the same with updates in the place of the result.
struct ScatterDimensions {
  int64_t operands = 0;    // N: operands 0..N-1 are data, N the indices, N+1..2N the updates
  Dimensions batch;        // of the updates: not in update_window_dims, ascending
  Dimensions index_batch;  // of the indices: not the index vector, ascending
  Dimensions update_window;
  Dimensions window;  // of the data: neither inserted nor batching, ascending
  Dimensions start_index_map;
  int64_t index_vector_dim = 0;
  bool implied_index_vector = false;
  Dimensions operand_batching;
  Dimensions batch_position;
  // Size of the window in each dimension of the data (1 in inserted and batching ones).
  Dimensions window_sizes;
};
ScatterDimensions ScatterDimensionsOf(const Instruction& scatter);

// convolution, with the sizes.
struct ConvolutionGeometry {
  struct Spatial {
    int64_t input_dim = 0, kernel_dim = 0, output_dim = 0;  // dimension numbers
    int64_t input_size = 0, output_size = 0;
    WindowDimension window;
  };
  int64_t input_batch_dim = 0, input_feature_dim = 0;
  int64_t kernel_input_feature_dim = 0, kernel_output_feature_dim = 0;
  int64_t output_batch_dim = 0, output_feature_dim = 0;
  int64_t input_batch = 0;      // B
  int64_t input_features = 0;   // IF
  int64_t kernel_features = 0;  // KI: input features that one output sees
  int64_t output_features = 0;  // OF
  int64_t output_batch = 0;     // B / batch groups
  int64_t feature_groups = 1, batch_groups = 1;
  std::vector<Spatial> spatial;
};
ConvolutionGeometry ConvolutionGeometryOf(const Instruction& convolution);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_DIMENSION_NUMBERS_H_
