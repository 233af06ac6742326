#include "conformance/report/graph_page.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/report/escape.h"
#include "conformance/report/graph_layout.h"
#include "spec/ir/source_text.h"
#include "spec/text/printer.h"

namespace assay::conformance {
namespace {

using GraphJson = nlohmann::json;

// Text of a node is cut to this many characters; the details have it whole.
constexpr size_t kMostLabel = 30;
constexpr double kCharacter = 6.7, kPadding = 20, kLeastWidth = 70;

std::string Cut(absl::string_view text) {
  if (text.size() <= kMostLabel) return std::string(text);
  return absl::StrCat(text.substr(0, kMostLabel - 1), "\xe2\x80\xa6");
}

std::string SecondLine(const Instruction& instruction) {
  return Cut(absl::StrCat(Name(instruction.opcode()), " ", instruction.shape().ToString()));
}

double WidthOf(const Instruction& instruction) {
  const size_t longest = std::max(std::min(instruction.name().size(), kMostLabel),
                                  std::min(SecondLine(instruction).size(), kMostLabel));
  return std::max(kLeastWidth, kPadding + kCharacter * static_cast<double>(longest));
}

std::string InstructionText(const Instruction& instruction) {
  constexpr size_t kMostText = 1000;
  PrintOptions options;
  options.metadata = options.backend_config = options.percent = false;
  std::string text = PrintInstruction(instruction, options);
  if (text.size() > kMostText) text = absl::StrCat(text.substr(0, kMostText), " ...");
  return text;
}

GraphJson NodeJson(const Instruction& instruction, const LayoutNode& place,
                   const std::map<std::string, NodeNote>& notes) {
  GraphJson rows = GraphJson::array();
  std::string outcome;
  const auto note = notes.find(instruction.name());
  if (note != notes.end()) {
    outcome = note->second.outcome;
    for (const auto& [name, text] : note->second.rows) rows.push_back({name, text});
  }
  if (std::string source = SourceText(instruction); !source.empty()) {
    rows.push_back({"source", std::move(source)});
  }
  rows.push_back({"instruction", InstructionText(instruction)});
  GraphJson called = GraphJson::array();
  for (const Computation* each : instruction.called_computations()) called.push_back(each->name());
  return {{"name", instruction.name()},
          {"label", {Cut(instruction.name()), SecondLine(instruction)}},
          {"box", {std::round(place.x), std::round(place.y), std::round(place.width), kNodeHeight}},
          {"outcome", outcome},
          {"operands", place.operands},
          {"rows", std::move(rows)},
          {"called", std::move(called)}};
}

// "M 10 64 C ...": a curve through the bends.
std::string PathOf(const LayoutEdge& edge) {
  const auto& points = edge.points;
  std::string path =
      absl::StrCat("M", std::round(points[0].first), " ", std::round(points[0].second));
  for (size_t i = 1; i < points.size(); ++i) {
    const double middle = std::round((points[i - 1].second + points[i].second) / 2);
    absl::StrAppend(&path, "C", std::round(points[i - 1].first), " ", middle, " ",
                    std::round(points[i].first), " ", middle, " ", std::round(points[i].first), " ",
                    std::round(points[i].second));
  }
  return path;
}

GraphJson ComputationJson(const Computation& computation,
                          const std::map<std::string, NodeNote>& notes,
                          const std::vector<std::string>& callers) {
  absl::flat_hash_map<const Instruction*, int> numbers;
  std::vector<const Instruction*> order;
  for (const auto& each : computation.instructions()) {  // operands come first
    numbers[each.get()] = static_cast<int>(order.size());
    order.push_back(each.get());
  }
  std::vector<LayoutNode> nodes;
  for (const Instruction* each : order) {
    LayoutNode node;
    node.width = WidthOf(*each);
    node.is_source = each->opcode() == Opcode::kParameter || each->opcode() == Opcode::kConstant;
    for (const Instruction* operand : each->operands()) node.operands.push_back(numbers[operand]);
    nodes.push_back(std::move(node));
  }
  const GraphLayout layout = LayoutGraph(std::move(nodes));
  GraphJson boxes = GraphJson::array(), edges = GraphJson::array();
  for (size_t i = 0; i < order.size(); ++i) {
    boxes.push_back(NodeJson(*order[i], layout.nodes[i], notes));
  }
  for (const LayoutEdge& edge : layout.edges) {
    edges.push_back({edge.from, edge.to, PathOf(edge)});
  }
  return {{"name", computation.name()},
          {"callers", callers},
          {"root", computation.root()->name()},
          {"size", {std::ceil(layout.width), std::ceil(layout.height)}},
          {"nodes", std::move(boxes)},
          {"edges", std::move(edges)}};
}

std::string PageOf(const GraphJson& data) {
  std::string page(GraphTemplate());
  const auto put = [&page](absl::string_view mark, absl::string_view text) {
    const size_t at = page.find(std::string(mark));
    page.replace(at, mark.size(), text.data(), text.size());
  };
  put("/*style*/", GraphStyle());
  put("/*script*/", GraphScript());
  put("/*data*/", ScriptJson(data));
  return page;
}

}  // namespace

nlohmann::json GraphData(const Module& module, const GraphFacts& facts,
                         const std::map<std::string, NodeNote>& notes) {
  std::map<const Computation*, std::vector<std::string>> callers;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* called : instruction->called_computations()) {
        callers[called].push_back(instruction->name());
      }
    }
  }
  // The entry first, then callees in the order of the module.
  GraphJson computations = GraphJson::array();
  computations.push_back(ComputationJson(*module.entry(), notes, {}));
  for (const auto& each : module.computations()) {
    if (each.get() == module.entry()) continue;
    computations.push_back(ComputationJson(*each, notes, callers[each.get()]));
  }
  return {{"title", facts.title},
          {"summary", facts.summary},
          {"first", facts.first_wrong},
          {"computations", std::move(computations)}};
}

std::string GraphPage(nlohmann::json data) {
  data["groups"] = GraphJson::array();
  return PageOf(data);
}

std::string GraphListPage(const std::string& title, const std::string& summary,
                          std::vector<GraphGroup> groups) {
  GraphJson list = GraphJson::array();
  for (GraphGroup& group : groups) {
    GraphJson modules = GraphJson::array();
    for (ListedGraph& each : group.modules) {
      GraphJson module = each.data ? *std::move(each.data) : GraphJson::object();
      module["title"] = std::move(each.title);
      module["note"] = std::move(each.note);
      module["summary"] = std::move(each.summary);
      modules.push_back(std::move(module));
    }
    list.push_back({{"title", std::move(group.title)}, {"modules", std::move(modules)}});
  }
  return PageOf({{"title", title}, {"summary", summary}, {"groups", std::move(list)}});
}

}  // namespace assay::conformance
