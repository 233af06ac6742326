// Operations between replicas and partitions. Without groups there is one group of all, except that
// AllToAll builds the group 0, ..., split_count - 1, as XLA's builder does. Groups are checked at
// once: none is empty, and no id is negative or comes twice.
// Source: seeds 000, 003; reference ops_control_and_collectives.md 7. Tests:
// builder_clauses_test.cc, conformance/seeds.
#ifndef ASSAY_SPEC_BUILDER_COLLECTIVE_H_
#define ASSAY_SPEC_BUILDER_COLLECTIVE_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "spec/builder/builder.h"

namespace assay {

using ReplicaGroupLists = std::vector<std::vector<int64_t>>;
using ChannelId = std::optional<int64_t>;

// shard_count is the size of each group.
Op AllGather(Op operand, int64_t all_gather_dimension, int64_t shard_count,
             const ReplicaGroupLists& replica_groups = {}, ChannelId channel_id = std::nullopt,
             const std::optional<Layout>& layout = std::nullopt, bool use_global_device_ids = false,
             CallSite site = CallSite::Current());
// A tuple of arrays of one element type is reduced element by element, and gives a tuple.
Op AllReduce(Op operand, const Callee& computation, const ReplicaGroupLists& replica_groups = {},
             ChannelId channel_id = std::nullopt,
             const std::optional<Shape>& shape_with_layout = std::nullopt,
             bool use_global_device_ids = false, CallSite site = CallSite::Current());
// The sum over replicas (of pred: or). Takes tuples as AllReduce does.
Op CrossReplicaSum(Op operand, const ReplicaGroupLists& replica_groups = {},
                   CallSite site = CallSite::Current());
// Splits the operand along split_dimension into split_count parts, hands part i to member i of the
// group and concatenates what comes in along concat_dimension. split_count is the size of each
// group.
Op AllToAll(Op operand, int64_t split_dimension, int64_t concat_dimension, int64_t split_count,
            const ReplicaGroupLists& replica_groups = {},
            const std::optional<Layout>& layout = std::nullopt, ChannelId channel_id = std::nullopt,
            CallSite site = CallSite::Current());
// The argument order of the document; HLO has the output second.
Op RaggedAllToAll(Op input, Op input_offsets, Op send_sizes, Op output, Op output_offsets,
                  Op recv_sizes, const ReplicaGroupLists& replica_groups = {},
                  ChannelId channel_id = std::nullopt, CallSite site = CallSite::Current());
Op CollectiveBroadcast(Op operand, const ReplicaGroupLists& replica_groups = {},
                       ChannelId channel_id = std::nullopt, CallSite site = CallSite::Current());
// `inplace` says where the result may be stored, for which HLO has no word: the value is the same.
Op CollectivePermute(Op operand, absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
                     ChannelId channel_id = std::nullopt, bool inplace = false,
                     CallSite site = CallSite::Current());
// Of slices: those that arrive are put into `output`, the rest of which stays. A tuple of indices
// says where a slice begins, a list of sizes for each how large it is.
Op CollectivePermute(Op input, Op output, Op input_starts, Op output_starts,
                     absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
                     const std::vector<std::vector<int64_t>>& slice_sizes,
                     ChannelId channel_id = std::nullopt, CallSite site = CallSite::Current());
// Takes tuples as AllReduce does. shard_count is the size of each group.
Op ReduceScatter(Op operand, const Callee& computation, int64_t scatter_dimension,
                 int64_t shard_count, const ReplicaGroupLists& replica_groups = {},
                 ChannelId channel_id = std::nullopt,
                 const std::optional<Layout>& layout = std::nullopt,
                 bool use_global_device_ids = false, CallSite site = CallSite::Current());

Op ReplicaId(Builder* builder, CallSite site = CallSite::Current());
// `shape` is u32[].
Op PartitionID(Builder* builder, const Shape& shape, CallSite site = CallSite::Current());
Op BuildPartitionId(Builder* builder, const Shape& shape, CallSite site = CallSite::Current());

}  // namespace assay

#endif  // ASSAY_SPEC_BUILDER_COLLECTIVE_H_
