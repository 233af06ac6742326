#include "conformance/judge/comparison.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::conformance {
namespace {

using ::testing::ElementsAre;

Literal Floats(const std::vector<float>& values) {
  Literal literal = Literal::Zeros(Shape(ElementType::kF32, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(i, Element{std::bit_cast<uint32_t>(values[i])});
  }
  return literal;
}

Literal Integers(const std::vector<int32_t>& values) {
  Literal literal = Literal::Zeros(Shape(ElementType::kS32, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(i, Element{static_cast<uint32_t>(values[i])});
  }
  return literal;
}

TEST(UlpBuckets, ArePowersOfTwo) {
  const std::vector<std::pair<uint64_t, int>> expected = {{0, 0}, {1, 1}, {2, 2}, {3, 3},  {4, 3},
                                                          {5, 4}, {8, 4}, {9, 5}, {16, 5}, {17, 6}};
  for (auto [distance, bucket] : expected) EXPECT_EQ(UlpBucket(distance), bucket) << distance;
  EXPECT_EQ(UlpBucket(std::numeric_limits<uint64_t>::max()), kUlpBuckets - 1);
  EXPECT_EQ(UlpBucketName(0), "0");
  EXPECT_EQ(UlpBucketName(1), "1");
  EXPECT_EQ(UlpBucketName(2), "2");
  EXPECT_EQ(UlpBucketName(3), "3-4");
  EXPECT_EQ(UlpBucketName(4), "5-8");
  EXPECT_EQ(UlpBucket(uint64_t{1} << 31), 32);
  EXPECT_EQ(UlpBucketName(32), "1073741825-2147483648");
  EXPECT_EQ(UlpBucketName(kUlpBuckets - 1), "9223372036854775809-18446744073709551615");
}

TEST(Comparison, EqualBitsAndNansAreEqual) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto result = Compare(Floats({1, nan, -0.0f}), Floats({1, -nan, -0.0f}));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->agreement, Agreement::kEqual);
  EXPECT_EQ(result->arrays[0].equal, 3);
  EXPECT_EQ(result->arrays[0].nan_both, 1);
}

TEST(Comparison, MeasuresFloatsInUlp) {
  const float one = 1;
  const float next = std::nextafter(one, 2.0f);
  const float third = std::nextafter(next, 2.0f);
  auto result = Compare(Floats({one, one, 0.0f}), Floats({next, third, -0.0f}));
  ASSERT_TRUE(result.ok());
  const ArrayComparison& array = result->arrays[0];
  EXPECT_EQ(array.agreement, Agreement::kFloatsDiffer);
  EXPECT_EQ(array.largest_distance, 2);
  ASSERT_TRUE(array.largest && array.first);
  EXPECT_THAT(array.largest->index, ElementsAre(1));
  EXPECT_EQ(array.largest->left, "1");
  EXPECT_THAT(array.first->index, ElementsAre(0));
  EXPECT_FALSE(array.first_special);
  EXPECT_EQ(array.zero_sign_differs, 1);
  EXPECT_EQ(array.histogram[0], 1);
  EXPECT_EQ(array.histogram[1], 1);
  EXPECT_EQ(array.histogram[2], 1);
}

TEST(Comparison, DistanceAcrossZeroCountsTheNumbersBetween) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  auto result = Compare(Floats({tiny}), Floats({-tiny}));
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->largest_distance, 2);
}

TEST(Comparison, NansInfinitiesAndIntegersAreMismatches) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  auto nans = Compare(Floats({nan, 1}), Floats({1, nan}));
  ASSERT_TRUE(nans.ok());
  EXPECT_EQ(nans->agreement, Agreement::kMismatch);
  EXPECT_EQ(nans->arrays[0].nan_left_only, 1);
  EXPECT_EQ(nans->arrays[0].nan_right_only, 1);
  auto infinities = Compare(Floats({infinity}), Floats({3e38f}));
  ASSERT_TRUE(infinities.ok());
  EXPECT_EQ(infinities->agreement, Agreement::kMismatch);
  EXPECT_EQ(infinities->arrays[0].infinity_differs, 1);
  auto integers = Compare(Integers({5, -2147483647 - 1}), Integers({5, 2147483647}));
  ASSERT_TRUE(integers.ok());
  EXPECT_EQ(integers->agreement, Agreement::kMismatch);
  EXPECT_EQ(integers->largest_distance, 4294967295u);
}

TEST(Comparison, NansOfEitherPartOfAComplexNumberAreMismatches) {
  const auto number = [](float real, float imag) {
    return Literal::Scalar(ElementType::kC64,
                           Element{std::bit_cast<uint32_t>(real), std::bit_cast<uint32_t>(imag)});
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Literal& part : {number(nan, 1), number(1, nan)}) {
    auto left = Compare(part, number(1, 1)), right = Compare(number(1, 1), part);
    ASSERT_TRUE(left.ok() && right.ok());
    EXPECT_EQ(left->arrays[0].nan_left_only, 1);
    EXPECT_EQ(left->arrays[0].nan_right_only, 0);
    EXPECT_EQ(left->agreement, Agreement::kMismatch);
    EXPECT_EQ(right->arrays[0].nan_left_only, 0);
    EXPECT_EQ(right->arrays[0].nan_right_only, 1);
    EXPECT_EQ(right->agreement, Agreement::kMismatch);
  }
}

TEST(Comparison, TheFirstSpecialDifferenceHasItsPlace) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto result = Compare(Floats({1, 2, nan, nan}), Floats({1.5f, 2, 2, 3}));
  ASSERT_TRUE(result.ok());
  const ArrayComparison& array = result->arrays[0];
  EXPECT_THAT(array.first->index, ElementsAre(0));
  EXPECT_THAT(array.largest->index, ElementsAre(0));
  ASSERT_TRUE(array.first_special);
  EXPECT_THAT(array.first_special->index, ElementsAre(2));
  EXPECT_EQ(array.first_special->left, "nan");
  EXPECT_EQ(array.first_special->right, "2");
  // No distance, no largest one.
  auto zeros = Compare(Floats({0.0f}), Floats({-0.0f}));
  ASSERT_TRUE(zeros.ok());
  EXPECT_TRUE(zeros->arrays[0].first);
  EXPECT_FALSE(zeros->arrays[0].largest);
}

TEST(Comparison, TuplesByPath) {
  const Literal left = Literal::Tuple({Floats({1}), Literal::Tuple({Integers({1, 2})})});
  const Literal right = Literal::Tuple({Floats({1}), Literal::Tuple({Integers({1, 3})})});
  auto result = Compare(left, right);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result->arrays.size(), 2);
  EXPECT_THAT(result->arrays[1].path, ElementsAre(1, 0));
  EXPECT_EQ(result->arrays[0].agreement, Agreement::kEqual);
  EXPECT_EQ(result->agreement, Agreement::kMismatch);
}

TEST(Comparison, DifferentShapesAreAnError) {
  auto result = Compare(Floats({1}), Floats({1, 2}));
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(result.status().message()), testing::HasSubstr("f32[1] and f32[2]"));
}

// Of arrays with dynamic dimensions, what lies within their current sizes counts, and these sizes.
TEST(Comparison, DynamicArraysByTheirCurrentSizes) {
  Shape bounded(ElementType::kS32, {3});
  bounded.set_dynamic_dimension(0, true);
  const auto array = [&](std::initializer_list<int32_t> values, int64_t size) {
    Literal literal = Integers(values).WithShape(bounded);
    literal.set_dynamic_size(0, size);
    return literal;
  };
  auto equal = Compare(array({1, 2, 3}, 2), array({1, 2, 4}, 2));
  ASSERT_TRUE(equal.ok());
  EXPECT_EQ(equal->agreement, Agreement::kEqual);
  EXPECT_EQ(equal->arrays[0].elements, 2);
  auto to_static = Compare(array({1, 2, 3}, 2), Integers({1, 5}));
  ASSERT_TRUE(to_static.ok());
  EXPECT_EQ(to_static->agreement, Agreement::kMismatch);
  auto sizes = Compare(array({1, 2, 3}, 2), array({1, 2, 3}, 3));
  EXPECT_EQ(sizes.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(sizes.status().message()), testing::HasSubstr("s32[2] and s32[3]"));
}

}  // namespace
}  // namespace assay::conformance
