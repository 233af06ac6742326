// Which cases a command is about: the options that the commands of the suite share.
// Tests: corpus_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_CASE_SELECTION_H_
#define ASSAY_TOOLS_CLI_CASE_SELECTION_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "conformance/corpus/selection.h"

namespace assay {

struct CaseSelection {
  std::vector<std::string> files;   // none: the corpus that is built in
  std::vector<std::string> sweeps;  // operations; where there are any, their sweeps alone
  CaseFilter filter;

  // --cases; `filtered`: also --sweep and what follows.
  void AddTo(CLI::App* app, bool filtered);
  // --filter, --op, --tier, --max-multiply-adds and --max-bytes.
  void AddFiltersTo(CLI::App* app);
  // Before filtering, sorted by id. Errors as of the files and of SweepCases.
  absl::StatusOr<std::vector<CorpusCase>> LoadAll() const;
  // Those that pass. Errors as of both and of SelectCases.
  absl::StatusOr<std::vector<CorpusCase>> Load() const;
  // What is chosen beside the tier, as options; empty: nothing.
  std::string Words() const;
};

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_CASE_SELECTION_H_
