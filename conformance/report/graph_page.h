// Pages of HTML that draw modules as graphs of their instructions, coloured by what is known of
// each. They need no network and no files beside them. Tests: graph_page_test.cc, page_test.py.
#ifndef ASSAY_CONFORMANCE_REPORT_GRAPH_PAGE_H_
#define ASSAY_CONFORMANCE_REPORT_GRAPH_PAGE_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "spec/ir/module.h"

namespace assay::conformance {

// What is known of one instruction.
struct NodeNote {
  std::string outcome;  // a verdict or outcome by its name: "wrong", "exact", "not run"
  // Rows of the details: "verdict", "worst element", "golden value" with their texts.
  std::vector<std::pair<std::string, std::string>> rows;
};

struct GraphFacts {
  std::string title;        // "mlp_train_step on process:./mine"
  std::string summary;      // the closing sentence
  std::string first_wrong;  // the name of the instruction that the page shows first; may be empty
};

// The data from which a page draws the module. Notes are by the names of instructions, which are
// unique in a module. An instruction without a note was not asked alone.
nlohmann::json GraphData(const Module& module, const GraphFacts& facts,
                         const std::map<std::string, NodeNote>& notes);

// The page of one module.
std::string GraphPage(nlohmann::json data);

// A module in a list of many. Without data it is named and not drawn.
struct ListedGraph {
  std::string title, note;  // "dumps/a.hlo", "14 instructions, %tanh.6"
  std::string summary;      // shown above the graph
  std::optional<nlohmann::json> data;
};
struct GraphGroup {
  std::string title;  // "wrong: tanh f32, beyond the bound (3)"
  std::vector<ListedGraph> modules;
};
// The page of many modules in groups; the first that is drawn is shown.
std::string GraphListPage(const std::string& title, const std::string& summary,
                          std::vector<GraphGroup> groups);

// Made by CMake from graph.html, page.css, graph.css and the scripts.
absl::string_view GraphTemplate();
absl::string_view GraphStyle();
absl::string_view GraphScript();

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_GRAPH_PAGE_H_
