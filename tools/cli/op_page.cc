#include "tools/cli/op_page.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/corpus/case_reader.h"
#include "conformance/corpus/corpus.h"
#include "conformance/profiles/profile.h"
#include "nlohmann/json.hpp"
#include "spec/text/printer.h"
#include "tools/cli/catalogue.h"
#include "tools/cli/help.h"
#include "tools/cli/op_aliases.h"
#include "tools/cli/op_rules.h"
#include "tools/cli/op_texts.h"

namespace assay::cli {
namespace {

// The columns of budgets; complex ones where the operation takes complex numbers.
constexpr ElementType kPageTypes[] = {ElementType::kF64,  ElementType::kF32, ElementType::kF16,
                                      ElementType::kBF16, ElementType::kC64, ElementType::kC128};
// Larger arrays make poor examples on a page.
constexpr int64_t kMostElements = 24;
constexpr size_t kMostExampleText = 500;

void AddSection(absl::string_view title, std::vector<PageRow> rows, OpPage* page) {
  if (!rows.empty()) page->sections.push_back({std::string(title), std::move(rows), false});
}

std::vector<PageRow> OperandRows(const OpText& text) {
  std::vector<PageRow> rows;
  for (const NamedText& each : text.operands) {
    rows.push_back({std::string(each.name), std::string(each.text), false});
  }
  return rows;
}

std::vector<PageRow> AttributeRows(const OpInfo& op, const OpText& text) {
  std::vector<PageRow> rows;
  for (const AttributeUse& use : op.attributes) {
    const absl::string_view name = Info(use.attr).name;
    const absl::string_view meaning = AttributeMeaning(text, name);
    rows.push_back(
        {std::string(name), absl::StrCat(meaning, meaning.empty() ? "" : " (", AttributeText(use),
                                         meaning.empty() ? "" : ")")});
  }
  return rows;
}

std::vector<PageRow> RuleRows(const OpInfo& op, const OpText& text) {
  std::vector<PageRow> rows;
  for (const RuleSection& section : RulesOf(op.name, text.rules)) {
    for (const RuleBlock& block : section.blocks) {
      const bool is_first = &block == &section.blocks.front();
      rows.push_back({is_first ? section.title : "", block.text, block.has_lines});
    }
  }
  return rows;
}

std::vector<PageRow> DecisionPageRows(const OpInfo& op) {
  std::vector<PageRow> rows;
  for (const DecisionRow& row : DecisionsOf(op)) {
    rows.push_back({std::string(row.id), absl::StrCat(row.question, " Golden: ", row.golden,
                                                      ". Also permitted: ", row.others, ".")});
  }
  return rows;
}

// "f64 1, f32 2.5": empty if every budget is zero, that is the correctly rounded value alone.
std::string BudgetsText(const OpInfo& op, const conformance::TargetProfile& profile) {
  std::vector<std::string> words;
  bool any = false;
  for (const ElementType type : kPageTypes) {
    if (!(IsComplex(type) ? op.types.is_complex : op.types.is_float)) continue;
    const conformance::UlpBudget budget = profile.FindBudget(op.opcode, type);
    any = any || !budget.exact();
    words.push_back(budget.exact() ? absl::StrCat(Name(type), " 0")
                                   : absl::StrFormat("%s %.4g", Name(type), budget.ulps));
    if (budget.absolute != 0) absl::StrAppendFormat(&words.back(), " + %.3g", budget.absolute);
  }
  return any ? absl::StrJoin(words, ", ") : "";
}

const char* AccuracyText(Accuracy accuracy) {
  switch (accuracy) {
    case Accuracy::kExact:
      return "Exact: every profile demands the golden value, but for the permitted deviations "
             "that concern all operations (docs/profiles.md).";
    case Accuracy::kRounded:
      return "Rounded once: the golden value is the exact result, rounded to nearest, ties to "
             "even.";
    case Accuracy::kFunction:
      return "The golden value is the correctly rounded result. A profile permits an error in ulp "
             "of the exact result:";
    case Accuracy::kAccumulating:
      return "The golden value is exact and rounded once. Implementations are judged by the error "
             "bound of a sum in the accumulator of their profile (structural 14, "
             "docs/enclosures.md).";
    case Accuracy::kRandom:
      return "Samples are tested statistically (control 9.3).";
    case Accuracy::kOpaque:
      return "Nothing is computed by the operation itself.";
  }
  return "";
}

absl::StatusOr<std::vector<PageRow>> AccuracyRows(const OpInfo& op) {
  std::vector<PageRow> rows = {{"", AccuracyText(op.accuracy)}};
  if (op.accuracy != Accuracy::kFunction && op.accuracy != Accuracy::kRounded) return rows;
  std::string exact;
  for (const std::string& name : conformance::TargetProfile::BuiltIn()) {
    const absl::StatusOr<conformance::TargetProfile> profile =
        conformance::TargetProfile::Find(name);
    if (!profile.ok()) return profile.status();
    const std::string budgets = BudgetsText(op, *profile);
    if (budgets.empty()) {
      absl::StrAppend(&exact, exact.empty() ? "" : ", ", name);
    } else {
      rows.push_back({name, budgets});
    }
  }
  if (!exact.empty()) {
    rows.push_back(
        {rows.size() > 1 ? "0 ulp" : "", absl::StrCat("Correctly rounded only: ", exact)});
  }
  return rows;
}

std::string ArrayText(const conformance::CaseArray& array) {
  return absl::StrReplaceAll(PrintLiteral(*array.literal), {{"\n", " "}});
}

// The first word of a line that begins a computation, as "f {" does; empty for other lines.
absl::string_view ComputationBegun(absl::string_view line) {
  const size_t end = line.find(" {");
  if (end == line.npos || absl::StrContains(line.substr(0, end), '=')) return "";
  absl::string_view name = line.substr(0, end);
  return absl::ConsumePrefix(&name, "ENTRY ") ? "" : name;
}

// Whether an attribute of the instructions is this computation, not one whose name begins like it.
bool NamesComputation(absl::string_view text, absl::string_view name) {
  const std::string reference = absl::StrCat("=", name);
  for (size_t at = text.find(reference); at != text.npos; at = text.find(reference, at + 1)) {
    const size_t end = at + reference.size();
    if (end == text.size()) return true;
    const char next = text[end];
    if (!absl::ascii_isalnum(next) && next != '_' && next != '.' && next != '-') return true;
  }
  return false;
}

// The instructions of the operation, the root of the entry where it is another one, and what the
// computations return that these name: "r = s32[] reduce(x, i), dimensions={0}, to_apply=f; f
// returns add(a, b)".
std::string InstructionsText(absl::string_view module, absl::string_view name) {
  const std::string call = absl::StrCat(" ", name, "(");
  std::vector<absl::string_view> shown;
  std::vector<std::pair<absl::string_view, absl::string_view>> returned;
  absl::string_view root, computation;
  for (absl::string_view line : absl::StrSplit(module, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (const absl::string_view begun = ComputationBegun(line); !begun.empty()) computation = begun;
    if (absl::StartsWith(line, "ENTRY ")) computation = "";
    if (std::count(line.begin(), line.end(), '}') > std::count(line.begin(), line.end(), '{') &&
        absl::ConsumeSuffix(&line, "}")) {
      line = absl::StripTrailingAsciiWhitespace(line);  // the computation ends in this line
    }
    if (absl::ConsumePrefix(&line, "ROOT ")) {
      root = line;  // the entry stands last
      if (!computation.empty()) returned.push_back({computation, line});
    }
    // A line with several instructions would show too much.
    const bool is_one = line.find(" = ") == line.rfind(" = ");
    if (is_one && absl::StrContains(line, call)) shown.push_back(line);
  }
  if (!shown.empty() && !root.empty() && shown.back() != root) shown.push_back(root);
  std::string text = absl::StrJoin(shown, "; ");
  for (const auto& [callee, line] : returned) {
    if (!NamesComputation(text, callee)) continue;
    const bool is_tuple = absl::StrContains(line, " = (");
    const size_t shape_end = line.find(is_tuple ? ") " : "] ");
    absl::StrAppend(&text, "; ", callee, " returns ",
                    shape_end == line.npos ? line : line.substr(shape_end + 2));
  }
  return text;
}

// An example in a line: the instructions, then the values that go in and come out. Empty for a case
// that is too large for a page or has no values.
std::string ExampleText(const conformance::CorpusCase& example, absl::string_view name) {
  if (example.expect != conformance::CorpusCase::Expect::kValues ||
      example.replicas * example.partitions > 4) {
    return "";
  }
  std::string text = InstructionsText(example.module, name);
  if (text.empty()) return "";
  const std::pair<absl::string_view, const std::vector<conformance::CaseArray>&> values[] = {
      {"arg", example.inputs},
      {"infeed", example.infeed},
      {"out", example.expected},
      {"outfeed", example.outfeed}};
  for (const auto& [kind, arrays] : values) {
    for (const conformance::CaseArray& array : arrays) {
      if (!array.literal || array.literal->shape().element_count() > kMostElements) return "";
      absl::StrAppend(&text, "; ", kind, array.number);
      if (array.device >= 0) absl::StrAppend(&text, " of device ", array.device);
      absl::StrAppend(&text, " = ", ArrayText(array));
    }
  }
  return text.size() > kMostExampleText ? "" : text;
}

// Where examples of an operation are looked for, the best place first.
enum class Place : uint8_t { kOwnFile, kSharedFile, kOtherOperations };
// Enough of what tests something else.
constexpr size_t kMostOfOtherOperations = 2;

// Appends the cases in a file that are of the operation, or, of other operations, that contain it.
// One case of each element type comes first.
absl::Status AddExamples(const conformance::CorpusFile& file, const OpInfo& op, Place place,
                         std::vector<PageRow>* examples) {
  const absl::StatusOr<std::vector<conformance::CorpusCase>> cases =
      conformance::ReadCases(file.text, file.name);
  if (!cases.ok()) return cases.status();
  std::vector<absl::string_view> seen;
  std::vector<PageRow> later;
  for (const conformance::CorpusCase& each : *cases) {
    if (place != Place::kOtherOperations && each.Tag("op") != op.name) continue;
    const std::string text = ExampleText(each, op.name);
    if (text.empty()) continue;
    const absl::string_view type = each.Tag("type");
    const bool is_new = std::find(seen.begin(), seen.end(), type) == seen.end();
    if (is_new) seen.push_back(type);
    (is_new ? *examples : later).push_back({each.id, text});
  }
  examples->insert(examples->end(), later.begin(), later.end());
  return absl::OkStatus();
}

// From the file of the operation in conformance/corpus/cases; where it has none, from those that
// several operations share; where no case is of it, from cases of others.
absl::StatusOr<std::vector<PageRow>> ExampleRows(const OpInfo& op, size_t most) {
  const std::string file_name =
      absl::StrCat("/", absl::StrReplaceAll(op.name, {{"-", "_"}}), ".cases");
  const std::string tag = absl::StrCat("op=", op.name, " "), call = absl::StrCat(" ", op.name, "(");
  std::vector<PageRow> rows;
  for (const Place place : {Place::kOwnFile, Place::kSharedFile, Place::kOtherOperations}) {
    if (place == Place::kOtherOperations) most = std::min(most, kMostOfOtherOperations);
    for (const conformance::CorpusFile& file : conformance::CorpusFiles()) {
      const bool is_own = absl::EndsWith(file.name, file_name);
      if (!absl::StartsWith(file.name, "cases/") || is_own != (place == Place::kOwnFile)) continue;
      const std::string& wanted = place == Place::kSharedFile ? tag : call;
      if (!is_own && (rows.size() >= most || !absl::StrContains(file.text, wanted))) continue;
      if (absl::Status status = AddExamples(file, op, place, &rows); !status.ok()) return status;
    }
    if (!rows.empty()) break;
  }
  if (rows.size() > most) rows.resize(most);
  return rows;
}

}  // namespace

absl::StatusOr<OpPage> MakeOpPage(const OpInfo& op, size_t most_examples) {
  const OpText text = TextOf(op.opcode);
  OpPage page{std::string(op.name), text.meaning, {}};
  std::vector<PageRow> summary;
  if (const std::vector<std::string> names = AliasesOf(op.opcode); !names.empty()) {
    summary.push_back({"also called", absl::StrJoin(names, ", ")});
  }
  summary.push_back({"operands", ArityText(op.arity)});
  summary.push_back({"family", std::string(FamilyName(op.family))});
  summary.push_back({"accuracy", std::string(AccuracyName(op.accuracy))});
  summary.push_back({"types", absl::StrJoin(TypeNames(op), " ")});
  summary.push_back(
      {"shape", op.shape_inferable ? "may be left out in text" : "must be written in text"});
  summary.push_back({"golden", IsInterpreted(op.opcode) ? "yes" : "not yet"});
  summary.push_back({"cuda", CudaText(op.opcode)});
  summary.push_back({"rules", absl::StrCat(text.rules, " (docs/semantics/rules)")});
  AddSection("Summary", std::move(summary), &page);
  AddSection("Operands", OperandRows(text), &page);
  AddSection("Attributes", AttributeRows(op, text), &page);
  if (std::vector<PageRow> rules = RuleRows(op, text); !rules.empty()) {
    page.sections.push_back({"Rules", std::move(rules), /*is_prose=*/true});
  }
  std::vector<PageRow> edges;
  for (const absl::string_view edge : text.edges) edges.push_back({"", std::string(edge)});
  AddSection("Edge cases", std::move(edges), &page);
  AddSection("Decision points", DecisionPageRows(op), &page);
  absl::StatusOr<std::vector<PageRow>> accuracy = AccuracyRows(op);
  if (!accuracy.ok()) return accuracy.status();
  AddSection("Accuracy", *std::move(accuracy), &page);
  absl::StatusOr<std::vector<PageRow>> examples = ExampleRows(op, most_examples);
  if (!examples.ok()) return examples.status();
  AddSection("Examples (cases of the corpus)", *std::move(examples), &page);
  return page;
}

namespace {

// A paragraph, or the lines of a list or table; what follows the first line of an item is indented.
std::string ProseLines(const PageRow& row, absl::string_view title, size_t width, size_t indent) {
  if (!row.has_lines) {
    return Wrapped(absl::StrCat(title, title.empty() ? "" : " ", row.text), width, indent);
  }
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(row.text, '\n')) {
    const bool is_row = absl::StartsWith(line, "|");
    lines.push_back(is_row ? std::string(line) : Wrapped(line, width - 3, indent + 3));
  }
  const std::string between = absl::StrCat("\n", std::string(indent, ' '));
  return absl::StrCat(title, title.empty() ? "" : "\n\n", absl::StrJoin(lines, between));
}

// "  structural 4.1, Gather", then its paragraphs.
std::string ProseText(const PageSection& section, int columns) {
  std::string out;
  for (const PageRow& row : section.rows) {
    if (!row.name.empty()) absl::StrAppend(&out, "  ", row.name, "\n");
    absl::StrAppend(&out, "    ", ProseLines(row, "", columns - 4, 4), "\n");
  }
  return out;
}

// The same in Markdown, as which the paragraphs are written.
std::string ProseMarkdown(const PageSection& section, size_t width) {
  std::string out;
  for (const PageRow& row : section.rows) {
    const std::string title = row.name.empty() ? "" : absl::StrCat("**", row.name, ".**");
    absl::StrAppend(&out, out.empty() ? "" : "\n", ProseLines(row, title, width, 0), "\n");
  }
  return out;
}

// The text as plain Markdown: outside of code a star or an underscore would be a mark.
std::string Plain(absl::string_view text) {
  std::string out;
  bool is_code = false;
  for (const char c : text) {
    if (c == '`') is_code = !is_code;
    if (!is_code && absl::StrContains("*_<|", c)) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string PageText(const OpPage& page, int columns) {
  std::string out = absl::StrCat(page.name, "\n  ", Wrapped(page.meaning, columns - 2, 2), "\n");
  for (const PageSection& section : page.sections) {
    const bool summary = section.title == "Summary";
    absl::StrAppend(&out, "\n", summary ? "" : section.title, summary ? "" : "\n");
    if (section.is_prose) {
      out += ProseText(section, columns);
      continue;
    }
    size_t column = 4;
    for (const PageRow& row : section.rows) column = std::max(column, row.name.size() + 4);
    const bool long_names = column > 30;
    for (const PageRow& row : section.rows) {
      if (row.name.empty() && section.rows.size() > 1 && section.rows.back().name.empty()) {
        absl::StrAppend(&out, "  - ", Wrapped(row.text, columns - 4, 4), "\n");
      } else if (row.name.empty()) {
        absl::StrAppend(&out, "  ", Wrapped(row.text, columns - 2, 2), "\n");
      } else if (long_names) {
        absl::StrAppend(&out, "  ", row.name, "\n    ", Wrapped(row.text, columns - 4, 4), "\n");
      } else {
        absl::StrAppendFormat(&out, "  %-*s%s\n", static_cast<int>(column - 2), row.name,
                              Wrapped(row.text, columns - column, column));
      }
    }
  }
  return out;
}

std::string PageMarkdown(const OpPage& page) {
  constexpr size_t kWidth = 100;
  const std::string source = absl::StrCat("This page is what `assay ops ", page.name,
                                          "` prints; `assay ops --write-docs docs/ops` writes it.");
  std::string out = absl::StrCat("# ", page.name, "\n\n", Wrapped(Plain(page.meaning), kWidth, 0),
                                 "\n\n", Wrapped(source, kWidth, 0), "\n");
  for (const PageSection& section : page.sections) {
    absl::StrAppend(&out, "\n## ", section.title, "\n\n");
    if (section.is_prose) {
      out += ProseMarkdown(section, kWidth);
      continue;
    }
    for (const PageRow& row : section.rows) {
      const std::string text = Plain(row.text);
      const std::string item = row.name.empty() ? text : absl::StrCat("`", row.name, "`: ", text);
      absl::StrAppend(&out, "- ", Wrapped(item, kWidth - 2, 2), "\n");
    }
  }
  return out;
}

nlohmann::json PageJson(const OpPage& page) {
  nlohmann::json sections = nlohmann::json::object();
  for (const PageSection& section : page.sections) {
    nlohmann::json& rows = sections[section.title] = nlohmann::json::array();
    for (const PageRow& row : section.rows) {
      rows.push_back({{"name", row.name}, {"text", row.text}});
    }
  }
  return {{"meaning", page.meaning}, {"sections", sections}};
}

}  // namespace assay::cli
