// Waivers: known failures of a target, each with a reason and an expiry date. A waived case keeps
// its outcome in every report. A waiver that has expired or matches no failure makes the run
// fail. Tests: waivers_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_WAIVERS_H_
#define ASSAY_CONFORMANCE_RUNNER_WAIVERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/runner/case_result.h"

namespace assay::conformance {

struct Waiver {
  std::string glob, reason, link;
  std::string expires;  // YYYY-MM-DD, the last day on which it counts
  std::string where;    // "file:line"
};

// Reads the waivers of a text file (waivers.proto). INVALID_ARGUMENT, as "name:line: ..." with a
// column if the text is malformed, also for a waiver without a glob, a reason or a link, and for an
// expiry that is not a date.
absl::StatusOr<std::vector<Waiver>> ReadWaivers(absl::string_view text, const std::string& name);

// Returns the first waiver that covers the result of a case that fails or is not judgeable and that
// has not expired before `today` (YYYY-MM-DD). Null if there is none.
const Waiver* FindWaiver(absl::Span<const Waiver> waivers, absl::string_view today,
                         const CaseResult& result);

// Stores in each result the reason of the waiver that covers it. Returns the complaints that make
// the run fail: waivers that have expired, that match a case that passes, or that match none of
// `ids`, which are the ids of the whole corpus.
std::vector<std::string> ApplyWaivers(absl::Span<const Waiver> waivers, absl::string_view today,
                                      absl::Span<const absl::string_view> ids,
                                      CaseResults* results);

// Returns a waiver file for the failures that no waiver covers, with their exact ids. ReadWaivers
// rejects it until every reason, link and date is filled in.
std::string WaiversToFillIn(const CaseResults& results);

// Returns the current date in UTC, as YYYY-MM-DD.
std::string Today();

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_WAIVERS_H_
