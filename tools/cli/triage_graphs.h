// The graphs of modules that are triaged, for one page of all of them (graph_page.h). Tests:
// triage_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_TRIAGE_GRAPHS_H_
#define ASSAY_TOOLS_CLI_TRIAGE_GRAPHS_H_

#include <map>
#include <optional>
#include <string>

#include "conformance/diagnose/triage.h"
#include "nlohmann/json.hpp"
#include "tools/cli/graph_notes.h"
#include "tools/cli/triage_files.h"

namespace assay {

// Keeps the graphs of the modules that are wrong, fail or are not judgeable, up to a number of
// bytes that a browser opens at once.
class TriageGraphs : public TriageObserver {
 public:
  void TakeInstruction(const InstructionVerdict& verdict, const Excerpt& excerpt) override;
  void TakeWhole(const WholeVerdict& whole) override;
  void TakeEntry(const TriageInput& input, const TriageEntry& entry) override;

  // The page. Every group is listed with its modules but for those that are equal.
  std::string Page(const TriageRun& run, const std::string& title, const std::string& summary);

 private:
  GraphNotes notes_;                              // of the module that is being asked
  std::optional<WholeVerdict> whole_;             // of it; none: the whole was not asked
  std::map<std::string, nlohmann::json> graphs_;  // by the name of the entry
  size_t bytes_ = 0;
};

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_TRIAGE_GRAPHS_H_
