#include "backends/process/message.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace assay::process {

using Json = nlohmann::json;

std::string StringOf(const Json& object, const char* key, std::string fallback) {
  auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>()
                                                       : std::move(fallback);
}

int64_t IntOf(const Json& object, const char* key, int64_t fallback) {
  auto member = object.find(key);
  return member != object.end() && member->is_number_integer() ? member->get<int64_t>() : fallback;
}

bool BoolOf(const Json& object, const char* key, bool fallback) {
  auto member = object.find(key);
  return member != object.end() && member->is_boolean() ? member->get<bool>() : fallback;
}

std::optional<std::set<std::string>> WordsOf(const Json& object, const char* key) {
  auto member = object.find(key);
  if (member == object.end() || !member->is_array()) return std::nullopt;
  std::set<std::string> words;
  for (const Json& word : *member) {
    if (word.is_string()) words.insert(word.get<std::string>());
  }
  return words;
}

int64_t InlineBytes(const Json& results) {
  int64_t total = 0;
  for (const Json& headers : results) {
    for (const Json& header : headers) {
      if (StringOf(header, "file").empty()) total += IntOf(header, "bytes", 0);
    }
  }
  return total;
}

std::string CutText(absl::string_view text, size_t longest) {
  if (text.size() <= longest) return std::string(text);
  return absl::StrCat(text.substr(0, longest), " [... ", text.size() - longest, " bytes]");
}

absl::StatusCode CodeOfKind(const std::string& kind) {
  if (kind == "invalid") return absl::StatusCode::kInvalidArgument;
  if (kind == "unsupported") return absl::StatusCode::kUnimplemented;
  if (kind == "exhausted") return absl::StatusCode::kResourceExhausted;
  return absl::StatusCode::kAborted;
}

}  // namespace assay::process
