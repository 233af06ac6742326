// What random programs consist of where the target has few operations, and what a campaign comes to
// in a sentence. Tests: fuzz_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_FUZZ_VOCABULARY_H_
#define ASSAY_TOOLS_CLI_FUZZ_VOCABULARY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "fuzz/campaign/campaign.h"

namespace assay {

struct FuzzVocabulary {
  std::vector<std::string> operations, types;  // names; empty: all
  bool one_device = false;                     // programs on several devices cannot run
};

// The operations and types that a process lists in its answer to hello. Programs of all operations
// would hardly ever be within twelve of them. Where it lists half of the catalogue or more, the
// operations are left open: programs of named operations have no idioms (fuzz/programs/idioms.h).
// An error if the process does not start.
absl::StatusOr<FuzzVocabulary> VocabularyOf(Backend& target);

// Whether a campaign has judged a program.
bool HasJudged(const fuzz::CampaignResult& result);

// "No bug found in 3,368 programs; 12,853 others were not run, most often because ..."
std::string ClosingSentence(const fuzz::CampaignResult& result);

}  // namespace assay

#endif  // ASSAY_TOOLS_CLI_FUZZ_VOCABULARY_H_
