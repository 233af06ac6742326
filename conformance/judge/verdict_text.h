// Renders judgements and their evidence as text for terminals, JUnit and triage. An element is
// shown with its index, the actual and the golden value, the absolute and relative error and the
// multiple of the bound. Tests: verdict_text_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_VERDICT_TEXT_H_
#define ASSAY_CONFORMANCE_JUDGE_VERDICT_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/judge/verdict.h"

namespace assay::conformance {

// "1,234,567".
std::string WithCommas(int64_t count);
// "1 case", "2 cases".
std::string Counted(int64_t count, absl::string_view singular);

// Returns the wrong element with the largest Excess, the first one if several are equal, or null if
// the evidence has no wrong element.
const Evidence* WorstOf(const Judgement& judgement);

// "[0,8,5]: actual 1.5 (0x3fc00000), golden 1 (0x3f800000), operands 0.5 and 0.5, error 0.5
// (relative 0.5), 5 times its bound; REASON".
std::string InWords(const Evidence& evidence);

// Returns the summary without evidence: "37 of 1,024 elements are wrong (rule: 2 ulp)", "all 16
// elements are within bound (rule: n u sum|terms|; at most 0.99 of the bound, 3 ulp)".
std::string InWords(const Judgement& judgement);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_VERDICT_TEXT_H_
