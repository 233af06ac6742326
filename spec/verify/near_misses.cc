#include "spec/verify/near_misses.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace assay {
namespace {

// The body with the left or the right side of every <<left => right>>.
std::string Resolve(absl::string_view body, bool left) {
  std::string text;
  while (true) {
    const size_t begin = body.find("<<");
    text.append(body.data(), std::min(begin, body.size()));
    if (begin == absl::string_view::npos) return text;
    const size_t arrow = body.find(" => ", begin), end = body.find(">>", begin);
    const absl::string_view side =
        left ? body.substr(begin + 2, arrow - begin - 2) : body.substr(arrow + 4, end - arrow - 4);
    text.append(side.data(), side.size());
    body.remove_prefix(end + 2);
  }
}

bool HasWord(absl::string_view text, absl::string_view word) {
  const auto part_of_word = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; };
  for (size_t at = text.find(word); at != absl::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !part_of_word(text[at - 1])) &&
        (end == text.size() || !part_of_word(text[end]))) {
      return true;
    }
  }
  return false;
}

// Each begins with its name at the left margin.
std::vector<std::string> Computations(absl::string_view text) {
  std::vector<std::string> computations;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    if (line[0] != ' ' && line[0] != '}') computations.emplace_back();
    absl::StrAppend(&computations.back(), line, "\n");
  }
  return computations;
}

// Those computations that the body calls, or that they call: they stand before their callers.
std::string UsedComputations(const std::vector<std::string>& computations, std::string body) {
  std::string used;
  for (size_t i = computations.size(); i-- > 0;) {
    const std::string name = computations[i].substr(0, computations[i].find(' '));
    if (!HasWord(body, name)) continue;
    absl::StrAppend(&body, "\n", computations[i]);
    used = absl::StrCat(computations[i], used);
  }
  return used;
}

std::string ModuleText(const std::string& body, const std::vector<std::string>& computations) {
  if (absl::StartsWith(body, "HloModule")) return body;
  return ModuleOfRow(body, UsedComputations(computations, body.substr(body.find('|') + 1)));
}

}  // namespace

std::string ModuleOfRow(absl::string_view row, absl::string_view computations) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(row, absl::MaxSplits('|', 1));
  std::string text = absl::StrCat("HloModule rule\n", computations, "ENTRY entry {\n");
  int number = 0;
  for (absl::string_view shape : absl::StrSplit(parts.first, ';', absl::SkipWhitespace())) {
    absl::StrAppend(&text, "  p", number, " = ", absl::StripAsciiWhitespace(shape), " parameter(",
                    number, ")\n");
    ++number;
  }
  absl::StrAppend(&text, "  ROOT r = ", absl::StripAsciiWhitespace(parts.second), "\n}\n");
  return text;
}

std::vector<NearMiss> ReadNearMisses(absl::string_view text) {
  std::vector<NearMiss> pairs;
  std::vector<std::string> computations;
  const std::vector<std::string> blocks = absl::StrSplit(text, "\n== ");
  for (size_t i = 1; i < blocks.size(); ++i) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(blocks[i], absl::MaxSplits('\n', 1));
    const std::vector<std::string> words = absl::StrSplit(parts.first, ' ', absl::SkipWhitespace());
    const std::string body(absl::StripAsciiWhitespace(parts.second));
    if (words[0] == "computations") {
      computations = Computations(body);
      continue;
    }
    NearMiss pair;
    pair.entry = blocks[i];
    pair.clause = words[0];
    pair.strict = words.back() == "strict";
    pair.reader = words.back() == "reader";
    pair.accepted = ModuleText(Resolve(body, true), computations);
    pair.refused = ModuleText(Resolve(body, false), computations);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace assay
