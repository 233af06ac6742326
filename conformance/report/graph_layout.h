// A layered drawing of a directed acyclic graph: operands stand above their users, and as few edges
// as a few sweeps find cross. Tests: graph_page_test.cc.
#ifndef ASSAY_CONFORMANCE_REPORT_GRAPH_LAYOUT_H_
#define ASSAY_CONFORMANCE_REPORT_GRAPH_LAYOUT_H_

#include <utility>
#include <vector>

namespace assay::conformance {

struct LayoutNode {
  double width = 0;
  std::vector<int> operands;  // numbers of nodes that precede this one
  bool is_source = false;     // parameters and constants stand next to their first user
  double x = 0, y = 0;        // of the upper left corner
};

struct LayoutEdge {
  int from = 0, to = 0;
  std::vector<std::pair<double, double>> points;  // from the bottom of one to the top of the other
};

struct GraphLayout {
  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;
  double width = 0, height = 0;
};

inline constexpr double kNodeHeight = 40;

// An operand that does not precede its user is ignored.
GraphLayout LayoutGraph(std::vector<LayoutNode> nodes);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_GRAPH_LAYOUT_H_
