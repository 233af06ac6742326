// The options that select cases, shared by the commands of the suite. Tests: corpus_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_CASE_SELECTION_H_
#define ASSAY_TOOLS_CLI_CASE_SELECTION_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "conformance/corpus/selection.h"

namespace assay::cli {

struct CaseSelection {
  std::vector<std::string> files;   // empty for the built-in corpus
  std::vector<std::string> sweeps;  // operations; if there are any, only their sweeps are selected
  conformance::CaseFilter filter;

  // Adds --cases and, if `filtered`, --sweep and the filters.
  void AddTo(CLI::App* app, bool filtered);
  // Adds --filter, --op, --tier, --max-multiply-adds and --max-bytes.
  void AddFiltersTo(CLI::App* app);
  // Returns all cases before filtering, sorted by id. Returns the errors of the files and of
  // SweepCases.
  absl::StatusOr<std::vector<conformance::CorpusCase>> LoadAll() const;
  // Returns the cases that pass the filters. Returns the errors of LoadAll and of SelectCases.
  absl::StatusOr<std::vector<conformance::CorpusCase>> Load() const;
  // Returns the selection apart from the tier, as options; empty if there is none.
  std::string Words() const;
};

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_CASE_SELECTION_H_
