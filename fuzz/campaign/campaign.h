// Runs many programs in parallel; each thread has a target of its own. Findings are grouped by
// signature, reduced, and reported as soon as they are found. Tests: campaign_test.cc.
#ifndef ASSAY_FUZZ_CAMPAIGN_CAMPAIGN_H_
#define ASSAY_FUZZ_CAMPAIGN_CAMPAIGN_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "conformance/profiles/profile.h"
#include "fuzz/campaign/mutation.h"
#include "fuzz/differential/examiner.h"
#include "fuzz/programs/grammar.h"
#include "fuzz/reduce/reducer.h"

namespace assay::fuzz {

struct FindingGroup {
  Signature signature;
  std::string detail;        // the detail of the first program
  int64_t program = 0;       // the number of the first program
  int64_t count = 0;         // the number of programs with the signature
  int64_t instructions = 0;  // of the reduced one
  double seconds = 0;        // the time from the start of the campaign to the first program
  std::string folder;        // the folder of the reduced program; empty if none is written
};

// The programs whose rewrite by a relation was examined, and those among them that gave a finding.
struct RelationCount {
  int64_t asked = 0, broken = 0;
};

struct CampaignResult {
  int64_t features = 0;  // features of this run and its corpus, if they are counted
  int64_t programs = 0;  // programs examined, including earlier runs of the campaign
  int64_t instructions = 0;
  int64_t illegal = 0;  // illegal programs sent to the target
  double seconds = 0;   // the time of all runs
  std::array<int64_t, kOutcomes> counts{};
  std::vector<FindingGroup> groups;  // in the order of discovery
  // The reasons why programs were not examined, with the number of programs.
  std::map<std::string, int64_t> not_supported;
  // The number of instructions of each operation, by its name.
  std::map<std::string, int64_t> operations;
  std::map<std::string, RelationCount> relations;  // by name
  bool interrupted = false;
};

struct CampaignOptions {
  const Grammar* grammar = nullptr;
  const conformance::TargetProfile* profile = nullptr;
  // Called in each thread; null to examine only the reference interpreter.
  std::function<absl::StatusOr<std::unique_ptr<Backend>>()> make_target;
  ExaminerOptions examiner;
  ReduceLimits reduce;
  std::string target_name, profile_name;
  uint64_t seed = 1;
  int64_t programs = -1;  // the total number of programs; negative for no limit
  double seconds = -1;    // the time limit of this run; negative for no limit
  int64_t jobs = 1;
  int64_t most_records = 12;
  int64_t batch = 1;     // programs that are joined into one module
  bool illegal = false;  // sends an illegal program to the target after every eighth program
  // This process runs the programs with number % shards == shard.
  int64_t shard = 0, shards = 1;
  int64_t most_findings = -1;  // the campaign ends after this many groups; negative for no limit
  std::vector<Bytes> corpus;
  std::string folder;  // the parent of the folders of findings; empty for none
  const std::atomic<bool>* stop = nullptr;
  CampaignResult start;  // the result of earlier runs, which this run continues
  // Called after each program and for each new group, by one thread at a time.
  std::function<void(const CampaignResult&)> progress;
  std::function<void(const CampaignResult&, const FindingGroup&)> found;
  // Called, by one thread at a time, for each program with a feature that no earlier program of the
  // corpus or of this run has. If it is set, such programs join the corpus that later programs
  // mutate.
  std::function<void(const Bytes&)> has_new_features;
};

// Runs a campaign. Returns an error if no target could be started.
absl::StatusOr<CampaignResult> RunCampaign(const CampaignOptions& options);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_CAMPAIGN_CAMPAIGN_H_
