#include "runtime/process_groups.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "spec/ir/device_lists.h"
#include "spec/ops/checks.h"
#include "spec/ops/collective_groups.h"
#include "spec/ops/permute_slices.h"

namespace assay::runtime {
namespace {

// What an id in groups or pairs means in a grid.
struct Ids {
  Ids(const Instruction& op, const ProcessGrid& grid)
      : mode(GroupModeOf(op)), grid(grid), count(IdCount(mode, grid.replicas, grid.partitions)) {}

  bool Has(int64_t id) const { return id >= 0 && id < count; }
  std::string Range() const { return absl::StrCat(IdKind(mode), " in [0, ", count, ")"); }

  GroupMode mode;
  ProcessGrid grid;
  int64_t count;
};

// As written; one group of all where none is.
absl::StatusOr<DeviceGroups> ListIds(const Instruction& op, const Ids& ids) {
  absl::StatusOr<DeviceGroups> groups = ListGroups(op.replica_groups(), ids.count);
  if (groups.status().code() == absl::StatusCode::kResourceExhausted) {
    return Violation(op, "group_c4", "replica_groups must name ", ids.Range(), ", found ",
                     groups.status().message());
  }
  if (!groups.ok()) {
    return Violation(op, "group_c9", "replica_groups must yield groups, found ",
                     groups.status().message());
  }
  if (!groups->empty()) return groups;
  std::vector<int64_t>& all = groups->emplace_back();
  for (int64_t id = 0; id < ids.count; ++id) all.push_back(id);
  return groups;
}

absl::Status CheckGroups(const Instruction& op, const DeviceGroups& groups, const Ids& ids) {
  std::vector<bool> seen(ids.count, false);
  int64_t named = 0;
  for (const std::vector<int64_t>& group : groups) {
    ASSAY_REQUIRE(op, "group_c1", !group.empty(), "a replica group must not be empty, found {}");
    ASSAY_REQUIRE(
        op, "group_c6", !GroupsHaveOneSize(op.opcode()) || group.size() == groups.front().size(),
        "replica groups must have one size, ", groups.front().size(), ", found ", group.size());
    for (int64_t id : group) {
      ASSAY_REQUIRE(op, "group_c4", ids.Has(id), "replica_groups must name ", ids.Range(),
                    ", found ", id);
      ASSAY_REQUIRE(op, "group_c2", !seen[id], "no id may come twice in replica_groups, found ", id,
                    " again");
      seen[id] = true;
      ++named;
    }
  }
  if (named == ids.count || op.opcode() == Opcode::kCollectiveBroadcast) return absl::OkStatus();
  int64_t missing = 0;
  while (seen[missing]) ++missing;
  return Violation(op, "group_c3", "replica_groups must name all ", IdKind(ids.mode), " in [0, ",
                   ids.count, "), found no ", missing);
}

// The processes of one group of ids, in each of the worlds that it counts for.
void AppendProcesses(const std::vector<int64_t>& group, const Ids& ids, DeviceGroups* result) {
  const auto [replicas, partitions] = ids.grid;
  switch (ids.mode) {
    case GroupMode::kCrossReplica:
      for (int64_t p = 0; p < partitions; ++p) {
        std::vector<int64_t>& processes = result->emplace_back();
        for (int64_t r : group) processes.push_back(r * partitions + p);
      }
      return;
    case GroupMode::kCrossPartition:
      for (int64_t r = 0; r < replicas; ++r) {
        std::vector<int64_t>& processes = result->emplace_back();
        for (int64_t p : group) processes.push_back(r * partitions + p);
      }
      return;
    case GroupMode::kCrossReplicaAndPartition: {
      std::vector<int64_t>& processes = result->emplace_back();
      for (int64_t r : group) {
        for (int64_t p = 0; p < partitions; ++p) processes.push_back(r * partitions + p);
      }
      return;
    }
    case GroupMode::kFlattenedId:
      result->push_back(group);
  }
}

absl::StatusOr<std::vector<ProcessPair>> PairsOf(const Instruction& op, const IdPairs& pairs,
                                                 const ProcessGrid& grid) {
  const Ids ids(op, grid);
  const int64_t allowed = TransfersPerProcess(op);
  std::vector<int32_t> as_source(ids.count, 0), as_target(ids.count, 0);
  std::vector<ProcessPair> result;
  for (const std::vector<int64_t>& pair : pairs) {
    ASSAY_REQUIRE(op, "collective_permute_c1", pair.size() == 2,
                  "source_target_pairs must be pairs, found ", ListText(pair));
    for (int64_t id : pair) {
      ASSAY_REQUIRE(op, "pair_c1", ids.Has(id), "source_target_pairs must name ", ids.Range(),
                    ", found ", ListText(pair));
    }
    const int64_t source = pair[0], target = pair[1];
    ASSAY_REQUIRE(op, "collective_permute_c1",
                  ++as_source[source] <= allowed && ++as_target[target] <= allowed,
                  "no source and no target may come twice in source_target_pairs, found ",
                  ListText(pair));
    if (ids.mode == GroupMode::kCrossPartition) {
      for (int64_t r = 0; r < grid.replicas; ++r) {
        result.emplace_back(r * grid.partitions + source, r * grid.partitions + target);
      }
    } else {
      for (int64_t p = 0; p < grid.partitions; ++p) {
        result.emplace_back(source * grid.partitions + p, target * grid.partitions + p);
      }
    }
  }
  return result;
}

}  // namespace

int64_t ProcessGrid::count() const {
  return IdCount(GroupMode::kFlattenedId, replicas, partitions);
}

absl::StatusOr<std::vector<std::vector<int64_t>>> ProcessGroups(const Instruction& collective,
                                                                const ProcessGrid& grid) {
  const std::optional<int64_t> channel = collective.FindInt(Attr::kChannelId);
  const bool is_all_reduce =
      collective.opcode() == Opcode::kAllReduce || collective.opcode() == Opcode::kAllReduceStart;
  ASSAY_REQUIRE(collective, "all_reduce_c1", !is_all_reduce || !channel || *channel > 0,
                "the channel_id of an all-reduce must be positive, found ", channel.value_or(0));
  const Ids ids(collective, grid);
  if (UsesGlobalDeviceIds(collective)) {
    const ReplicaGroups& written = collective.replica_groups();
    const bool has_groups = written.form != ReplicaGroups::Form::kList || !written.groups.empty();
    const bool has_channel = channel.value_or(0) > 0;
    ASSAY_REQUIRE(
        collective, "group_c5", has_groups && has_channel,
        "with use_global_device_ids there must be a channel_id and replica_groups, found ",
        has_groups ? "no channel" : "no groups");
  }
  const absl::StatusOr<DeviceGroups> groups = ListIds(collective, ids);
  if (!groups.ok()) return groups.status();
  if (absl::Status status = CheckGroups(collective, *groups, ids); !status.ok()) return status;
  DeviceGroups processes;
  for (const std::vector<int64_t>& group : *groups) AppendProcesses(group, ids, &processes);
  return processes;
}

absl::StatusOr<std::vector<ProcessPair>> ProcessPairs(const Instruction& permute,
                                                      const ProcessGrid& grid) {
  const auto* pairs = permute.attributes().Get<IdPairs>(Attr::kSourceTargetPairs);
  return PairsOf(permute, pairs == nullptr ? IdPairs() : *pairs, grid);
}

absl::StatusOr<std::optional<std::vector<ProcessPair>>> TransferPairs(const Instruction& transfer,
                                                                      const ProcessGrid& grid) {
  const absl::StatusOr<std::optional<IdPairs>> ids = TransferIdPairs(transfer);
  if (!ids.ok()) return ids.status();
  if (!ids->has_value()) return std::nullopt;
  absl::StatusOr<std::vector<ProcessPair>> pairs = PairsOf(transfer, **ids, grid);
  if (!pairs.ok()) return pairs.status();
  return *std::move(pairs);
}

}  // namespace assay::runtime
