// Waivers: failures of a target that somebody knows of and answers for until a date. They hide
// nothing: a waived case stays what it is in every report, and a waiver that is no longer true
// fails the run. Tests: waivers_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_WAIVERS_H_
#define ASSAY_CONFORMANCE_RUNNER_WAIVERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/runner/case_result.h"

namespace assay {

struct Waiver {
  std::string glob, reason, link;
  std::string expires;  // YYYY-MM-DD, the last day on which it counts
  std::string where;    // "file:line"
};

// The waivers of a text file (waivers.proto). INVALID_ARGUMENT, as "name:line: ..." with a column
// where the text is malformed, also for waivers without a glob, a reason or a link, and for what is
// no date.
absl::StatusOr<std::vector<Waiver>> ReadWaivers(absl::string_view text, const std::string& name);

// The first waiver that covers the result: one that has not expired before `today` (YYYY-MM-DD), of
// a case that fails or cannot be judged. Null: none.
const Waiver* FindWaiver(absl::Span<const Waiver> waivers, absl::string_view today,
                         const CaseResult& result);

// Writes into each result the reason of the waiver that covers it. Returns why the run fails
// beside: waivers that have expired, that match a case that passes, or that match none of `ids`,
// those of the whole corpus.
std::vector<std::string> ApplyWaivers(absl::Span<const Waiver> waivers, absl::string_view today,
                                      absl::Span<const absl::string_view> ids,
                                      CaseResults* results);

// A file of waivers for the failures that no waiver covers, by their exact ids, to be filled in: it
// is refused until each has its reason, link and date.
std::string WaiversToFillIn(const CaseResults& results);

// The date in UTC.
std::string Today();

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUNNER_WAIVERS_H_
