#include "spec/elementwise_info.h"

#include "gtest/gtest.h"

namespace assay {
namespace {

TEST(ElementwiseInfoTest, RowsAreFoundByOpcode) {
  for (const OpInfo& op : Catalogue()) {
    const ElementwiseInfo* row = FindElementwise(op.opcode);
    ASSERT_EQ(row != nullptr, op.elementwise()) << op.name;
    if (row != nullptr) {
      EXPECT_EQ(row->opcode, op.opcode) << op.name;
    }
  }
}

TEST(ElementwiseInfoTest, ShapeRulesSuitTheNumberOfOperands) {
  for (const ElementwiseInfo& row : ElementwiseCatalogue()) {
    if (row.shape_rule == ShapeRule::kOwn) continue;
    const int operands = row.shape_rule == ShapeRule::kCommonShape ? 2 : 1;
    EXPECT_EQ(Info(row.opcode).arity, operands) << Name(row.opcode);
  }
}

// accuracy_requirements.md 3.
TEST(ElementwiseInfoTest, OnlyFunctionsHaveSpecialPointsAndRanges) {
  for (const ElementwiseInfo& row : ElementwiseCatalogue()) {
    if (Info(row.opcode).accuracy == Accuracy::kFunction) continue;
    EXPECT_EQ(row.special_points, SpecialPoints::kNowhere) << Name(row.opcode);
    EXPECT_EQ(row.range.low, RealRange().low) << Name(row.opcode);
    EXPECT_EQ(row.range.high, RealRange().high) << Name(row.opcode);
  }
}

TEST(ElementwiseInfoTest, CustomCallsAreFoundByTheirNames) {
  EXPECT_EQ(MhloTarget(Opcode::kLog1p), "mhlo.log_plus_one");
  EXPECT_EQ(ElementwiseCustomCall("mhlo.log_plus_one"), Opcode::kLog1p);
  EXPECT_EQ(ElementwiseCustomCall("mhlo.popcnt"), Opcode::kPopcnt);
  EXPECT_EQ(ElementwiseCustomCall("mhlo.log-plus-one"), std::nullopt);
  EXPECT_EQ(ElementwiseCustomCall("mhlo.add"), std::nullopt);
  EXPECT_EQ(ElementwiseCustomCall("log_plus_one"), std::nullopt);
  EXPECT_EQ(ElementwiseCustomCall(""), std::nullopt);
}

}  // namespace
}  // namespace assay
