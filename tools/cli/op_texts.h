// The texts of op_texts.txt on each operation, and its decision points in docs/semantics. These
// files are built into the command. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_OP_TEXTS_H_
#define ASSAY_TOOLS_CLI_OP_TEXTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/op_info.h"

namespace assay::cli {

// A file of the tree at build time.
struct OpFile {
  absl::string_view name;  // "docs/semantics/elementwise.md"
  absl::string_view text;
};
absl::Span<const OpFile> OpFiles();
// Returns the text of such a file, which is empty if there is none of this name.
absl::string_view FileText(absl::string_view name);

struct NamedText {
  absl::string_view name, text;
};

struct OpText {
  std::string meaning;
  std::vector<NamedText> operands;
  std::vector<NamedText> attributes;  // attributes with a special meaning in this operation
  std::vector<absl::string_view> edges;
  absl::string_view rules;  // "elementwise 6.1, 6.2; structural 14.3"
};

// A row of the tables of docs/semantics.
struct DecisionRow {
  absl::string_view id, operations, question, golden, others;
};

// Returns the entry of an operation, which is empty if there is none; show_cli_test.py fails then.
OpText TextOf(Opcode opcode);

// Returns the meaning of an attribute from the operation's entry, or the general one.
absl::string_view AttributeMeaning(const OpText& text, absl::string_view attribute);

// Returns the decision points of the operation, in the order of the pages. The column of operations
// names operations and groups of them: "shifts", "complex functions".
std::vector<DecisionRow> DecisionsOf(const OpInfo& op);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_OP_TEXTS_H_
