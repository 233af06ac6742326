// The groups of devices that participate in a collective. Source: reference
// ops_control_and_collectives.md 5, 7.7, 8.1. Tests: process_groups_test.cc.
#ifndef ASSAY_RUNTIME_PROCESS_GROUPS_H_
#define ASSAY_RUNTIME_PROCESS_GROUPS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"

namespace assay::runtime {

// The grid of replicas and partitions. Device (r, p) has the flattened id r * partitions + p.
struct ProcessGrid {
  int64_t replicas = 1;
  int64_t partitions = 1;
  // Returns the number of devices, saturated.
  int64_t count() const;
  int64_t Flatten(int64_t replica, int64_t partition) const {
    return replica * partitions + partition;
  }
  int64_t ReplicaOf(int64_t process) const { return process / partitions; }
  int64_t PartitionOf(int64_t process) const { return process % partitions; }
};

// The functions below take an operation, or the one that an async-start wraps. They return
// INVALID_ARGUMENT with clause, instruction and id if it does not fit the grid. Their memory is
// bounded by the size of the grid and of the attribute.

// Returns the groups as flattened ids, with the members in the order of the operation (reference
// 5.2; a group of whole replicas lists replica after replica). Every device is in one group, except
// with collective-broadcast. Clauses: group_c1 to c6 and c9 (spec/verify/collectives.cc),
// all_reduce_c1.
absl::StatusOr<std::vector<std::vector<int64_t>>> ProcessGroups(const Instruction& collective,
                                                                const ProcessGrid& grid);

// (source, target).
using ProcessPair = std::pair<int64_t, int64_t>;

// Returns the source_target_pairs of a collective-permute, repeated for every replica or partition
// if the pairs name only the other. Clauses: pair_c1, collective_permute_c1.
absl::StatusOr<std::vector<ProcessPair>> ProcessPairs(const Instruction& permute,
                                                      const ProcessGrid& grid);

// Returns the pairs of a send or recv from its frontend attribute
// _xla_send_recv_source_target_pairs, or nothing if it has none.
absl::StatusOr<std::optional<std::vector<ProcessPair>>> TransferPairs(const Instruction& transfer,
                                                                      const ProcessGrid& grid);

}  // namespace assay::runtime

#endif  // ASSAY_RUNTIME_PROCESS_GROUPS_H_
