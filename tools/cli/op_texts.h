// What op_texts.txt says of each operation, and the decision points of docs/semantics that concern
// it: files of the tree that are built into the command. Tests: show_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_OP_TEXTS_H_
#define ASSAY_TOOLS_CLI_OP_TEXTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/op_info.h"

namespace assay {

// A file of the tree as it was when the command was built.
struct OpFile {
  absl::string_view name;  // "docs/semantics/elementwise.md"
  absl::string_view text;
};
absl::Span<const OpFile> OpFiles();

struct NamedText {
  absl::string_view name, text;
};

struct OpText {
  std::string meaning;
  std::vector<NamedText> operands;
  std::vector<NamedText> attributes;  // of this operation alone
  std::vector<absl::string_view> edges;
  absl::string_view rules;  // "elementwise 6.1, 6.2; structural 14.3"
};

// A row of the tables of docs/semantics.
struct DecisionRow {
  absl::string_view id, operations, question, golden, others;
};

// The entry of an operation; empty if there is none, which show_cli_test.py refuses.
OpText TextOf(Opcode opcode);

// What an attribute of an operation does: of its own entry, or what holds for all operations.
absl::string_view AttributeMeaning(const OpText& text, absl::string_view attribute);

// The decision points at which the operation may be seen, in the order of the pages. The column of
// operations names operations and groups of them: "shifts", "complex functions".
std::vector<DecisionRow> DecisionsOf(const OpInfo& op);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_OP_TEXTS_H_
