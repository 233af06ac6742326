#include "tools/cli/op_texts.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace assay::cli {
namespace {

// "lower: the lower factor" after its keyword.
NamedText SplitName(absl::string_view rest) {
  const size_t colon = rest.find(": ");
  if (colon == absl::string_view::npos) return {rest, ""};
  return {rest.substr(0, colon), rest.substr(colon + 2)};
}

void AddLine(absl::string_view line, OpText* text) {
  if (absl::ConsumePrefix(&line, "operand ")) {
    text->operands.push_back(SplitName(line));
  } else if (absl::ConsumePrefix(&line, "attribute ")) {
    text->attributes.push_back(SplitName(line));
  } else if (absl::ConsumePrefix(&line, "edge ")) {
    text->edges.push_back(line);
  } else if (absl::ConsumePrefix(&line, "rules ")) {
    text->rules = line;
  } else if (!line.empty() && line.front() != '#') {
    absl::StrAppend(&text->meaning, text->meaning.empty() ? "" : " ", line);
  }
}

// The lines of an entry, or those before the first for an empty name.
OpText Entry(absl::string_view name) {
  OpText text;
  bool inside = name.empty();
  for (absl::string_view line : absl::StrSplit(FileText("tools/cli/op_texts.txt"), '\n')) {
    if (absl::ConsumePrefix(&line, "op ")) {
      if (inside) break;
      inside = line == name;
    } else if (inside) {
      AddLine(line, &text);
    }
  }
  return text;
}

bool IsArithmetic(const OpInfo& op) {
  return (op.elementwise() && op.accuracy == Accuracy::kRounded) ||
         op.accuracy == Accuracy::kAccumulating;
}

// Whether an operation belongs to a group that the pages name by a word of the language.
bool BelongsTo(const OpInfo& op, absl::string_view group) {
  if (group == "arithmetic" || absl::StartsWith(group, "arithmetic of")) return IsArithmetic(op);
  if (group == "complex arithmetic") return IsArithmetic(op) && op.types.is_complex;
  if (group == "complex functions") {
    return op.accuracy == Accuracy::kFunction && op.types.is_complex;
  }
  if (group == "moves") return op.family == Family::kMovement && op.accuracy == Accuracy::kExact;
  if (group == "shifts") return absl::StartsWith(op.name, "shift-");
  if (group == "round") return absl::StartsWith(op.name, "round-");
  if (group == "collectives") {
    return op.family == Family::kCollective && !absl::EndsWith(op.name, "-id");
  }
  if (group == "async operations") return absl::StartsWith(op.name, "async-");
  if (group == "collapse") return op.name == "reshape";
  if (absl::StartsWith(group, "conversions")) return op.name == "convert";
  if (absl::StartsWith(group, "the products of dots")) return op.opcode == Opcode::kDot;
  return group == op.name || absl::StartsWith(group, absl::StrCat(op.name, " to ")) ||
         group == absl::StrCat(op.name, "s");
}

bool Concerns(const OpInfo& op, absl::string_view operations) {
  for (const absl::string_view part : absl::StrSplit(operations, ", ")) {
    const absl::string_view words = absl::StripPrefix(part, "and ");
    if (BelongsTo(op, words)) return true;
    for (const absl::string_view each : absl::StrSplit(words, " and ")) {
      if (BelongsTo(op, each)) return true;
    }
  }
  return false;
}

}  // namespace

absl::string_view FileText(absl::string_view name) {
  for (const OpFile& file : OpFiles()) {
    if (file.name == name) return file.text;
  }
  return "";
}

OpText TextOf(Opcode opcode) { return Entry(Name(opcode)); }

absl::string_view AttributeMeaning(const OpText& text, absl::string_view attribute) {
  for (const NamedText& own : text.attributes) {
    if (own.name == attribute) return own.text;
  }
  for (const NamedText& common : Entry("").attributes) {
    if (common.name == attribute) return common.text;
  }
  return "";
}

std::vector<DecisionRow> DecisionsOf(const OpInfo& op) {
  std::vector<DecisionRow> rows;
  for (const char* page : {"elementwise", "structural", "control"}) {
    const absl::string_view text = FileText(absl::StrCat("docs/semantics/", page, ".md"));
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      const std::vector<absl::string_view> cells = absl::StrSplit(line, '|');
      // Of eight cells, between the empty pieces at both ends.
      if (cells.size() != 10 || cells[1] == " id " || absl::StartsWith(cells[1], "--")) continue;
      const auto cell = [&](size_t i) { return absl::StripAsciiWhitespace(cells[i]); };
      if (!Concerns(op, cell(2))) continue;
      rows.push_back({cell(1), cell(2), cell(3), cell(4), cell(5)});
    }
  }
  return rows;
}

}  // namespace assay::cli
