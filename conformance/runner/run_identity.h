// The identity of a run. Results of runs with equal identity may be joined in one report: a resumed
// journal, and the shards of a run. Tests: journal_test.cc, report_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_RUN_IDENTITY_H_
#define ASSAY_CONFORMANCE_RUNNER_RUN_IDENTITY_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/runner/case_result.h"
#include "nlohmann/json.hpp"

namespace assay::conformance {

// The members of the header that describe the target, the selection of cases and the profile. The
// target's version is excluded, because it is known only after the target has started.
nlohmann::json IdentityOf(const RunResult& run);

// Describes the first member in which two objects differ: "its profile is "gpu", that of NAME
// "golden"". Returns nullopt if they are equal. `other` is untrusted and may be nested deeply.
std::optional<std::string> FindDifference(const nlohmann::json& other, const nlohmann::json& own,
                                          absl::string_view name);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_RUNNER_RUN_IDENTITY_H_
