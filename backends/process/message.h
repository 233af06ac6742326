// Members of the messages of docs/process_backend.md, taken out of JSON that another program wrote:
// whatever it wrote, they are there or not. Tests: process_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_MESSAGE_H_
#define ASSAY_BACKENDS_PROCESS_MESSAGE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace assay {

// A member of the wanted type, or the fallback.
std::string StringOf(const nlohmann::json& object, const char* key, std::string fallback = "");
int64_t IntOf(const nlohmann::json& object, const char* key, int64_t fallback);
bool BoolOf(const nlohmann::json& object, const char* key, bool fallback);
std::optional<std::set<std::string>> WordsOf(const nlohmann::json& object, const char* key);

// Bytes of the arrays that come in the payload of a result, not as files; their headers have been
// checked.
int64_t InlineBytes(const nlohmann::json& results);

// The text, cut after so many bytes with how many are missing: "xxx [... 7 bytes]".
std::string CutText(absl::string_view text, size_t longest);

// Of an error's `kind`.
absl::StatusCode CodeOfKind(const std::string& kind);

}  // namespace assay

#endif  // ASSAY_BACKENDS_PROCESS_MESSAGE_H_
