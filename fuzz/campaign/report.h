// A campaign as JSON, which a later run goes on from, and as a page. Tests: campaign_test.cc.
#ifndef ASSAY_FUZZ_CAMPAIGN_REPORT_H_
#define ASSAY_FUZZ_CAMPAIGN_REPORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "fuzz/campaign/campaign.h"
#include "nlohmann/json.hpp"

namespace assay::fuzz {

// What a campaign is about: runs of another one cannot be gone on from.
struct CampaignIdentity {
  std::string target, profile, operations, types;
  uint64_t seed = 1;
  std::string seeds = {};  // a hash of the modules whose parts the programs have; empty: none
  std::string shard = {};  // "0/2"; empty: all programs
  friend bool operator==(const CampaignIdentity&, const CampaignIdentity&) = default;
};

nlohmann::json CampaignJson(const CampaignIdentity& identity, const CampaignResult& result);
// INVALID_ARGUMENT, with `name`, for text that is no such report, and for one of another campaign.
absl::StatusOr<CampaignResult> ParseCampaign(absl::string_view text, const std::string& name,
                                             const CampaignIdentity& identity);

// One file that needs neither network nor server.
std::string CampaignHtml(const CampaignIdentity& identity, const CampaignResult& result);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_CAMPAIGN_REPORT_H_
