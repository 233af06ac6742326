#include "tools/cli/op_rules.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/cli/op_texts.h"

namespace assay::cli {
namespace {

// Whether the line is "### 4.1 Gather" or "## 3. Instructions" for this number; gives the title.
bool IsHeading(absl::string_view line, absl::string_view number, absl::string_view* title) {
  if (!absl::StartsWith(line, "#")) return false;
  line.remove_prefix(line.find_first_not_of('#'));
  if (!absl::ConsumePrefix(&line, " ") || !absl::ConsumePrefix(&line, number)) return false;
  absl::ConsumePrefix(&line, ".");
  if (!absl::ConsumePrefix(&line, " ")) return false;
  *title = line;
  return true;
}

bool NamesOperation(absl::string_view row, absl::string_view operation) {
  const std::vector<absl::string_view> cells = absl::StrSplit(row, '|');
  if (cells.size() < 2) return false;
  const std::vector<absl::string_view> names = absl::StrSplit(cells[1], ',');
  return absl::c_any_of(
      names, [&](absl::string_view name) { return absl::StripAsciiWhitespace(name) == operation; });
}

// The rows of the operation alone, with the two lines above them; all where none names it.
std::vector<absl::string_view> RowsOf(absl::string_view operation,
                                      const std::vector<absl::string_view>& lines) {
  std::vector<absl::string_view> rows;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i < 2 || NamesOperation(lines[i], operation)) rows.push_back(lines[i]);
  }
  return rows.size() > 2 ? rows : lines;
}

RuleBlock BlockOf(absl::string_view operation, const std::vector<absl::string_view>& lines) {
  const bool is_table = absl::StartsWith(lines.front(), "|");
  const bool is_list = absl::ascii_isdigit(lines.front().front()) &&
                       absl::StrContains(lines.front().substr(0, 4), ". ");
  if (is_table) return {absl::StrJoin(RowsOf(operation, lines), "\n"), true};
  std::string text;
  for (const absl::string_view line : lines) {
    const bool begins_item = is_list && absl::ascii_isdigit(line.front());
    absl::StrAppend(&text,
                    text.empty()  ? ""
                    : begins_item ? "\n"
                                  : " ",
                    absl::StripAsciiWhitespace(line));
  }
  return {std::move(text), is_list};
}

RuleSection SectionOf(absl::string_view operation, absl::string_view page,
                      absl::string_view number) {
  RuleSection section;
  std::vector<absl::string_view> lines;
  const auto end_block = [&] {
    if (!lines.empty()) section.blocks.push_back(BlockOf(operation, lines));
    lines.clear();
  };
  absl::string_view title;
  const absl::string_view text = FileText(absl::StrCat("docs/semantics/rules/", page, ".md"));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (section.title.empty()) {
      if (IsHeading(line, number, &title)) {
        section.title = absl::StrCat(page, " ", number, ", ", title);
      }
      continue;
    }
    if (absl::StartsWith(line, "#")) break;
    if (line.empty()) {
      end_block();
    } else {
      lines.push_back(line);
    }
  }
  end_block();
  return section;
}

}  // namespace

std::vector<RuleSection> RulesOf(absl::string_view operation, absl::string_view references) {
  std::vector<RuleSection> sections;
  for (absl::string_view part : absl::StrSplit(references, "; ", absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> words =
        absl::StrSplit(part, absl::MaxSplits(' ', 1));
    for (const absl::string_view number : absl::StrSplit(words.second, ", ")) {
      sections.push_back(SectionOf(operation, words.first, number));
    }
  }
  return sections;
}

}  // namespace assay::cli
