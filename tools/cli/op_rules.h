// The sections of docs/semantics/rules that say what an operation computes, which `assay ops X`
// prints. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_OP_RULES_H_
#define ASSAY_TOOLS_CLI_OP_RULES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace assay::cli {

// A paragraph, or a list or table, of which each item or row is a line.
struct RuleBlock {
  std::string text;
  bool has_lines = false;
};

struct RuleSection {
  std::string title;  // "structural 4.1, Gather"
  std::vector<RuleBlock> blocks;
};

// Returns the sections that `references` names: "elementwise 6.2, 6.8; structural 14.3". Of a table
// whose rows begin with names of operations only the rows of `operation` are returned.
std::vector<RuleSection> RulesOf(absl::string_view operation, absl::string_view references);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_OP_RULES_H_
