// The document "Tensors" section by section, as far as it speaks of descriptions and views. Names
// begin with the section. What computes is in evaluator/views/seed002_test.cc.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/views/tensor_description.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TensorDescriptionPtr Allocated(const Dimensions& shape,
                               DimensionOrder order = DimensionOrder::kRowMajor,
                               const Dimensions& sizes = {}) {
  auto tensor = DescribeAllocated(ElementType::kF32, shape, order, sizes);
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  return *tensor;
}

TEST(Seed002, BasicTensorDescriptions) {
  const TensorDescriptionPtr basic = DescribeBasic(ElementType::kF32, {2, 3});
  EXPECT_EQ(basic->dtype, ElementType::kF32);
  EXPECT_EQ(basic->rank(), 2);
  EXPECT_FALSE(basic->layout.has_value());
  // The shape implies no layout.
  EXPECT_EQ(basic->Position({0, 0}).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(basic->AllocatedCells().ok());
}

TEST(Seed002, TensorDescriptionsSayWhatIsShared) {
  EXPECT_TRUE(DescribeBasic(ElementType::kF32, {3})->read_only);
  const TensorDescriptionPtr x = Allocated({2, 3});
  EXPECT_FALSE(x->read_only);
  const auto transposed = Permute(x, {1, 0});
  const auto row =
      DescribeView(*transposed, (*transposed)->AsView()->Slice({0, 1}, {3, 1}, {1, 1}));
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_TRUE((*row)->SharesStorageWith(*x));
  EXPECT_FALSE((*row)->SharesStorageWith(*Allocated({2, 3})));
  EXPECT_EQ((*row)->view_of, *transposed);
  EXPECT_FALSE((*row)->read_only);
  EXPECT_EQ((*row)->Position({2, 0}).value(), 5);
  EXPECT_THAT((*row)->ToString(),
              HasSubstr("f32[3,1] strides (1, 3) offset 3, a view of l-tensor f32[2,3]"));
}

TEST(Seed002, ImplementationDetailsSimpleView) {
  // y[i] = x[f(i)]: reshape and slice.
  const TensorDescriptionPtr x = Allocated({4, 6});
  const View sliced = x->AsView()->Slice({1, 0}, {2, 3}, {2, 2});
  EXPECT_EQ(sliced.At({1, 2}).position, 3 * 6 + 4);
  const auto reshaped = x->AsView()->Reshape({2, 2, 6});
  ASSERT_TRUE(reshaped.has_value());
  EXPECT_EQ(reshaped->At({1, 0, 5}).position, 17);
  // Joining the dimensions of a slice with gaps would need a division.
  EXPECT_EQ(sliced.Reshape({6}), std::nullopt);
  EXPECT_TRUE(DescribeView(x, sliced).ok());
}

TEST(Seed002, ImplementationDetailsComplexView) {
  // Padding: a region of the values comes from x, the rest from a tensor of zeros.
  PaddingConfig padding;
  padding.dimensions = {{1, 1, 0}};
  const View padded = View::Pad(View::Dense({3}, 0), View::Dense({}, 1), padding, {5});
  const std::vector<View::Location> expected = {{1, 0}, {0, 0}, {0, 1}, {0, 2}, {1, 0}};
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(padded.At({i}), expected[i]) << i;
  EXPECT_EQ(DescribeView(Allocated({3}), padded).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(Seed002, ImplementationDetailsReverseAndSliceOfIt) {
  // Reverse of x.[4]: offset 3, stride -1; its slice from 1 by steps of 2: offset 2, stride -2.
  const View reversed = View::Dense({4}).Reverse({0});
  EXPECT_EQ(reversed, View::Strided({4}, 3, {-1}));
  EXPECT_EQ(reversed.Slice({1}, {2}, {2}), View::Strided({2}, 2, {-2}));
}

TEST(Seed002, DenseLTensorImplementationStrides) {
  EXPECT_THAT(DenseStrides({5, 3, 2}, DimensionOrder::kRowMajor), ElementsAre(6, 2, 1));
  EXPECT_THAT(DenseStrides({5, 3, 2}, DimensionOrder::kColumnMajor), ElementsAre(1, 5, 15));
  EXPECT_EQ(Allocated({5, 3, 2}, DimensionOrder::kColumnMajor)->Position({4, 2, 1}).value(), 29);
}

TEST(Seed002, DenseLTensorImplementationAlignedSizes) {
  const TensorDescriptionPtr x = Allocated({5, 3, 2}, DimensionOrder::kRowMajor, {5, 3, 4});
  EXPECT_THAT(x->layout->strides, ElementsAre(12, 4, 1));
  EXPECT_EQ(x->Position({4, 2, 1}).value(), 57);
  EXPECT_EQ(x->AllocatedCells().value(), 60);
  EXPECT_EQ(x->Position({0, 0, 2}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(x->Position({0, -1, 0}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_FALSE(
      DescribeAllocated(ElementType::kF32, {5, 3}, DimensionOrder::kRowMajor, {5, 2}).ok());
  EXPECT_FALSE(DescribeAllocated(ElementType::kF32, {5}, DimensionOrder::kRowMajor, {5, 1}).ok());
  EXPECT_FALSE(DescribeAllocated(ElementType::kF32, {int64_t{1} << 62, 4}).ok());
}

TEST(Seed002, DenseLTensorImplementationTransposeIsAPermutation) {
  const TensorDescriptionPtr x = Allocated({5, 3, 2}, DimensionOrder::kRowMajor, {5, 3, 4});
  const TensorDescriptionPtr y = Permute(x, {2, 0, 1}).value();
  EXPECT_THAT(y->shape, ElementsAre(2, 5, 3));
  EXPECT_THAT(y->layout->sizes, ElementsAre(4, 5, 3));
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t k = 0; k < 2; ++k) {
        EXPECT_EQ(y->Position({k, i, j}).value(), x->Position({i, j, k}).value());
      }
    }
  }
  EXPECT_FALSE(Permute(x, {0, 1}).ok());
  EXPECT_FALSE(Permute(x, {0, 1, 1}).ok());
}

TEST(Seed002, DenseLTensorImplementationFlattened) {
  const TensorDescriptionPtr a = Allocated({4, 6}), b = Allocated({4, 6});
  const TensorDescriptionPtr column = Allocated({4, 6}, DimensionOrder::kColumnMajor);
  EXPECT_TRUE(CanWalkFlattened({a, b}));
  EXPECT_TRUE(CanWalkFlattened({column, column}));
  EXPECT_FALSE(CanWalkFlattened({a, column}));
  EXPECT_FALSE(CanWalkFlattened({a, Allocated({6, 4})}));
  // Alignment leaves gaps.
  const TensorDescriptionPtr gaps = Allocated({4, 6}, DimensionOrder::kRowMajor, {4, 8});
  EXPECT_FALSE(CanWalkFlattened({gaps, gaps}));
  EXPECT_FALSE(CanWalkFlattened({DescribeBasic(ElementType::kF32, {4, 6})}));
}

}  // namespace
}  // namespace assay
