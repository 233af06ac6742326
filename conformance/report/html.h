// A run as a page: one file that needs neither network nor server. Tests: report_test.cc,
// page_test.py (which drives it in Chromium).
#ifndef ASSAY_CONFORMANCE_REPORT_HTML_H_
#define ASSAY_CONFORMANCE_REPORT_HTML_H_

#include <string>

#include "absl/strings/string_view.h"
#include "conformance/runner/case_result.h"

namespace assay::conformance {

// page.html with its style, its scripts and the run inside. The text of the run is data of the
// script, never markup.
std::string FormatHtml(const RunResult& run);

// The files of the page, built into the library by CMake.
absl::string_view PageTemplate();
absl::string_view PageStyle();
absl::string_view PageScript();

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_HTML_H_
