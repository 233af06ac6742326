// What the verdicts on instructions alone say of each, for the graph of the module (graph_page.h).
// Tests: run_cli_test.py, page_test.py.
#ifndef ASSAY_TOOLS_CLI_GRAPH_NOTES_H_
#define ASSAY_TOOLS_CLI_GRAPH_NOTES_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "conformance/diagnose/instruction_report.h"
#include "conformance/report/graph_page.h"

namespace assay {

class GraphNotes {
 public:
  // Each verdict as soon as it is there, with what was asked. A group is noted at its last member;
  // the worst verdict of several of one instruction counts.
  void Take(const InstructionVerdict& verdict, const Excerpt& excerpt);

  // Notes the whole program at the root of the module, as wrong if nothing smaller is.
  void TakeWhole(const Module& module, const WholeVerdict& whole);
  // The data of the page.
  nlohmann::json Data(const Module& module, const std::string& title,
                      const std::string& summary) const;
  // The page of the module.
  std::string Page(const Module& module, const std::string& title,
                   const std::string& summary) const;
  // Notes the whole program, and writes the page.
  absl::Status Write(const Module& module, const WholeVerdict& whole, const std::string& title,
                     const std::string& summary, const std::string& path);

 private:
  std::map<std::string, NodeNote> notes_;
  std::map<std::string, int> badness_;  // of the verdict that a note holds
  std::string first_wrong_;
};

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_GRAPH_NOTES_H_
