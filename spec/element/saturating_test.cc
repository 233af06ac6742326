// Counts stay at the largest number where they would exceed it.
#include "spec/element/saturating.h"

#include "gtest/gtest.h"

namespace assay {
namespace {

TEST(Saturating, SumsAndProductsAreExactUntilTheLargestNumber) {
  EXPECT_EQ(SaturatingSum(INT64_MAX - 3, 3), INT64_MAX);
  EXPECT_EQ(SaturatingSum(INT64_MAX - 3, 2), INT64_MAX - 1);
  EXPECT_EQ(SaturatingSum(INT64_MAX - 3, 4), INT64_MAX);
  EXPECT_EQ(SaturatingSum(INT64_MAX, INT64_MAX), INT64_MAX);
  EXPECT_EQ(SaturatingProduct(3037000499, 3037000499), 9223372030926249001);
  EXPECT_EQ(SaturatingProduct(3037000500, 3037000500), INT64_MAX);
  EXPECT_EQ(SaturatingProduct(int64_t{1} << 31, int64_t{1} << 32), INT64_MAX);
  EXPECT_EQ(SaturatingProduct(0, INT64_MAX), 0);
}

}  // namespace
}  // namespace assay
