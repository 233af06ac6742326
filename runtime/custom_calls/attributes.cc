// Tests: backends/factory/custom_call_test.cc.
#include "runtime/custom_calls/attributes.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace assay::runtime::custom_calls {
namespace {

struct Token {
  char punctuation = 0;  // 0: a word or a string
  std::string text;
};

std::vector<Token> Tokens(absl::string_view text) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (absl::ascii_isspace(c)) {
      ++i;
    } else if (c == '"') {
      std::string value;
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        value += text[i];
      }
      ++i;
      tokens.push_back({0, std::move(value)});
    } else if (absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-' || c == '+') {
      const size_t begin = i;
      while (i < text.size() && (absl::ascii_isalnum(text[i]) || text[i] == '_' || text[i] == '.' ||
                                 text[i] == '-' || text[i] == '+')) {
        ++i;
      }
      tokens.push_back({0, std::string(text.substr(begin, i - begin))});
    } else {
      tokens.push_back({c, {}});
      ++i;
    }
  }
  return tokens;
}

bool IsPunctuation(const std::vector<Token>& tokens, size_t at, char c) {
  return at < tokens.size() && tokens[at].punctuation == c;
}
bool IsWordToken(const std::vector<Token>& tokens, size_t at, absl::string_view word) {
  return at < tokens.size() && tokens[at].punctuation == 0 && tokens[at].text == word;
}

// Whether a list of numbers begins at the token.
bool IsList(const std::vector<Token>& tokens, size_t at) {
  if (IsPunctuation(tokens, at, '[')) return true;
  return IsPunctuation(tokens, at + 1, '<') &&
         (IsWordToken(tokens, at, "dense") || IsWordToken(tokens, at, "array"));
}

// The numbers up to the bracket that closes the first, a row for each inner list; types among them
// are none.
std::vector<std::vector<int64_t>> ReadList(const std::vector<Token>& tokens, size_t at) {
  std::vector<std::vector<int64_t>> rows(1);
  int64_t depth = 0, number = 0;
  for (; at < tokens.size(); ++at) {
    const char c = tokens[at].punctuation;
    if (c == '[' || c == '<') ++depth;
    if (c == '[' && !rows.back().empty()) rows.emplace_back();
    if ((c == ']' || c == '>') && --depth == 0) break;
    if (c == 0 && absl::SimpleAtoi(tokens[at].text, &number)) rows.back().push_back(number);
  }
  return rows;
}

// `#dialect<kind WORD>`, as enumerators are written: the token of the word; 0 for anything else.
size_t FindEnumerator(const std::vector<Token>& tokens, size_t at) {
  const bool is = IsPunctuation(tokens, at, '#') && IsPunctuation(tokens, at + 2, '<') &&
                  IsPunctuation(tokens, at + 5, '>') && tokens[at + 3].punctuation == 0 &&
                  tokens[at + 4].punctuation == 0;
  return is ? at + 4 : 0;
}

}  // namespace

CallAttributes CallAttributes::Parse(absl::string_view text) {
  CallAttributes attributes;
  attributes.Add(text);
  return attributes;
}

CallAttributes CallAttributes::Of(const Instruction& instruction) {
  const Annotations& notes = instruction.annotations();
  CallAttributes attributes;
  for (const auto& [name, value] : notes.frontend_attributes) {
    if (name == "mhlo.attributes") attributes.Add(value);
  }
  attributes.Add(notes.backend_config);
  return attributes;
}

// An entry is a name, `=` or `:`, and a value; the type that may follow the value is neither.
void CallAttributes::Add(absl::string_view text) {
  const std::vector<Token> tokens = Tokens(text);
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    const char separator = tokens[i + 1].punctuation;
    if (tokens[i].punctuation != 0 || (separator != '=' && separator != ':')) continue;
    if (IsList(tokens, i + 2)) {
      lists_[tokens[i].text] = ReadList(tokens, i + 2);
      continue;
    }
    if (const size_t word = FindEnumerator(tokens, i + 2); word != 0) {
      entries_[tokens[i].text] = tokens[word].text;
      continue;
    }
    if (tokens[i + 2].punctuation != 0) continue;
    entries_[tokens[i].text] = tokens[i + 2].text;
    i += 2;
    if (i + 2 < tokens.size() && tokens[i + 1].punctuation == ':') i += 2;
  }
}

int64_t CallAttributes::Int(absl::string_view name, int64_t otherwise) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return otherwise;
  if (found->second == "true") return 1;
  if (found->second == "false") return 0;
  int64_t value = 0;
  return absl::SimpleAtoi(found->second, &value) ? value : otherwise;
}

double CallAttributes::Float(absl::string_view name, double otherwise) const {
  const auto found = entries_.find(name);
  double value = 0;
  return found != entries_.end() && absl::SimpleAtod(found->second, &value) ? value : otherwise;
}

std::string CallAttributes::String(absl::string_view name, absl::string_view otherwise) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? std::string(otherwise) : found->second;
}

std::vector<int64_t> CallAttributes::Ints(absl::string_view name) const {
  std::vector<int64_t> numbers;
  for (const std::vector<int64_t>& row : IntLists(name)) {
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  return numbers;
}

std::vector<std::vector<int64_t>> CallAttributes::IntLists(absl::string_view name) const {
  const auto found = lists_.find(name);
  return found == lists_.end() ? std::vector<std::vector<int64_t>>() : found->second;
}

char CallAttributes::Letter(absl::string_view name, char otherwise) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return otherwise;
  if (found->second.size() == 1 && absl::ascii_isalpha(found->second[0])) return found->second[0];
  const int64_t code = Int(name, otherwise);
  return code > 0 && code < 128 ? static_cast<char>(code) : otherwise;
}

}  // namespace assay::runtime::custom_calls
