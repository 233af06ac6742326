// Every clause of gather and scatter, and what is inferred
// where no shape is written (the expected shapes are those of XLA's reader).
#include "gtest/gtest.h"
#include "spec/ops/rule_rows.h"

namespace assay {
namespace {

constexpr absl::string_view kComputations = R"(
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
add_two {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  e = f32[] add(a, c)
  f = f32[] add(b, d)
  ROOT sums = (f32[], f32[]) tuple(e, f)
}
add_two_one {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] parameter(2)
  d = f32[] parameter(3)
  ROOT sum = f32[] add(a, c)
}
add_vector {
  a = f32[] parameter(0)
  b = f32[1] parameter(1)
  ROOT sum = f32[] reshape(b)
}
mixed {
  a = f16[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] convert(a)
}
)";

TEST(IndexingRules, EveryClauseOfGatherRefuses) {
  ExpectRows(
      kComputations,
      {
          {"gather_c1",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "(f32[4,5,6]); s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c2",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; f32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c2",
           "f32[4,5,6]; u8[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; pred[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c3",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=4, slice_sizes={1,1,6}"},
          {"gather_c3",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=-1, slice_sizes={1,1,6}"},
          {"gather_c4",
           "f32[4,5,6]; s32[4,3,2] | f32[6,4,3] gather(p0, p1), offset_dims={0}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={3}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c4",
           "f32[4,5]; s32[1] | f32[4,5] gather(p0, p1), offset_dims={0,1}, "
           "collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=0, slice_sizes={4,5}",
           "f32[4,5]; s32[1] | f32[4,5] gather(p0, p1), offset_dims={1,0}, "
           "collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=0, slice_sizes={4,5}"},
          {"gather_c5",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c6",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={2,1}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,3}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c6",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,1}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c7",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={3}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c7",
           "f32[4,5]; s32[2] | f32[] gather(p0, p1), offset_dims={}, collapsed_slice_dims={0,1}, "
           "start_index_map={0,1}, index_vector_dim=0, slice_sizes={1,1}",
           "f32[4,5]; s32[2] | f32[] gather(p0, p1), offset_dims={}, collapsed_slice_dims={1,0}, "
           "start_index_map={0,1}, index_vector_dim=0, slice_sizes={1,1}"},
          {"gather_c8",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={3}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c9",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={0}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c10",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,0}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c11",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={3}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c12",
           "f32[4,2]; s32[4,1] | f32[4,2] gather(p0, p1), offset_dims={1}, "
           "collapsed_slice_dims={}, start_index_map={1}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,2}",
           "f32[1,2]; s32[4,1] | f32[4,2] gather(p0, p1), offset_dims={1}, "
           "collapsed_slice_dims={}, start_index_map={1}, operand_batching_dims={0}, "
           "start_indices_batching_dims={1}, index_vector_dim=1, slice_sizes={1,2}"},
          {"gather_c13",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c14",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={1}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c15",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}"},
          {"gather_c16",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
          {"gather_c17",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,7}"},
          {"gather_c17",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,0] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,0}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,-1}"},
          {"gather_c18",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,2,6}"},
          {"gather_c18",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={2,1,6}"},
          {"gather_c19",
           "f32[0,5]; s32[0,1] | f32[0,5] gather(p0, p1), offset_dims={1}, "
           "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={0,5}",
           "f32[0,5]; s32[2,1] | f32[2,5] gather(p0, p1), offset_dims={1}, "
           "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={0,5}"},
          {"shape_c2",
           "f32[4,5,6]; s32[4,3,2] | f32[4,3,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}",
           "f32[4,5,6]; s32[4,3,2] | f32[3,4,6] gather(p0, p1), offset_dims={2}, "
           "collapsed_slice_dims={1}, start_index_map={1,2}, operand_batching_dims={0}, "
           "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,6}"},
      });
}

TEST(IndexingRules, EveryClauseOfScatterRefuses) {
  ExpectRows(
      kComputations,
      {
          {"scatter_c1",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; (f32[4,3,6]) | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c2",
           "f32[3]; f32[3]; s32[2,1]; f32[2]; f32[2] | (f32[3], f32[3]) scatter(p0, p1, p2, p3, "
           "p4), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_two",
           "f32[3]; f32[4]; s32[2,1]; f32[2]; f32[2] | (f32[3], f32[3]) scatter(p0, p1, p2, p3, "
           "p4), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_two"},
          {"scatter_c3",
           "f32[3]; f32[3]; s32[2,1]; f32[2]; f32[2] | (f32[3], f32[3]) scatter(p0, p1, p2, p3, "
           "p4), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_two",
           "f32[3]; f32[3]; s32[2,1]; f32[2]; f32[3] | (f32[3], f32[3]) scatter(p0, p1, p2, p3, "
           "p4), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_two"},
          {"scatter_c4",
           "f32[4,5,6]; s32[4,3,2]; bf16[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; s32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c5",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; pred[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c6",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=4, to_apply=add"},
          {"scatter_c7",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6,1] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c8",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={3}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c9",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={3}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c10",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={3}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c11",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c12",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,2}, "
           "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, "
           "to_apply=add"},
          {"scatter_c13",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
           "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, "
           "to_apply=add"},
          {"scatter_c14",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={2,1}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,3}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c14",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,1}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c15",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,0}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c16",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={3}, index_vector_dim=2, to_apply=add"},
          {"scatter_c17",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={2}, index_vector_dim=2, to_apply=add"},
          {"scatter_c18",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={}, index_vector_dim=2, to_apply=add"},
          {"scatter_c19",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={1}, index_vector_dim=2, to_apply=add"},
          {"scatter_c20",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,5] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,7] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"scatter_c21",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,2,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
          {"reducer_c1",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add_two"},
          {"reducer_c2",
           "f32[3]; f32[3]; s32[2,1]; f32[2]; f32[2] | (f32[3], f32[3]) scatter(p0, p1, p2, p3, "
           "p4), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_two",
           "f32[3]; f32[3]; s32[2,1]; f32[2]; f32[2] | (f32[3], f32[3]) scatter(p0, p1, p2, p3, "
           "p4), update_window_dims={}, inserted_window_dims={0}, "
           "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_two_one"},
          {"reducer_c3",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add_vector"},
          {"reducer_c4",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=mixed"},
          {"reducer_c5",
           "f32[4,5,6]; s32[4,3,2]; f32[4,3,6] | f32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add",
           "s32[4,5,6]; s32[4,3,2]; s32[4,3,6] | s32[4,5,6] scatter(p0, p1, p2), "
           "update_window_dims={2}, inserted_window_dims={1}, "
           "scatter_dims_to_operand_dims={1,2}, input_batching_dims={0}, "
           "scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add"},
      });
}

TEST(IndexingRules, InfersLikeXlasReader) {
  ExpectInference(
      kComputations,
      {
          {"f32[5,7]; s32[3] | gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes={1,7}",
           "f32[3,7]{1,0}"},
          {"f32[<=5,<=7]; s32[<=3] | gather(p0, p1), offset_dims={1}, collapsed_slice_dims={0}, "
           "start_index_map={0}, index_vector_dim=1, slice_sizes={1,7}",
           "f32[<=3,<=7]{1,0}"},
          {"f32[3]{0}; s32[2,1]; f32[2] | scatter(p0, p1, p2), update_window_dims={}, "
           "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
           "to_apply=add",
           "f32[3]{0}"},
      });
}

}  // namespace
}  // namespace assay
