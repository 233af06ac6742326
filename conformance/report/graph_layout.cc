#include "conformance/report/graph_layout.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace assay::conformance {
namespace {

constexpr double kLayerGap = 44, kNodeGap = 18, kMargin = 24, kBendWidth = 8;
// An edge over more layers is drawn without bends, so that a parameter that is used everywhere
// does not widen every layer.
constexpr int kMostBends = 12;
constexpr int kOrderSweeps = 8, kPlaceSweeps = 12;

// A node of the graph, or a bend of an edge in a layer between its ends.
struct Cell {
  int layer = 0;
  double width = 0;
  double x = 0;  // of the centre
  double rank = 0;
  std::vector<int> above, below;
};

class Layering {
 public:
  explicit Layering(std::vector<LayoutNode> nodes) { layout_.nodes = std::move(nodes); }

  GraphLayout Run() {
    MakeCells();
    MakeEdges();
    FillLayers();
    for (int i = 0; i < kOrderSweeps; ++i) Order(i % 2 == 0);
    for (int i = 0; i < kPlaceSweeps; ++i) Place(i % 2 == 0);
    Finish();
    return std::move(layout_);
  }

 private:
  int count() const { return static_cast<int>(layout_.nodes.size()); }

  // The longest path from a source; sources then move down to their first user.
  void MakeCells() {
    cells_.resize(count());
    std::vector<int> lowest(count(), -1);
    for (int i = 0; i < count(); ++i) {
      LayoutNode& node = layout_.nodes[i];
      std::vector<int> kept;
      for (const int operand : node.operands) {
        const bool twice = std::find(kept.begin(), kept.end(), operand) != kept.end();
        if (operand >= 0 && operand < i && !twice) kept.push_back(operand);
      }
      node.operands = std::move(kept);
      cells_[i].width = node.width;
      for (const int operand : node.operands) {
        cells_[i].layer = std::max(cells_[i].layer, cells_[operand].layer + 1);
      }
    }
    for (int i = 0; i < count(); ++i) {
      for (const int operand : layout_.nodes[i].operands) {
        const int above = cells_[i].layer - 1;
        lowest[operand] = lowest[operand] < 0 ? above : std::min(lowest[operand], above);
      }
    }
    for (int i = 0; i < count(); ++i) {
      if (layout_.nodes[i].is_source && lowest[i] > 0) cells_[i].layer = lowest[i];
    }
  }

  void Join(int above, int below) {
    cells_[above].below.push_back(below);
    cells_[below].above.push_back(above);
  }

  void MakeEdges() {
    for (int i = 0; i < count(); ++i) {
      for (const int operand : layout_.nodes[i].operands) {
        std::vector<int> bends;
        const int from = cells_[operand].layer, to = cells_[i].layer;
        if (to - from - 1 <= kMostBends) {
          for (int layer = from + 1; layer < to; ++layer) {
            bends.push_back(static_cast<int>(cells_.size()));
            cells_.push_back({layer, kBendWidth, 0, 0, {}, {}});
          }
          int above = operand;
          for (const int bend : bends) {
            Join(above, bend);
            above = bend;
          }
          Join(above, i);
        }
        layout_.edges.push_back({operand, i, {}});
        bends_.push_back(std::move(bends));
      }
    }
  }

  void FillLayers() {
    int layers = 0;
    for (const Cell& cell : cells_) layers = std::max(layers, cell.layer + 1);
    layers_.resize(layers);
    for (size_t i = 0; i < cells_.size(); ++i) {
      layers_[cells_[i].layer].push_back(static_cast<int>(i));
    }
    for (const std::vector<int>& layer : layers_) Pack(layer);
  }

  // Side by side, from the left.
  void Pack(const std::vector<int>& layer) {
    double x = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      Cell& cell = cells_[layer[i]];
      cell.rank = static_cast<double>(i);
      cell.x = x + cell.width / 2;
      x += cell.width + kNodeGap;
    }
  }

  // Each layer by the mean place of its neighbours in the layer before.
  void Order(bool down) {
    for (size_t step = 0; step < layers_.size(); ++step) {
      std::vector<int>& layer = layers_[down ? step : layers_.size() - 1 - step];
      for (const int each : layer) {
        const std::vector<int>& next = down ? cells_[each].above : cells_[each].below;
        if (!next.empty()) cells_[each].rank = Mean(next, [](const Cell& c) { return c.rank; });
      }
      std::stable_sort(layer.begin(), layer.end(),
                       [&](int a, int b) { return cells_[a].rank < cells_[b].rank; });
      Pack(layer);
    }
  }

  template <typename Value>
  double Mean(const std::vector<int>& cells, Value value) const {
    double sum = 0;
    for (const int each : cells) sum += value(cells_[each]);
    return sum / static_cast<double>(cells.size());
  }

  // Moves cells towards their neighbours, in their order and without overlap.
  void Place(bool down) {
    for (size_t step = 0; step < layers_.size(); ++step) {
      const std::vector<int>& layer = layers_[down ? step : layers_.size() - 1 - step];
      std::vector<double> wanted;
      for (const int each : layer) {
        const Cell& cell = cells_[each];
        const std::vector<int>& next = down ? cell.above : cell.below;
        wanted.push_back(next.empty() ? cell.x : Mean(next, [](const Cell& c) { return c.x; }));
      }
      Spread(layer, wanted);
    }
  }

  // The places nearest to the wanted ones, in the order of the layer: neighbours that would overlap
  // become a block around the mean of what they want.
  void Spread(const std::vector<int>& layer, const std::vector<double>& wanted) {
    struct Block {
      size_t first, count;
      double sum;  // of the wanted places, less the places inside the block
      double width;
    };
    std::vector<Block> blocks;
    std::vector<double> inside(layer.size());
    const auto place = [](const Block& b) { return b.sum / static_cast<double>(b.count); };
    for (size_t i = 0; i < layer.size(); ++i) {
      const double width = cells_[layer[i]].width + kNodeGap;
      blocks.push_back({i, 1, wanted[i] - width / 2, width});
      while (blocks.size() > 1) {
        Block& before = blocks[blocks.size() - 2];
        const Block last = blocks.back();
        if (place(before) + before.width <= place(last)) break;
        before.sum += last.sum - before.width * static_cast<double>(last.count);
        before.count += last.count;
        before.width += last.width;
        blocks.pop_back();
      }
    }
    for (const Block& block : blocks) {
      double x = place(block);
      for (size_t i = block.first; i < block.first + block.count; ++i) {
        Cell& cell = cells_[layer[i]];
        cell.x = x + (cell.width + kNodeGap) / 2;
        x += cell.width + kNodeGap;
      }
    }
  }

  static double LayerY(int layer) { return kMargin + layer * (kNodeHeight + kLayerGap); }

  void Finish() {
    double left = 0, right = 0;
    for (int i = 0; i < count(); ++i) {
      left = i == 0 ? cells_[i].x - cells_[i].width / 2
                    : std::min(left, cells_[i].x - cells_[i].width / 2);
      right = i == 0 ? cells_[i].x + cells_[i].width / 2
                     : std::max(right, cells_[i].x + cells_[i].width / 2);
    }
    for (Cell& cell : cells_) cell.x += kMargin - left;
    for (int i = 0; i < count(); ++i) {
      layout_.nodes[i].x = cells_[i].x - cells_[i].width / 2;
      layout_.nodes[i].y = LayerY(cells_[i].layer);
    }
    for (size_t e = 0; e < layout_.edges.size(); ++e) {
      LayoutEdge& edge = layout_.edges[e];
      edge.points.emplace_back(cells_[edge.from].x, LayerY(cells_[edge.from].layer) + kNodeHeight);
      for (const int bend : bends_[e]) {
        const double y = LayerY(cells_[bend].layer);
        edge.points.emplace_back(cells_[bend].x, y);
        edge.points.emplace_back(cells_[bend].x, y + kNodeHeight);
      }
      edge.points.emplace_back(cells_[edge.to].x, LayerY(cells_[edge.to].layer));
    }
    layout_.width = right - left + 2 * kMargin;
    layout_.height = LayerY(static_cast<int>(layers_.size())) - kLayerGap + kMargin;
  }

  GraphLayout layout_;
  std::vector<Cell> cells_;
  std::vector<std::vector<int>> layers_;
  std::vector<std::vector<int>> bends_;  // by edge
};

}  // namespace

GraphLayout LayoutGraph(std::vector<LayoutNode> nodes) { return Layering(std::move(nodes)).Run(); }

}  // namespace assay::conformance
