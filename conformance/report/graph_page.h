// A page of HTML that draws a module as a graph of its instructions, coloured by what is known of
// each. It needs no network and no files beside it. Tests: graph_page_test.cc, page_test.py.
#ifndef ASSAY_CONFORMANCE_REPORT_GRAPH_PAGE_H_
#define ASSAY_CONFORMANCE_REPORT_GRAPH_PAGE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay {

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

// Notes by the names of instructions, which are unique in a module. An instruction without a note
// was not asked alone.
std::string GraphPage(const Module& module, const GraphFacts& facts,
                      const std::map<std::string, NodeNote>& notes);

// Made by CMake from graph.html, graph.css and graph.js.
absl::string_view GraphTemplate();
absl::string_view GraphStyle();
absl::string_view GraphScript();

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_REPORT_GRAPH_PAGE_H_
