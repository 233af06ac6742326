// What makes two runs one, so that their results may stand in one report: for journals that are
// gone on with and shards that are joined. Tests: journal_test.cc, report_test.cc.
#ifndef ASSAY_CONFORMANCE_RUNNER_RUN_IDENTITY_H_
#define ASSAY_CONFORMANCE_RUNNER_RUN_IDENTITY_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/runner/case_result.h"
#include "nlohmann/json.hpp"

namespace assay {

// The members of the header that are what was asked of whom, and what counted as right. Not the
// target's version, which is known only once it has started.
nlohmann::json IdentityOf(const RunResult& run);

// The first member in which two objects differ, in words: "its profile is "gpu", that of NAME
// "golden""; none: they are equal. `other` may be a stranger's, of any depth.
std::optional<std::string> FindDifference(const nlohmann::json& other, const nlohmann::json& own,
                                          absl::string_view name);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_RUNNER_RUN_IDENTITY_H_
