// The page of an operation, which is the source of both `assay ops X` and docs/ops/X.md. Tests:
// show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_OP_PAGE_H_
#define ASSAY_TOOLS_CLI_OP_PAGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json_fwd.hpp"
#include "spec/op_info.h"

namespace assay::cli {

// A row without a name is a paragraph.
struct PageRow {
  std::string name, text;
  bool has_lines = false;  // a list or table, of which each item or row is a line
};

struct PageSection {
  std::string title;
  std::vector<PageRow> rows;
  // Rows are paragraphs of Markdown, of which the first of each part has its title for a name.
  bool is_prose = false;
};

struct OpPage {
  std::string name, meaning;
  std::vector<PageSection> sections;
};

// Returns meaning, aliases, operands, attributes, rules, edge cases, decision points, accuracy by
// profile and at most `most_examples` examples of the corpus. Errors are mistakes in files of the
// tree.
absl::StatusOr<OpPage> MakeOpPage(const OpInfo& op, size_t most_examples);

// Returns the page for a terminal with this many columns.
std::string PageText(const OpPage& page, int columns);
// Returns docs/ops/X.md, with lines of at most 100 columns.
std::string PageMarkdown(const OpPage& page);
// {"meaning": ..., "sections": {"Edge cases": [{"name": ..., "text": ...}]}}
nlohmann::json PageJson(const OpPage& page);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_OP_PAGE_H_
