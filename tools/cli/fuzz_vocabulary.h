// The operations and types of random programs for a target with few operations.
// Tests: fuzz_cli_test.py.
#ifndef ASSAY_TOOLS_CLI_FUZZ_VOCABULARY_H_
#define ASSAY_TOOLS_CLI_FUZZ_VOCABULARY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "fuzz/campaign/campaign.h"

namespace assay::cli {

struct FuzzVocabulary {
  std::vector<std::string> operations, types;  // names; empty for all
  bool one_device = false;                     // true if programs on several devices cannot run
};

// Returns the operations and types that a process lists in its response to hello, because a random
// program of all operations would rarely use only twelve of them. If it lists at least half of the
// catalogue, the operations are not restricted, because programs of named operations have no idioms
// (fuzz/programs/idioms.h). Returns an error if the process does not start.
absl::StatusOr<FuzzVocabulary> VocabularyOf(Backend& target);

}  // namespace assay::cli

#endif  // ASSAY_TOOLS_CLI_FUZZ_VOCABULARY_H_
