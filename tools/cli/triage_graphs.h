// Collects the graphs of triaged modules for one page (graph_page.h). Tests: triage_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_TRIAGE_GRAPHS_H_
#define ASSAY_TOOLS_CLI_TRIAGE_GRAPHS_H_

#include <map>
#include <optional>
#include <string>

#include "conformance/diagnose/triage.h"
#include "nlohmann/json.hpp"
#include "tools/cli/graph_notes.h"
#include "tools/cli/triage_files.h"

namespace assay::cli {

// Keeps the graphs of modules that are wrong, fail or are inconclusive, up to a number of bytes
// that a browser can open quickly.
class TriageGraphs : public conformance::TriageObserver {
 public:
  void TakeInstruction(const conformance::InstructionVerdict& verdict,
                       const conformance::Excerpt& excerpt) override;
  void TakeWhole(const conformance::WholeVerdict& whole) override;
  void TakeEntry(const conformance::TriageInput& input,
                 const conformance::TriageEntry& entry) override;

  // Returns the page. It lists every group with its modules, except equal modules.
  std::string Page(const TriageRun& run, const std::string& title, const std::string& summary);

 private:
  GraphNotes notes_;  // the notes of the current module
  // the verdict on the whole of the current module, if it was run
  std::optional<conformance::WholeVerdict> whole_;
  std::map<std::string, nlohmann::json> graphs_;  // by the name of the triage entry
  size_t bytes_ = 0;
};

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_TRIAGE_GRAPHS_H_
