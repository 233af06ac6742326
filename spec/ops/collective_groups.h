// What replica groups mean to a collective: which processes an id stands for, and which sizes a
// group may have. Source: reference ops_control_and_collectives.md 5.2, 5.3, 7.
// Tests: verify_cases_test.cc, runtime/process_groups_test.cc.
#ifndef ASSAY_SPEC_OPS_COLLECTIVE_GROUPS_H_
#define ASSAY_SPEC_OPS_COLLECTIVE_GROUPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/ir/module.h"

namespace assay {

// What the ids in replica_groups and source_target_pairs are, and who belongs together.
enum class GroupMode {
  kCrossReplica,              // replicas; a group for each partition
  kCrossPartition,            // partitions; a group for each replica
  kCrossReplicaAndPartition,  // replicas, each with all its partitions
  kFlattenedId,               // replica * partitions + partition
};
// A channel_id of 0 or less is none. Also for send and recv, whose pairs are an annotation.
GroupMode GroupModeOf(const Instruction& op);
bool UsesGlobalDeviceIds(const Instruction& op);

// "replicas", "partitions" or "flattened ids".
absl::string_view IdKind(GroupMode mode);
// How many ids there are, and how many processes each stands for in a group. Saturated.
int64_t IdCount(GroupMode mode, int64_t replicas, int64_t partitions);
int64_t ProcessesPerId(GroupMode mode, int64_t partitions);

// Not of all-reduce and collective-broadcast.
bool GroupsHaveOneSize(Opcode opcode);

// Holds operands and result against groups of `members` processes. The instruction must have passed
// CheckInstruction. Clauses:
//   group_c7 all-gather and reduce-scatter change a size by the size of a group
//   group_c8 all-to-all splits by the size of a group
//   group_c10 (strict) the offsets and sizes of ragged-all-to-all have a row per member
absl::Status CheckGroupSize(const Instruction& op, int64_t members);

// Pairs of ids as source_target_pairs has them: (source, target) each, where they are sound.
using IdPairs = std::vector<std::vector<int64_t>>;
// Those that a send or recv between processes is annotated with
// (_xla_send_recv_source_target_pairs, reference 8.1); none where it is not. INVALID_ARGUMENT
// (pair_c2) where they are no such list.
absl::StatusOr<std::optional<IdPairs>> TransferIdPairs(const Instruction& op);

}  // namespace assay

#endif  // ASSAY_SPEC_OPS_COLLECTIVE_GROUPS_H_
