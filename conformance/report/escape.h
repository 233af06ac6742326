// Untrusted text inside XML and inside the script of a page. Tests: report_test.cc.
#ifndef ASSAY_CONFORMANCE_REPORT_ESCAPE_H_
#define ASSAY_CONFORMANCE_REPORT_ESCAPE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace assay::conformance {

// For attributes and content of XML 1.0. Characters that XML has not (control characters, half
// surrogates, U+FFFE) and bytes that are no UTF-8 become U+FFFD.
std::string XmlEscaped(absl::string_view text);

// JSON that can stand in a <script> element: ASCII, without <, > and &.
std::string ScriptJson(const nlohmann::json& json);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_ESCAPE_H_
