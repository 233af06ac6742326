// Many programs, several at a time, each thread with a target of its own. What is found is grouped
// by signature, reduced and handed out as it comes. Tests: campaign_test.cc.
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
  std::string detail;        // of the first program
  int64_t program = 0;       // the first one
  int64_t count = 0;         // programs with the signature
  int64_t instructions = 0;  // of the reduced one
  double seconds = 0;        // from the start of the campaign to the first
  std::string folder;        // of the reduced one; empty: none is written
};

struct CampaignResult {
  int64_t features = 0;  // of this run and its corpus, where they are counted
  int64_t programs = 0;  // examined, earlier runs of the same campaign included
  int64_t instructions = 0;
  int64_t illegal = 0;  // illegal programs that the target was asked for
  double seconds = 0;   // of all runs
  std::array<int64_t, kOutcomes> counts{};
  std::vector<FindingGroup> groups;  // in the order of discovery
  // Why programs were not examined, with how many.
  std::map<std::string, int64_t> not_supported;
  // How often an operation stood in a program, by its name.
  std::map<std::string, int64_t> operations;
  bool interrupted = false;
};

struct CampaignOptions {
  const Grammar* grammar = nullptr;
  const TargetProfile* profile = nullptr;
  // Called in each thread; null: the reference interpreter alone is examined.
  std::function<absl::StatusOr<std::unique_ptr<Backend>>()> make_target;
  ExaminerOptions examiner;
  ReduceLimits reduce;
  std::string target_name, profile_name;
  uint64_t seed = 1;
  int64_t programs = -1;  // in all; negative: no limit
  double seconds = -1;    // of this run; negative: no limit
  int64_t jobs = 1;
  int64_t most_records = 12;
  int64_t batch = 1;     // programs that a target is asked for in one module
  bool illegal = false;  // of each eighth program the target also gets an illegal form
  // Of the programs with these numbers in all, those of this process: number % shards == shard.
  int64_t shard = 0, shards = 1;
  int64_t most_findings = -1;  // ends after so many groups; negative: no limit
  std::vector<Bytes> corpus;
  std::string folder;  // for the folders of findings; empty: none
  const std::atomic<bool>* stop = nullptr;
  CampaignResult start;  // of earlier runs, which this one goes on from
  // Called after each program and for each new group, one at a time.
  std::function<void(const CampaignResult&)> progress;
  std::function<void(const CampaignResult&, const FindingGroup&)> found;
  // Called for each program that has a feature which no program of the corpus, nor of this run,
  // has; where it is set, these join the corpus for the changes of later ones. One at a time.
  std::function<void(const Bytes&)> has_new_features;
};

// An error where no target could be started.
absl::StatusOr<CampaignResult> RunCampaign(const CampaignOptions& options);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_CAMPAIGN_CAMPAIGN_H_
