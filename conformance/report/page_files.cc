#include "conformance/report/page_files.h"

#include "conformance/report/graph_page.h"
#include "conformance/report/html.h"

namespace assay::conformance {
namespace {

absl::string_view TextOf(absl::string_view name) {
  for (const PageFile& file : PageFiles()) {
    if (file.name == name) return file.text;
  }
  return "";
}

}  // namespace

absl::string_view PageTemplate() { return TextOf("page.html"); }
absl::string_view PageStyle() { return TextOf("page.css"); }
absl::string_view PageScript() { return TextOf("page.js"); }
absl::string_view GraphTemplate() { return TextOf("graph.html"); }
absl::string_view GraphStyle() { return TextOf("graph.css"); }
absl::string_view GraphScript() { return TextOf("graph.js"); }

}  // namespace assay::conformance
