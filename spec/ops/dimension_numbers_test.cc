// The decoded dimension lists of the worked examples in reference ops_structural.md 4.1, 4.2, 7.2.
#include "spec/ops/dimension_numbers.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/testing/must_parse.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DimensionNumbers, Remaining) {
  EXPECT_THAT(RemainingDimensions(5, {1, 3}), ElementsAre(0, 2, 4));
  EXPECT_THAT(RemainingDimensions(4, {3}, {0, 1}), ElementsAre(2));
  EXPECT_THAT(RemainingDimensions(0, {}), IsEmpty());
}

TEST(DimensionNumbers, DotWithBatchInTheMiddle) {
  const auto module = MustParse(R"(
HloModule m
ENTRY e {
  a = f32[7,2,3,5] parameter(0)
  b = f32[3,2,4] parameter(1)
  ROOT r = f32[2,7,5,4] dot(a, b), lhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={0}
})");
  ASSERT_NE(module, nullptr);
  const DotDimensions dims = DotDimensionsOf(*module->entry()->root());
  EXPECT_THAT(dims.lhs_batch, ElementsAre(1));
  EXPECT_THAT(dims.rhs_batch, ElementsAre(1));
  EXPECT_THAT(dims.lhs_contracting, ElementsAre(2));
  EXPECT_THAT(dims.rhs_contracting, ElementsAre(0));
  EXPECT_THAT(dims.lhs_free, ElementsAre(0, 3));
  EXPECT_THAT(dims.rhs_free, ElementsAre(2));
}

TEST(DimensionNumbers, GatherWithBatching) {
  const auto module = MustParse(R"(
HloModule m
ENTRY e {
  x = s32[2,3,4,2] parameter(0)
  i = s32[2,2,3,2] parameter(1)
  ROOT r = s32[2,2,3,2,2] gather(x, i), offset_dims={3,4}, collapsed_slice_dims={1}, start_index_map={2,1}, operand_batching_dims={0}, start_indices_batching_dims={1}, index_vector_dim=3, slice_sizes={1,1,2,2}
})");
  ASSERT_NE(module, nullptr);
  const GatherDimensions dims = GatherDimensionsOf(*module->entry()->root());
  EXPECT_THAT(dims.batch, ElementsAre(0, 1, 2));
  EXPECT_THAT(dims.index_batch, ElementsAre(0, 1, 2));
  EXPECT_THAT(dims.offset, ElementsAre(3, 4));
  EXPECT_THAT(dims.window, ElementsAre(2, 3));
  EXPECT_THAT(dims.start_index_map, ElementsAre(2, 1));
  EXPECT_THAT(dims.operand_batching, ElementsAre(0));
  EXPECT_THAT(dims.batch_position, ElementsAre(1));
  EXPECT_FALSE(dims.implied_index_vector);
}

TEST(DimensionNumbers, GatherWithTheIndexVectorInFront) {
  const auto module = MustParse(R"(
HloModule m
ENTRY e {
  x = s32[3,4] parameter(0)
  i = s32[1,3] parameter(1)
  ROOT r = s32[3] gather(x, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={1}, index_vector_dim=0, slice_sizes={1,1}
})");
  ASSERT_NE(module, nullptr);
  const GatherDimensions dims = GatherDimensionsOf(*module->entry()->root());
  EXPECT_THAT(dims.batch, ElementsAre(0));
  EXPECT_THAT(dims.index_batch, ElementsAre(1));
  EXPECT_THAT(dims.batch_position, ElementsAre(0));
  EXPECT_THAT(dims.window, IsEmpty());
}

TEST(DimensionNumbers, ScatterOfRows) {
  const auto module = MustParse(R"(
HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}
ENTRY e {
  x = f32[3,4] parameter(0)
  i = s32[2] parameter(1)
  u = f32[2,3] parameter(2)
  ROOT r = f32[3,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
})");
  ASSERT_NE(module, nullptr);
  const ScatterDimensions dims = ScatterDimensionsOf(*module->entry()->root());
  EXPECT_EQ(dims.operands, 1);
  EXPECT_TRUE(dims.implied_index_vector);
  EXPECT_THAT(dims.batch, ElementsAre(0));
  EXPECT_THAT(dims.index_batch, ElementsAre(0));
  EXPECT_THAT(dims.update_window, ElementsAre(1));
  EXPECT_THAT(dims.window, ElementsAre(1));
  EXPECT_THAT(dims.window_sizes, ElementsAre(1, 3));
}

TEST(DimensionNumbers, ConvolutionWithGroups) {
  const auto module = MustParse(R"(
HloModule m
ENTRY e {
  x = f32[2,6,8] parameter(0)
  k = f32[3,3,4] parameter(1)
  ROOT r = f32[2,4,3] convolution(x, k), window={size=3 stride=2}, dim_labels=bf0_0io->bf0, feature_group_count=2
})");
  ASSERT_NE(module, nullptr);
  const ConvolutionGeometry conv = ConvolutionGeometryOf(*module->entry()->root());
  EXPECT_EQ(conv.input_batch, 2);
  EXPECT_EQ(conv.output_batch, 2);
  EXPECT_EQ(conv.input_features, 6);
  EXPECT_EQ(conv.kernel_features, 3);
  EXPECT_EQ(conv.output_features, 4);
  EXPECT_EQ(conv.feature_groups, 2);
  ASSERT_EQ(conv.spatial.size(), 1u);
  EXPECT_EQ(conv.spatial[0].input_dim, 2);
  EXPECT_EQ(conv.spatial[0].kernel_dim, 0);
  EXPECT_EQ(conv.spatial[0].output_dim, 2);
  EXPECT_EQ(conv.spatial[0].input_size, 8);
  EXPECT_EQ(conv.spatial[0].output_size, 3);
  EXPECT_EQ(conv.spatial[0].window.stride, 2);
}

}  // namespace
}  // namespace assay
