// Notes for the graph of a module (graph_page.h): the verdicts of its instructions. Tests:
// run_cli_test.py, page_test.py.
#ifndef ASSAY_TOOLS_CLI_GRAPH_NOTES_H_
#define ASSAY_TOOLS_CLI_GRAPH_NOTES_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "conformance/diagnose/instruction_report.h"
#include "conformance/report/graph_page.h"

namespace assay::cli {

class GraphNotes {
 public:
  // Adds a verdict with its excerpt. A group is noted at its last member. An instruction has the
  // worst of its verdicts.
  void Take(const conformance::InstructionVerdict& verdict, const conformance::Excerpt& excerpt);

  // Notes the verdict of the whole program at the root, as wrong if no instruction or group is.
  void TakeWhole(const Module& module, const conformance::WholeVerdict& whole);
  // Returns the data of the page.
  nlohmann::json Data(const Module& module, const std::string& title,
                      const std::string& summary) const;
  // Returns the page of the module.
  std::string Page(const Module& module, const std::string& title,
                   const std::string& summary) const;
  // Notes the whole program, and writes the page.
  absl::Status Write(const Module& module, const conformance::WholeVerdict& whole,
                     const std::string& title, const std::string& summary, const std::string& path);

 private:
  std::map<std::string, conformance::NodeNote> notes_;
  std::map<std::string, int> badness_;  // the rank of the verdict of each note
  std::string first_wrong_;
};

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_GRAPH_NOTES_H_
