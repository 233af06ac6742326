#include "spec/analysis/call_order.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace assay::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Edges = std::vector<std::pair<std::string, std::string>>;

// A call graph by names of one letter: {"a", "bc"} says that a calls b, then c.
class Calls {
 public:
  explicit Calls(const Edges& calls) {
    for (const auto& [caller, callees] : calls) {
      At(caller);
      for (const char callee : callees) calls_[caller].push_back(&At(std::string(1, callee)));
    }
  }
  CallOrder OrderFrom(const std::string& roots) {
    std::vector<const Computation*> list;
    for (const char root : roots) list.push_back(&At(std::string(1, root)));
    return FindCallOrder(list, [this](const Computation& each) { return calls_[each.name()]; });
  }

 private:
  const Computation& At(const std::string& name) {
    auto& computation = computations_[name];
    if (computation == nullptr) computation = std::make_unique<Computation>(name);
    return *computation;
  }
  std::map<std::string, std::unique_ptr<Computation>> computations_;
  std::map<std::string, std::vector<const Computation*>> calls_;
};

template <typename Computations>
std::vector<std::string> Names(const Computations& computations) {
  std::vector<std::string> names;
  for (const Computation* each : computations) names.push_back(each->name());
  return names;
}

TEST(CallOrderTest, CalleesComeBeforeTheirCallersInTheOrderOfTheCalls) {
  Calls calls(Edges{{"a", "bc"}, {"b", "d"}, {"c", "db"}});
  const CallOrder order = calls.OrderFrom("a");
  EXPECT_THAT(Names(order.callees_first), ElementsAre("d", "b", "c", "a"));
  EXPECT_THAT(Names(order.circular), IsEmpty());
  EXPECT_EQ(order.recursive, nullptr);
}

TEST(CallOrderTest, EveryRootIsVisitedOnceAndWhatNoRootReachesIsLeftOut) {
  Calls calls(Edges{{"a", "b"}, {"b", ""}, {"c", "a"}, {"x", "a"}});
  const CallOrder order = calls.OrderFrom("bcab");
  EXPECT_THAT(Names(order.callees_first), ElementsAre("b", "a", "c"));
}

TEST(CallOrderTest, AComputationThatCallsItselfIsRecursive) {
  Calls calls(Edges{{"a", "a"}, {"b", ""}});
  const CallOrder order = calls.OrderFrom("a");
  ASSERT_NE(order.recursive, nullptr);
  EXPECT_EQ(order.recursive->name(), "a");
  EXPECT_THAT(Names(order.circular), ElementsAre("a"));
}

TEST(CallOrderTest, CircularAreTheCyclesAndWhatCallsThemAlone) {
  // b, c and d form a cycle that a and e call; f is called from the cycle, g from nowhere near it.
  Calls calls(Edges{{"a", "bg"}, {"b", "c"}, {"c", "df"}, {"d", "b"}, {"e", "d"}, {"h", "g"}});
  const CallOrder order = calls.OrderFrom("aeh");
  EXPECT_THAT(Names(order.circular), UnorderedElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(Names(order.callees_first), ElementsAre("d", "f", "c", "b", "g", "a", "e", "h"));
  ASSERT_NE(order.recursive, nullptr);
  EXPECT_EQ(order.recursive->name(), "b");
}

// All 512 graphs of three computations: a computation is circular exactly where a walk along calls
// from it comes to one place twice.
TEST(CallOrderTest, AgreesWithReachabilityOnAllGraphsOfThreeComputations) {
  const std::string names = "abc";
  for (int graph = 0; graph < 512; ++graph) {
    bool reaches[3][3];
    Edges calls;
    for (int i = 0; i < 3; ++i) {
      calls.push_back({names.substr(i, 1), ""});
      for (int j = 0; j < 3; ++j) {
        reaches[i][j] = (graph >> (3 * i + j) & 1) != 0;
        if (reaches[i][j]) calls.back().second += names[j];
      }
    }
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) reaches[i][j] |= reaches[i][k] && reaches[k][j];
      }
    }
    std::vector<std::string> circular;
    for (int i = 0; i < 3; ++i) {
      bool on_cycle = reaches[i][i];
      for (int j = 0; j < 3; ++j) on_cycle |= reaches[i][j] && reaches[j][j];
      if (on_cycle) circular.push_back(names.substr(i, 1));
    }
    Calls graph_calls(calls);
    const CallOrder order = graph_calls.OrderFrom(names);
    EXPECT_THAT(Names(order.circular), ::testing::UnorderedElementsAreArray(circular)) << graph;
    EXPECT_EQ(order.recursive != nullptr, !circular.empty()) << graph;
    ASSERT_EQ(order.callees_first.size(), 3u);
    for (size_t caller = 0; caller < 3; ++caller) {
      if (order.circular.contains(order.callees_first[caller])) continue;
      const size_t i = names.find(order.callees_first[caller]->name());
      for (size_t later = caller + 1; later < 3; ++later) {
        EXPECT_FALSE(reaches[i][names.find(order.callees_first[later]->name())]) << graph;
      }
    }
  }
}

}  // namespace
}  // namespace assay::analysis
