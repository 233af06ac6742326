// Every clause of the dot family and of convolution, and what is inferred
// where no shape is written (the expected shapes are those of XLA's reader).
#include "gtest/gtest.h"
#include "spec/ops/rule_rows.h"

namespace assay {
namespace {

TEST(ContractionRules, EveryClauseRefuses) {
  ExpectRows(
      "",
      {
          {"dot_c1",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "(f32[2,3,4]); f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"},
          {"dot_c2",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"},
          {"dot_c2",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={}, rhs_batch_dims={0}, rhs_contracting_dims={1}"},
          {"dot_c3",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={3}, rhs_batch_dims={0}, rhs_contracting_dims={1}"},
          {"dot_c3",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={-1}"},
          {"dot_c3",
           "f32[2,2]; f32[2,2] | f32[] dot(p0, p1), lhs_contracting_dims={0,1}, "
           "rhs_contracting_dims={1,0}",
           "f32[2,2]; f32[2,2] | f32[] dot(p0, p1), lhs_contracting_dims={0,0}, "
           "rhs_contracting_dims={1,0}"},
          {"dot_c3",
           "f32[2,2]; f32[2,2] | f32[2] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,2]; f32[2,2] | f32[2] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={0}"},
          {"dot_c4",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,3,4]; f32[2,3,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"},
          {"dot_c4",
           "f32[2,3,4]; f32[2,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,3,4]; f32[1,4,5] | f32[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"},
          {"shape_c2",
           "f32[2,3,4]; f32[2,4,5] | f64[2,3,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,3,4]; f32[2,4,5] | f32[3,2,5] dot(p0, p1), lhs_batch_dims={0}, "
           "lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}"},
          {"ragged_dot_c1",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}",
           "f32[11,5]; f32[3,5,7]; f32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}"},
          {"ragged_dot_c2",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={2}, "
           "rhs_group_dims={0}"},
          {"ragged_dot_c2",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0,1}, "
           "rhs_group_dims={0}"},
          {"ragged_dot_c3",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={}"},
          {"ragged_dot_c3",
           "f32[11,5]; f32[5,7]; s32[3] | f32[3,11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}",
           "f32[11,5]; f32[5,7]; s32[3] | f32[3,11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}, "
           "rhs_group_dims={1}"},
          {"ragged_dot_c4",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={1}"},
          {"ragged_dot_c5",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}",
           "f32[11,5]; f32[3,5,7]; s32[2,3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}"},
          {"ragged_dot_c6",
           "f32[11,5]; f32[3,5,7]; s32[3] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}",
           "f32[11,5]; f32[3,5,7]; s32[2] | f32[11,7] ragged-dot(p0, p1, p2), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, "
           "rhs_group_dims={0}"},
          {"scaled_dot_c1",
           "bf16[4,64]; bf16[64,8]; bf16[4,2]; bf16[2,8] | bf16[4,8] scaled-dot(p0, p1, p2, p3), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
           "bf16[4,64]; bf16[64,8]; token[]; bf16[2,8] | bf16[4,8] scaled-dot(p0, p1, p2, p3), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
          {"scaled_dot_c2",
           "bf16[4,64]; bf16[64,8]; bf16[4,2]; bf16[2,8] | bf16[4,8] scaled-dot(p0, p1, p2, p3), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
           "bf16[4,64]; bf16[64,8]; bf16[2]; bf16[2,8] | bf16[4,8] scaled-dot(p0, p1, p2, p3), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
          {"scaled_dot_c3",
           "bf16[4,64]; bf16[64,8]; bf16[4,2]; bf16[2,8] | bf16[4,8] scaled-dot(p0, p1, p2, p3), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
           "bf16[4,64]; bf16[64,8]; bf16[4,3]; bf16[2,8] | bf16[4,8] scaled-dot(p0, p1, p2, p3), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
          {"scaled_dot_c4",
           "bf16[4,64]; bf16[64,8]; bf16[4,2]; bf16[2,8] | bf16[4,8] scaled-dot(p0, p1, p2, p3), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
           "bf16[4,64]; bf16[64,8]; bf16[4,2]; bf16[2,8] | bf16[4,64,64,8] scaled-dot(p0, p1, "
           "p2, p3), lhs_contracting_dims={}, rhs_contracting_dims={}"},
          {"scaled_dot_c5",
           "bf16[4,64]; bf16[64,8]; bf16[]; bf16[2,8] | bf16[4,8] scaled-dot(p0, p1, p2, p3), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
           "bf16[4,64]; bf16[64,8]; bf16[]; bf16[] | bf16[4,8] scaled-dot(p0, p1, p2, p3), "
           "lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
          {"convolution_c1",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2"},
          {"convolution_c2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6,1]; f32[3,3,3,4,1] | f32[2,6,6,4] convolution(p0, p1), "
           "window={size=3x3}, dim_labels=b01f_01io->b01f, feature_group_count=2"},
          {"convolution_c3",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2"},
          {"convolution_c4",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x2}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2"},
          {"convolution_c5",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3 "
           "stride=0x1}, dim_labels=b01f_01io->b01f, feature_group_count=2"},
          {"convolution_c5",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,0,6,4] convolution(p0, p1), window={size=3x3 "
           "pad=-4_-4x0_0}, dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3 "
           "pad=-5_-4x0_0}, dim_labels=b01f_01io->b01f, feature_group_count=2"},
          {"convolution_c5",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[0,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=0x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2"},
          {"convolution_c6",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=0"},
          {"convolution_c6",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2, batch_group_count=2"},
          {"convolution_c7",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=3"},
          {"convolution_c7",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=1"},
          {"convolution_c8",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,5] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2"},
          {"convolution_c9",
           "f32[4,8,3]; f32[3,3,4] | f32[2,6,4] convolution(p0, p1), window={size=3}, "
           "dim_labels=b0f_0io->b0f, batch_group_count=2",
           "f32[3,8,3]; f32[3,3,4] | f32[2,6,4] convolution(p0, p1), window={size=3}, "
           "dim_labels=b0f_0io->b0f, batch_group_count=2"},
          {"convolution_c10",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | (f32[2,6,6,4]) convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2"},
          {"shape_c2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,6,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2",
           "f32[2,8,8,6]; f32[3,3,3,4] | f32[2,6,7,4] convolution(p0, p1), window={size=3x3}, "
           "dim_labels=b01f_01io->b01f, feature_group_count=2"},
      });
}

TEST(ContractionRules, InfersLikeXlasReader) {
  ExpectInference(
      "",
      {
          {"f32[2,3,4]; f32[2,4,5] | dot(p0, p1), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
           "rhs_batch_dims={0}, rhs_contracting_dims={1}",
           "f32[2,3,5]{2,1,0}"},
          {"s8[2]; u8[2] | dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
           "s8[]"},
          {"f16[2]; bf16[2] | dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
           "bf16[]"},
          {"f32[2]; s32[2] | dot(p0, p1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
           "f32[]"},
          {"f32[<=5,3]; f32[3,<=4] | dot(p0, p1), lhs_contracting_dims={1}, "
           "rhs_contracting_dims={0}",
           "f32[<=5,<=4]{1,0}"},
          {"f32[<=2,1]; f32[2,1] | dot(p0, p1), lhs_batch_dims={0}, lhs_contracting_dims={}, "
           "rhs_batch_dims={0}, rhs_contracting_dims={}",
           "f32[<=2,1,1]{2,1,0}"},
          {"f32[5,2,3]; f32[5,3,4]; s32[2] | ragged-dot(p0, p1, p2), lhs_batch_dims={0}, "
           "rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
           "lhs_ragged_dims={2}",
           "f32[2,5,2,4]{3,2,1,0}"},
          {"f32[1,3,3,2]; f32[2,2,2,4] | convolution(p0, p1), window={size=2x2}, "
           "dim_labels=b01f_01io->b01f",
           "f32[1,2,2,4]{3,2,1,0}"},
          {"f16[1,3,3,2]; f32[2,2,2,4] | convolution(p0, p1), window={size=2x2}, "
           "dim_labels=b01f_01io->bf01",
           "f32[1,4,2,2]{3,2,1,0}"},
      });
}

}  // namespace
}  // namespace assay
