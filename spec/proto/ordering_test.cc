// Orders and names.
#include "spec/proto/ordering.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::ordering_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Needs = std::vector<std::vector<int64_t>>;

TEST(OrderByNeed, KeepsAGoodOrder) {
  EXPECT_THAT(OrderByNeed(Needs{{}, {0}, {}, {1, 2}}).order, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(OrderByNeed(Needs{}).order, IsEmpty());
}

TEST(OrderByNeed, MovesOnlyWhatHasTo) {
  EXPECT_THAT(OrderByNeed(Needs{{3}, {}, {}, {2}}).order, ElementsAre(1, 2, 3, 0));
}

// Every graph of three items: an order exists exactly where no item reaches itself.
TEST(OrderByNeed, FindsAnOrderOrACycleInEverySmallGraph) {
  for (int edges = 0; edges < 512; ++edges) {
    Needs needs(3);
    bool reach[3][3] = {};
    for (int from = 0; from < 3; ++from) {
      for (int to = 0; to < 3; ++to) {
        if ((edges >> (3 * from + to) & 1) == 0) continue;
        needs[from].push_back(to);
        reach[from][to] = true;
      }
    }
    for (int via = 0; via < 3; ++via) {
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) reach[a][b] |= reach[a][via] && reach[via][b];
      }
    }
    const bool cyclic = reach[0][0] || reach[1][1] || reach[2][2];
    const Ordering ordering = OrderByNeed(needs);
    ASSERT_EQ(ordering.cycle.empty(), !cyclic) << edges;
    if (cyclic) {
      ASSERT_EQ(ordering.cycle.front(), ordering.cycle.back()) << edges;
      for (size_t i = 0; i + 1 < ordering.cycle.size(); ++i) {
        EXPECT_THAT(needs[ordering.cycle[i]], ::testing::Contains(ordering.cycle[i + 1])) << edges;
      }
      continue;
    }
    ASSERT_EQ(ordering.order.size(), 3u) << edges;
    for (size_t i = 0; i < 3; ++i) {
      for (int64_t need : needs[ordering.order[i]]) {
        EXPECT_THAT(std::vector<int64_t>(ordering.order.begin(), ordering.order.begin() + i),
                    ::testing::Contains(need));
      }
    }
  }
}

TEST(HasNeedsFirst, WantsEveryItemOnceAfterItsNeeds) {
  const Needs needs{{}, {0}, {1}};
  EXPECT_TRUE(HasNeedsFirst(needs, {0, 1, 2}));
  EXPECT_FALSE(HasNeedsFirst(needs, {0, 2, 1}));
  EXPECT_FALSE(HasNeedsFirst(needs, {0, 1}));
  EXPECT_FALSE(HasNeedsFirst(needs, {0, 0, 1}));
}

TEST(OrderByNeed, TakesAMillionItemsInReverse) {
  constexpr int64_t kCount = 1000000;
  Needs needs(kCount);
  for (int64_t i = 0; i + 1 < kCount; ++i) needs[i] = {i + 1};
  const Ordering ordering = OrderByNeed(needs);
  ASSERT_EQ(ordering.order.size(), size_t{kCount});
  EXPECT_EQ(ordering.order.front(), kCount - 1);
  EXPECT_EQ(ordering.order.back(), 0);
}

TEST(SanitizedName, FollowsTheRulesOfText) {
  EXPECT_EQ(SanitizedName("add.3", "x"), "add.3");
  EXPECT_EQ(SanitizedName("jit(f)/add", "x"), "jit_f__add");
  EXPECT_EQ(SanitizedName("", "add"), "add");
  EXPECT_EQ(SanitizedName("3d", "x"), "_3d");
  EXPECT_EQ(SanitizedName("__hidden", "x"), "a_hidden");
  EXPECT_EQ(SanitizedName("__xla_ok", "x"), "__xla_ok");
  EXPECT_EQ(SanitizedName("f32", "x"), "f32_");
}

}  // namespace
}  // namespace assay::ordering_test
