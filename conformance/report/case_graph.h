// The graph of a case that is a whole program, with the outcome of each of its sub-tests. The page
// of a run shows it for programs that fail, and a bundle holds it as graph.html. Tests:
// graph_page_test.cc, page_test.py.
#ifndef ASSAY_CONFORMANCE_REPORT_CASE_GRAPH_H_
#define ASSAY_CONFORMANCE_REPORT_CASE_GRAPH_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/runner/case_result.h"
#include "nlohmann/json.hpp"

namespace assay::conformance {

// GraphData of the module with the result's sub-tests. None for a case of one operation and for
// text that is not a module.
std::optional<nlohmann::json> CaseGraph(absl::string_view module_text, const CaseResult& result);

// The same, of the module in the result's own text of the case. None if the report holds no text,
// because the case is longer than what reports keep.
std::optional<nlohmann::json> GraphOfResult(const CaseResult& result);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_REPORT_CASE_GRAPH_H_
