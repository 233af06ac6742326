// The drawing of graphs: no two nodes overlap, every operand stands above its user, edges join
// their ends, and the page holds what is known of the instructions and no markup of others.
#include "conformance/report/graph_page.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/report/graph_layout.h"
#include "gtest/gtest.h"
#include "spec/text/parser.h"

namespace assay::conformance {
namespace {

LayoutNode Node(double width, std::vector<int> operands, bool source = false) {
  LayoutNode node;
  node.width = width;
  node.operands = std::move(operands);
  node.is_source = source;
  return node;
}

void ExpectGoodDrawing(const GraphLayout& layout) {
  size_t edges = 0;
  for (size_t i = 0; i < layout.nodes.size(); ++i) {
    const LayoutNode& node = layout.nodes[i];
    EXPECT_GE(node.x, 0);
    EXPECT_LE(node.x + node.width, layout.width);
    EXPECT_LE(node.y + kNodeHeight, layout.height);
    for (const int operand : node.operands) {
      EXPECT_LT(layout.nodes[operand].y + kNodeHeight, node.y) << operand << " above " << i;
      ++edges;
    }
    for (size_t j = 0; j < i; ++j) {
      const LayoutNode& other = layout.nodes[j];
      if (other.y != node.y) continue;
      const bool apart = other.x + other.width <= node.x || node.x + node.width <= other.x;
      EXPECT_TRUE(apart) << i << " and " << j << " overlap";
    }
  }
  EXPECT_EQ(layout.edges.size(), edges);
  for (const LayoutEdge& edge : layout.edges) {
    const LayoutNode &from = layout.nodes[edge.from], &to = layout.nodes[edge.to];
    ASSERT_GE(edge.points.size(), 2u);
    EXPECT_NEAR(edge.points.front().first, from.x + from.width / 2, 1e-6);
    EXPECT_NEAR(edge.points.front().second, from.y + kNodeHeight, 1e-6);
    EXPECT_NEAR(edge.points.back().first, to.x + to.width / 2, 1e-6);
    EXPECT_NEAR(edge.points.back().second, to.y, 1e-6);
  }
}

// All graphs of up to five nodes: each set of operands of each node.
TEST(GraphLayout, SmallGraphs) {
  for (int count = 0; count <= 5; ++count) {
    const int pairs = count * (count - 1) / 2;
    for (int set = 0; set < 1 << pairs; ++set) {
      std::vector<LayoutNode> nodes;
      int bit = 0;
      for (int i = 0; i < count; ++i) {
        std::vector<int> operands;
        for (int j = 0; j < i; ++j, ++bit) {
          if ((set >> bit & 1) != 0) operands.push_back(j);
        }
        nodes.push_back(Node(50 + 20 * i, operands, operands.empty()));
      }
      ExpectGoodDrawing(LayoutGraph(nodes));
    }
  }
}

TEST(GraphLayout, OperandsTwiceAndOutOfOrderAndLongEdges) {
  std::vector<LayoutNode> nodes = {Node(80, {}, true)};
  for (int i = 1; i < 300; ++i) nodes.push_back(Node(60 + i % 90, {i - 1, i - 1, 0, i / 2}));
  nodes.push_back(Node(70, {300, 301, -1, 5}));  // itself, a later one and none are no operands
  const GraphLayout layout = LayoutGraph(nodes);
  ExpectGoodDrawing(layout);
  EXPECT_EQ(layout.nodes.back().operands, std::vector<int>{5});
  EXPECT_LT(layout.width, 20000);
}

// A parameter that is used late does not stand at the top, far from its user.
TEST(GraphLayout, SourcesStandAboveTheirFirstUser) {
  const GraphLayout layout = LayoutGraph(
      {Node(50, {}, true), Node(50, {0}), Node(50, {1}), Node(50, {}, true), Node(50, {2, 3})});
  EXPECT_EQ(layout.nodes[3].y, layout.nodes[2].y);
}

TEST(GraphPage, HoldsVerdictsSourcesAndCalledComputations) {
  auto module = ParseModule(R"(HloModule m
f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[4] parameter(0)
  z = f32[] constant(0)
  t = f32[4] tanh(x), metadata={op_name="jit(f)/</script>" source_file="model.py" source_line=41}
  ROOT r = f32[] reduce(t, z), dimensions={0}, to_apply=f
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string page =
      GraphPage(GraphData(**module, {"title", "1 instruction is wrong.", "t"},
                          {{"t", {"wrong", {{"worst element", "[2]: actual 1, golden 0.5"}}}}}));
  for (const char* part : {"\"outcome\":\"wrong\"", "model.py:41", "[2]: actual 1, golden 0.5",
                           "\"first\":\"t\"", "\"called\":[\"f\"]", "\"callers\":[\"r\"]"}) {
    EXPECT_TRUE(absl::StrContains(page, part)) << part;
  }
  // The page has the end of its own two scripts and no other.
  size_t ends = 0;
  for (size_t at = page.find("</script>"); at != std::string::npos;
       at = page.find("</script>", at + 1)) {
    ++ends;
  }
  EXPECT_EQ(ends, 2u);
  EXPECT_FALSE(absl::StrContains(page, "http://") &&
               !absl::StrContains(page, "http://www.w3.org/2000/svg"));
}

}  // namespace
}  // namespace assay::conformance
