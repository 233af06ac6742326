// The files that the pages are made of, which are built into the library: a report needs no files
// beside the command. Tests: report_test.cc, graph_page_test.cc.
#ifndef ASSAY_CONFORMANCE_REPORT_PAGE_FILES_H_
#define ASSAY_CONFORMANCE_REPORT_PAGE_FILES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace assay::conformance {

struct PageFile {
  absl::string_view name;  // "page.html", "graph.css"
  absl::string_view text;
};
absl::Span<const PageFile> PageFiles();

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_PAGE_FILES_H_
