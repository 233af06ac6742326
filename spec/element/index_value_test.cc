#include "spec/element/index_value.h"

#include "gtest/gtest.h"

namespace assay {
namespace {

TEST(IndexValue, IsExactOrBeyondEveryArray) {
  EXPECT_EQ(IndexValue(ElementType::kS8, {0xFF, 0}), -1);
  EXPECT_EQ(IndexValue(ElementType::kU8, {0xFF, 0}), 255);
  EXPECT_EQ(IndexValue(ElementType::kS32, {0x80000000, 0}), -2147483648LL);
  EXPECT_EQ(IndexValue(ElementType::kU32, {0xFFFFFFFF, 0}), 4294967295LL);
  EXPECT_EQ(IndexValue(ElementType::kS64, {UINT64_MAX, 0}), -1);
  EXPECT_EQ(IndexValue(ElementType::kU64, {INT64_MAX, 0}), INT64_MAX);
  EXPECT_EQ(IndexValue(ElementType::kU64, {uint64_t{1} << 63, 0}), INT64_MAX);
  EXPECT_EQ(IndexValue(ElementType::kU64, {UINT64_MAX, 0}), INT64_MAX);
  EXPECT_EQ(IndexValue(ElementType::kPred, {1, 0}), 1);
}

}  // namespace
}  // namespace assay
