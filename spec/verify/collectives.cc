// Which processes take part in a collective. A group names replicas, partitions or both
// (flattened), by channel_id and use_global_device_ids.
// collective-broadcast is as free as XLA's verifier leaves it: nothing below holds for it but
// group_c9 and group_c11.
//   group_c1 groups are not empty
//   group_c2 ids are not negative, and none comes twice
//   group_c3 the ids are 0, 1, ... without gaps
//   group_c4 and as many as the module has replicas, partitions or both (a count of 1 says nothing)
//   group_c5 with use_global_device_ids groups are written, and there is a channel
//   group_c6 groups are equally large (not: all-reduce)
//   group_c9 (strict) an iota or a mesh yields groups: sizes multiply out, orders are permutations,
//       axes are of the mesh and lie apart
//   group_c11 (strict) nor has a collective-broadcast empty groups, negative ids or an id twice
//   pair_c1 ids of source_target_pairs are not negative, and lie below the count
//   all_reduce_c1 a channel id is positive
//   all_reduce_c2 either all or no all-reduce of a module constrains layouts
//   pair_c2 (strict) the source-target pairs that a send or recv is annotated with are such a list
// Sizes are held against groups in spec/ops/collective_groups.h. Groups written as an iota or over
// a mesh are never listed one by one: what they cover follows from their form. Source: reference
// ops_control_and_collectives.md 5, 7, 8.1. Tests: verify_cases_test.cc.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "spec/element/saturating.h"
#include "spec/ir/device_lists.h"
#include "spec/ops/checks.h"
#include "spec/ops/collective_groups.h"
#include "spec/ops/shape_inference.h"
#include "spec/verify/module_checks.h"

namespace assay {
namespace {

bool HasGroups(Opcode opcode) {
  return Info(opcode).FindAttribute(Attr::kReplicaGroups) != nullptr;
}

// How ids in groups count, and how many there are. 0: not known.
struct Processes {
  int64_t count = 0;
  int64_t per_id = 1;  // processes that an id stands for in a group
  absl::string_view kind;
};

Processes ProcessesOf(const Instruction& op, const Module& module) {
  const GroupMode mode = GroupModeOf(op);
  return {IdCount(mode, module.replica_count, module.num_partitions),
          ProcessesPerId(mode, module.num_partitions), IdKind(mode)};
}

// What groups cover, as far as it is known without listing them.
struct Cover {
  bool sound = true;       // no finding so far
  int64_t ids = 0;         // how many there are in all
  int64_t group_size = 0;  // of the first group; 0 when there is none
};

Cover CheckList(const Instruction& op, const std::vector<std::vector<int64_t>>& groups,
                Findings& findings) {
  Cover cover;
  const bool broadcast = op.opcode() == Opcode::kCollectiveBroadcast;
  const bool uniform = GroupsHaveOneSize(op.opcode());
  absl::flat_hash_set<int64_t> seen;
  int64_t largest = -1;
  auto refuse = [&](absl::string_view clause, std::string expected, std::string found) {
    cover.sound = false;
    findings.Add(clause, op, std::move(expected), std::move(found));
  };
  for (const std::vector<int64_t>& group : groups) {
    if (group.empty()) {
      refuse(broadcast ? "group_c11" : "group_c1", "a replica group must not be empty", "{}");
      return cover;
    }
    for (int64_t id : group) {
      largest = std::max(largest, id);
      if (id >= 0 && seen.insert(id).second) continue;
      refuse(broadcast ? "group_c11" : "group_c2",
             "ids in replica_groups must not be negative, nor come twice",
             absl::StrCat(id, id < 0 ? "" : " again"));
      return cover;
    }
    if (uniform && group.size() != groups.front().size()) {
      refuse("group_c6", absl::StrCat("replica groups must have one size, ", groups.front().size()),
             absl::StrCat(group.size()));
      return cover;
    }
  }
  cover.ids = static_cast<int64_t>(seen.size());
  if (!groups.empty()) cover.group_size = static_cast<int64_t>(groups.front().size());
  if (largest >= cover.ids && !broadcast) {
    refuse("group_c3", absl::StrCat("replica_groups must name every id from 0 to ", largest),
           absl::StrCat(cover.ids, " of them"));
  }
  return cover;
}

Cover CheckForm(const Instruction& op, const ReplicaGroups& groups, Findings& findings) {
  if (groups.form == ReplicaGroups::Form::kList) return CheckList(op, groups.groups, findings);
  const absl::StatusOr<GroupCounts> counts = CountGroups(groups);
  if (!counts.ok()) {
    findings.Add("group_c9", op, "replica_groups must yield groups",
                 std::string(counts.status().message()));
  }
  Cover cover;
  cover.sound = counts.ok() || groups.form == ReplicaGroups::Form::kIota;
  // What an iota yields counts as written where it yields nothing.
  cover.group_size = counts.ok() ? counts->size : groups.group_size;
  const int64_t group_count = counts.ok() ? counts->groups : groups.group_count;
  cover.ids = SaturatingProduct(group_count, cover.group_size);
  return cover;
}

// Processes in a group; 0 when they are not known.
int64_t GroupProcesses(const Cover& cover, const Processes& processes) {
  const int64_t ids = cover.group_size > 0 ? cover.group_size : processes.count;
  return SaturatingProduct(ids, processes.per_id);
}

void CheckGroups(const Instruction& op, const Module& module, Findings& findings) {
  const ReplicaGroups& groups = op.replica_groups();
  const Cover cover = CheckForm(op, groups, findings);
  if (!cover.sound) return;
  const Processes processes = ProcessesOf(op, module);
  if (UsesGlobalDeviceIds(op) && (cover.ids == 0 || !op.FindInt(Attr::kChannelId))) {
    findings.Add("group_c5", op,
                 "with use_global_device_ids there must be a channel_id and replica_groups",
                 cover.ids == 0 ? "no groups" : "no channel");
    return;
  }
  // A count of 1 is also what a module has that says nothing.
  const bool counts_known = processes.count != 1;
  if (counts_known && cover.ids > 0 && cover.ids != processes.count &&
      op.opcode() != Opcode::kCollectiveBroadcast) {
    findings.Add("group_c4", op,
                 absl::StrCat("replica_groups must name the ", processes.count, " ", processes.kind,
                              " of the module"),
                 absl::StrCat(cover.ids));
    return;
  }
  const int64_t group = GroupProcesses(cover, processes);
  // The tuple form of all-to-all shows the size of a group by itself.
  if (group != 1 || op.opcode() == Opcode::kAllToAll) {
    // What is demanded of ragged-all-to-all is strict.
    if (op.opcode() == Opcode::kRaggedAllToAll && !findings.strict()) return;
    findings.AddViolation(op, CheckGroupSize(op, group));
  }
}

void CheckPairs(const Instruction& op, const Module& module, Findings& findings) {
  const auto* pairs =
      op.attributes().Get<std::vector<std::vector<int64_t>>>(Attr::kSourceTargetPairs);
  if (pairs == nullptr) return;
  const Processes processes = ProcessesOf(op, module);
  for (const std::vector<int64_t>& pair : *pairs) {
    for (int64_t id : pair) {
      if (id >= 0 && (processes.count == 1 || id < processes.count)) continue;
      findings.Add(
          "pair_c1", op,
          absl::StrCat("source_target_pairs must name ", processes.kind,
                       processes.count == 1 ? std::string(" from 0 on")
                                            : absl::StrCat(" in [0, ", processes.count, ")")),
          ListText(pair));
      return;
    }
  }
}

}  // namespace

void CheckCollectives(const Module& module, Findings& findings) {
  const Instruction* constrained[2] = {nullptr, nullptr};
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Instruction& op = *instruction;
      if (op.opcode() == Opcode::kSend || op.opcode() == Opcode::kRecv) {
        if (findings.strict()) findings.AddViolation(op, TransferIdPairs(op).status());
      }
      if (op.info().family != Family::kCollective) continue;
      if (op.HasAttribute(Attr::kSourceTargetPairs)) CheckPairs(op, module, findings);
      if (!HasGroups(op.opcode())) continue;
      // Sizes are held against groups where the operation itself is sound.
      if (CheckInstruction(op, Rules::kXla).ok()) CheckGroups(op, module, findings);
      if (op.opcode() != Opcode::kAllReduce && op.opcode() != Opcode::kAllReduceStart) continue;
      const std::optional<int64_t> channel = op.FindInt(Attr::kChannelId);
      if (channel && *channel <= 0) {
        findings.Add("all_reduce_c1", op, "the channel_id of an all-reduce must be positive",
                     absl::StrCat(*channel));
      }
      const bool constrains = op.GetBool(Attr::kConstrainLayout);
      if (constrained[!constrains] != nullptr && constrained[constrains] == nullptr) {
        findings.Add("all_reduce_c2", op,
                     "either all or no all-reduce of a module may constrain layouts",
                     absl::StrCat("another choice in ", constrained[!constrains]->name()));
      }
      if (constrained[constrains] == nullptr) constrained[constrains] = &op;
    }
  }
}

}  // namespace assay
