// A campaign as JSON, from which a later run continues, and as an HTML page. Tests:
// campaign_test.cc.
#ifndef ASSAY_FUZZ_CAMPAIGN_REPORT_H_
#define ASSAY_FUZZ_CAMPAIGN_REPORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/campaign/campaign.h"
#include "nlohmann/json.hpp"

namespace assay::fuzz {

// The identity of a campaign. Only a run of the same campaign can be continued.
struct CampaignIdentity {
  std::string target, profile, operations, types;
  uint64_t seed = 1;
  std::string seeds = {};  // a hash of the seed modules; empty if there are none
  std::string shard = {};  // "0/2"; empty for all programs
  friend bool operator==(const CampaignIdentity&, const CampaignIdentity&) = default;
};

nlohmann::json CampaignJson(const CampaignIdentity& identity, const CampaignResult& result);
// Parses a report. Returns INVALID_ARGUMENT, with `name`, for other text and for a report of
// another campaign.
absl::StatusOr<CampaignResult> ParseCampaign(absl::string_view text, const std::string& name,
                                             const CampaignIdentity& identity);

// Returns true if a campaign has judged a program.
bool HasJudged(const CampaignResult& result);

// Returns "No bug found in 3,368 programs; 12,853 others were not run, most often because ..."
std::string ClosingSentence(const CampaignResult& result);

// Returns the page as one file without external resources.
std::string CampaignHtml(const CampaignIdentity& identity, const CampaignResult& result);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_CAMPAIGN_REPORT_H_
