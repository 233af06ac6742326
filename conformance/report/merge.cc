#include "conformance/report/merge.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/runner/judgeability.h"
#include "conformance/runner/run_identity.h"

namespace assay::conformance {
namespace {

absl::Status CheckAlike(const NamedRun& first, const NamedRun& other) {
  const auto identity = [](const RunResult& run) {
    nlohmann::json members = IdentityOf(run);
    members["target_version"] = run.target_version;
    return members;
  };
  const std::optional<std::string> difference =
      FindDifference(identity(other.run), identity(first.run), first.name);
  if (!difference) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(other.name, ": ", *difference));
}

// The shards that none of the runs is, and the runs that did not get through.
std::vector<std::string> Holes(const std::vector<NamedRun>& runs) {
  std::vector<std::string> holes;
  const int64_t shards = runs[0].run.shards;
  int64_t next = 0;  // runs are sorted by shard
  for (const NamedRun& each : runs) {
    if (each.run.shard > next) {
      holes.push_back(absl::StrCat(
          "no file has shard ", next,
          each.run.shard - 1 > next ? absl::StrCat(" to ", each.run.shard - 1) : std::string(),
          " of ", shards));
    }
    next = each.run.shard + 1;
    const auto done = static_cast<int64_t>(each.run.cases.size());
    if (each.run.interrupted || done != each.run.selected) {
      holes.push_back(absl::StrCat(each.name, " has ", done, " of its ", each.run.selected,
                                   " cases: it was interrupted"));
    }
  }
  if (next < shards) {
    holes.push_back(absl::StrCat(
        "no file has shard ", next,
        shards - 1 > next ? absl::StrCat(" to ", shards - 1) : std::string(), " of ", shards));
  }
  return holes;
}

absl::Status CheckNoneTwice(const std::vector<NamedRun>& runs) {
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].run.shard != runs[i - 1].run.shard) continue;
    return absl::InvalidArgumentError(absl::StrCat(runs[i - 1].name, " and ", runs[i].name,
                                                   " are both shard ", runs[i].run.shard));
  }
  absl::flat_hash_map<absl::string_view, const NamedRun*> owners;
  for (const NamedRun& each : runs) {
    for (size_t i = 0; i < each.run.cases.size(); ++i) {
      const absl::string_view id = each.run.cases.IdOf(i);
      const auto [found, added] = owners.emplace(id, &each);
      if (added) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("case ", id, " is in ", found->second->name, " and in ", each.name));
    }
  }
  return absl::OkStatus();
}

void Take(RunResult&& part, RunResult* merged) {
  merged->selected += part.selected;
  merged->seconds += part.seconds;
  if (!part.started.empty() && (merged->started.empty() || part.started < merged->started)) {
    merged->started = part.started;
  }
  merged->cases.Append(std::move(part.cases));
  for (std::string& complaint : part.complaints) {
    std::vector<std::string>& all = merged->complaints;
    if (std::find(all.begin(), all.end(), complaint) == all.end()) {
      all.push_back(std::move(complaint));
    }
  }
}

}  // namespace

absl::StatusOr<RunResult> MergeRuns(std::vector<NamedRun> runs, bool partial) {
  if (runs.empty()) return absl::InvalidArgumentError("there is no report to merge");
  for (NamedRun& each : runs) {
    if (absl::Status status = CheckAlike(runs[0], each); !status.ok()) return status;
    // A shard may hold nothing that the target supports; the whole run may not.
    for (const std::string& own : NothingJudged(each.run)) std::erase(each.run.complaints, own);
  }
  std::stable_sort(runs.begin(), runs.end(),
                   [](const NamedRun& a, const NamedRun& b) { return a.run.shard < b.run.shard; });
  if (absl::Status status = CheckNoneTwice(runs); !status.ok()) return status;
  const std::vector<std::string> holes = Holes(runs);
  if (!holes.empty() && !partial) {
    return absl::InvalidArgumentError(absl::StrJoin(holes, "; "));
  }
  RunResult merged = std::move(runs[0].run);
  merged.shard = 0;
  merged.shards = 1;
  for (size_t i = 1; i < runs.size(); ++i) Take(std::move(runs[i].run), &merged);
  merged.interrupted = !holes.empty();
  merged.complaints.insert(merged.complaints.end(), holes.begin(), holes.end());
  merged.cases.SortById();
  // What no shard can say of itself.
  for (auto* complaints : {NothingJudged, JudgeabilityComplaints}) {
    std::vector<std::string> own = complaints(merged);
    std::move(own.begin(), own.end(), std::back_inserter(merged.complaints));
  }
  return merged;
}

}  // namespace assay::conformance
