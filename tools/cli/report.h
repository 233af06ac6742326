// Formats values and comparisons of two values as text and as JSON. Tests: run_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_REPORT_H_
#define ASSAY_TOOLS_CLI_REPORT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/judge/comparison.h"
#include "nlohmann/json_fwd.hpp"
#include "spec/arrays/arrays.h"

namespace assay::cli {

// Returns one paragraph per array (shape, verdict, equal elements, NaNs, the first mismatch, the
// first and the largest difference with their places, histogram), then the verdict of the whole.
// Equal arrays, and differing ones beyond the first eight, are only counted. Arrays have their
// names in files (out0, out1, ..., out0.dev1; tokens have no name). `max_ulp` is the distance that
// the user accepts.
std::string ReportText(const conformance::Comparison& comparison, absl::string_view left,
                       absl::string_view right, uint64_t max_ulp);
// Returns the last line of ReportText.
std::string VerdictText(const conformance::Comparison& comparison, uint64_t max_ulp);
nlohmann::json ReportJson(const conformance::Comparison& comparison, uint64_t max_ulp);

// The largest absolute and relative error among the finite floats of two values, element by element
// and by parts of complex numbers; relative to the larger of the two.
struct LargestErrors {
  double absolute = 0, relative = 0;
};
LargestErrors LargestErrorsOf(absl::Span<const Literal> left, absl::Span<const Literal> right);
// "Largest absolute error 1.2e-07, largest relative error 3e-06. Nothing is claimed of whether that
// is rounding or a bug: " and how to have it judged.
std::string NoClaimText(const LargestErrors& errors, absl::string_view how_to_judge);

// Return arrays with their names: as text one line each, cut if it is long; as JSON, without the
// values of large arrays.
std::string ArraysText(absl::Span<const NamedLiteral> arrays);
nlohmann::json ArraysJson(absl::Span<const NamedLiteral> arrays);

// Returns a value after its type, cut after about `longest` characters; the rest is not formatted.
std::string BriefLiteral(const Literal& literal, size_t longest);

// Returns the output of --json: indented, with a final line break. Bytes that are not UTF-8 are
// replaced.
std::string JsonText(const nlohmann::json& json, int indent = 2);

// Returns true if the arrays are equal, or floats that differ by at most `max_ulp`.
bool Accepted(const conformance::ArrayComparison& array, uint64_t max_ulp);
bool Accepted(const conformance::Comparison& comparison, uint64_t max_ulp);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_REPORT_H_
