// Which operations are reductions, permutations and movement, by their documents, and where the
// groups of ragged dots end.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/analysis/collectives.h"
#include "spec/analysis/movement.h"
#include "spec/analysis/ragged_groups.h"
#include "spec/text/parser.h"

namespace assay::analysis {
namespace {

TEST(OpcodeClasses, Collectives) {
  EXPECT_TRUE(IsReduction(Opcode::kAllReduce));
  EXPECT_TRUE(IsReduction(Opcode::kAllReduceStart));
  EXPECT_TRUE(IsReduction(Opcode::kReduceScatter));
  EXPECT_FALSE(IsReduction(Opcode::kAllGather));
  EXPECT_TRUE(IsPermutation(Opcode::kCollectivePermute));
  EXPECT_TRUE(IsPermutation(Opcode::kCollectivePermuteStart));
  EXPECT_FALSE(IsPermutation(Opcode::kAllReduce));
  EXPECT_TRUE(SameForAllMembers(Opcode::kAllReduce));
  EXPECT_TRUE(SameForAllMembers(Opcode::kAllReduceStart));
  EXPECT_TRUE(SameForAllMembers(Opcode::kAllGather));
  EXPECT_TRUE(SameForAllMembers(Opcode::kAllGatherStart));
  EXPECT_FALSE(SameForAllMembers(Opcode::kReduceScatter));
}

TEST(OpcodeClasses, Movement) {
  for (const Opcode opcode :
       {Opcode::kBroadcast, Opcode::kConcatenate, Opcode::kPad, Opcode::kReshape, Opcode::kReverse,
        Opcode::kSlice, Opcode::kTranspose}) {
    EXPECT_TRUE(IsMovement(opcode));
  }
  EXPECT_FALSE(IsMovement(Opcode::kAdd));
  EXPECT_FALSE(IsMovement(Opcode::kGather));
}

// lhs[B, M, K], with the ragged dimension and the dimensions of the group sizes before the groups.
TEST(RaggedGroups, OfEveryMode) {
  struct Case {
    const char* rhs;
    const char* sizes;
    const char* result;
    const char* attributes;
    RaggedGroups::Mode mode;
    Dimensions prefix;
  };
  using Mode = RaggedGroups::Mode;
  const Case cases[] = {
      {"f32[4,2,7,5]",
       "s32[2,4]",
       "f32[2,6,5]",
       "rhs_batch_dims={1}, rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0}",
       Mode::kRows,
       {0}},
      {"f32[4,2,7,5]",
       "s32[4]",
       "f32[2,6,5]",
       "rhs_batch_dims={1}, rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0}",
       Mode::kRows,
       {}},
      {"f32[2,7,5]",
       "s32[2,4]",
       "f32[4,2,6,5]",
       "rhs_batch_dims={0}, rhs_contracting_dims={1}, lhs_ragged_dims={2}",
       Mode::kContracted,
       {0}},
      {"f32[2,7,5]",
       "s32[4]",
       "f32[2,6,5]",
       "rhs_batch_dims={0}, rhs_contracting_dims={1}, lhs_ragged_dims={0}",
       Mode::kBatch,
       {}},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.attributes);
    auto module = ParseModule(
        std::string("HloModule m\nENTRY e { x = f32[2,6,7] parameter(0) y = ") + each.rhs +
        " parameter(1) g = " + each.sizes + " parameter(2) ROOT r = " + each.result +
        " ragged-dot(x, y, g), lhs_batch_dims={0}, "
        "lhs_contracting_dims={2}, " +
        each.attributes + " }\n");
    ASSERT_TRUE(module.ok()) << module.status();
    const RaggedGroups groups = RaggedGroups::Of(*(*module)->entry()->root());
    EXPECT_EQ(groups.mode, each.mode);
    EXPECT_EQ(groups.groups, 4);
    EXPECT_THAT(groups.prefix, ::testing::ElementsAreArray(each.prefix));
    EXPECT_EQ(groups.group_dim.has_value(), each.mode == Mode::kRows);
  }
}

// Sizes for each batch and for each position of the contracted dimension before the ragged one.
TEST(RaggedGroups, OfTheSecondContractedDimension) {
  auto module = ParseModule(
      "HloModule m\nENTRY e { x = f32[2,6,7] parameter(0) y = f32[2,6,7,5] parameter(1) "
      "g = s32[2,6,4] parameter(2) ROOT r = f32[4,2,5] ragged-dot(x, y, g), lhs_batch_dims={0}, "
      "rhs_batch_dims={0}, lhs_contracting_dims={1,2}, rhs_contracting_dims={1,2}, "
      "lhs_ragged_dims={2} }\n");
  ASSERT_TRUE(module.ok()) << module.status();
  const RaggedGroups groups = RaggedGroups::Of(*(*module)->entry()->root());
  EXPECT_EQ(groups.mode, RaggedGroups::Mode::kContracted);
  EXPECT_THAT(groups.prefix, ::testing::ElementsAre(0, 1));
}

TEST(RaggedGroups, EndWithinTheExtent) {
  const RaggedGroups groups = {RaggedGroups::Mode::kRows, 0, 6, 3, 0, {}};
  EXPECT_EQ(groups.End(1, 2), 3);
  EXPECT_EQ(groups.End(1, -2), 1);
  EXPECT_EQ(groups.End(4, 5), 6);
}

}  // namespace
}  // namespace assay::analysis
