// Values, and comparisons of two values, as text for people and as JSON for programs. Tests:
// run_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_REPORT_H_
#define ASSAY_TOOLS_CLI_REPORT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/judge/comparison.h"
#include "nlohmann/json_fwd.hpp"
#include "spec/arrays/arrays.h"

namespace assay {

// One paragraph per array: shape, verdict, elements equal, NaNs, the first mismatch, the first
// difference and the largest one with their places, histogram; then the verdict of the whole. Many
// arrays that are equal are counted, and so are those that differ beyond the first eight.
// Arrays are called as in files (out0, out1, ..., out0.dev1; tokens have no name). `max_ulp` is the
// distance that the user accepts.
std::string ReportText(const Comparison& comparison, absl::string_view left,
                       absl::string_view right, uint64_t max_ulp);
// The last line of that.
std::string VerdictText(const Comparison& comparison, uint64_t max_ulp);
nlohmann::json ReportJson(const Comparison& comparison, uint64_t max_ulp);

// The largest absolute and relative error among the finite floats of two values, element by element
// and by parts of complex numbers; relative to the larger of the two.
struct LargestErrors {
  double absolute = 0, relative = 0;
};
LargestErrors LargestErrorsOf(absl::Span<const Literal> left, absl::Span<const Literal> right);
// "Largest absolute error 1.2e-07, largest relative error 3e-06. Nothing is claimed of whether that
// is rounding or a bug: " and how to have it judged.
std::string NoClaimText(const LargestErrors& errors, absl::string_view how_to_judge);

// Arrays with their names: a line each, long ones cut; as JSON, large ones without their values.
std::string ArraysText(absl::Span<const NamedLiteral> arrays);
nlohmann::json ArraysJson(absl::Span<const NamedLiteral> arrays);

// A value with its type in front, cut after about `longest` characters: the rest is not formatted.
std::string BriefLiteral(const Literal& literal, size_t longest);

// The text of what --json prints: indented, with a line break at its end. Names and paths need not
// be UTF-8: other bytes are replaced.
std::string JsonText(const nlohmann::json& json, int indent = 2);

// Equal, or floats that differ by at most `max_ulp`.
bool Accepted(const ArrayComparison& array, uint64_t max_ulp);
bool Accepted(const Comparison& comparison, uint64_t max_ulp);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_REPORT_H_
