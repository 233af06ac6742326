#include "conformance/report/escape.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace assay::conformance {
namespace {

// The character at the start of the text and how many bytes it has; {-1, 1} for what is no UTF-8
// (too long forms and surrogates included).
std::pair<int32_t, size_t> FirstCharacter(absl::string_view text) {
  const auto byte = [&text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  constexpr int32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {-1, 1};
  int32_t code = lead & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {-1, 1};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[length] || code > 0x10ffff || surrogate) return {-1, 1};
  return {code, length};
}

}  // namespace

std::string XmlEscaped(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, length] = FirstCharacter(text);
    if (code == '&') {
      out += "&amp;";
    } else if (code == '<') {
      out += "&lt;";
    } else if (code == '>') {
      out += "&gt;";
    } else if (code == '"') {
      out += "&quot;";
    } else if (code == '\n' || code == '\t') {
      absl::StrAppend(&out, "&#", code, ";");  // an attribute would make blanks of them
    } else if (code < 0x20 || code == 0x7f || code == 0xfffe || code == 0xffff) {
      out += "\xef\xbf\xbd";
    } else {
      out.append(text.data(), length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string ScriptJson(const nlohmann::json& json) {
  return absl::StrReplaceAll(json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace),
                             {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}});
}

}  // namespace assay::conformance
