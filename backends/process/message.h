// Reads members of the messages of docs/process_backend.md from untrusted JSON. Tests:
// process_test.cc.
#ifndef ASSAY_BACKENDS_PROCESS_MESSAGE_H_
#define ASSAY_BACKENDS_PROCESS_MESSAGE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace assay::process {

// Return a member of this type, or the fallback.
std::string StringOf(const nlohmann::json& object, const char* key, std::string fallback = "");
int64_t IntOf(const nlohmann::json& object, const char* key, int64_t fallback);
bool BoolOf(const nlohmann::json& object, const char* key, bool fallback);
std::optional<std::set<std::string>> WordsOf(const nlohmann::json& object, const char* key);

// Returns the bytes of the arrays that are in the payload of a result, not in files. Their headers
// have been checked.
int64_t InlineBytes(const nlohmann::json& results);

// Returns the text, cut after `longest` bytes with the number of missing bytes: "xxx [... 7
// bytes]".
std::string CutText(absl::string_view text, size_t longest);

// Returns the status code of an error's `kind`.
absl::StatusCode CodeOfKind(const std::string& kind);

}  // namespace assay::process

#endif  // ASSAY_BACKENDS_PROCESS_MESSAGE_H_
