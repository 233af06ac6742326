// Defects of collectives: groups, order, members left out.
#include <algorithm>

#include "conformance/mutants/defects.h"
#include "conformance/mutants/mutant.h"
#include "evaluator/ops/definition.h"
#include "spec/ir/device_lists.h"

namespace assay::conformance {
namespace {

using enum Opcode;

// Other groups; those written as an iota or a mesh are listed first.
Defect EditGroups(void (*edit)(DeviceGroups&)) {
  return Edit([edit](Instruction& x) {
    constexpr int64_t kMostDevices = 4096;
    absl::StatusOr<DeviceGroups> groups = ListGroups(x.replica_groups(), kMostDevices);
    if (!groups.ok()) return;
    edit(*groups);
    ReplicaGroups listed;
    listed.groups = *std::move(groups);
    AttributeValue value;
    Emplace<ReplicaGroups>(value) = listed;
    x.SetAttribute(Attr::kReplicaGroups, value);
  });
}

void Sorted(DeviceGroups& groups) {
  for (std::vector<int64_t>& group : groups) std::sort(group.begin(), group.end());
}
void Reversed(DeviceGroups& groups) {
  for (std::vector<int64_t>& group : groups) std::reverse(group.begin(), group.end());
}

int64_t NumberOf(const CustomCall& call) {
  return call.process.replica * call.grid.partitions + call.process.partition;
}

// Operand 0 of the process with the greatest number is zero.
Defect ForgetsLastMember() {
  return [](Site& site) -> Instruction* {
    const Instruction& x = site.original();
    std::vector<Instruction*> operands = site.operands();
    operands[0] = site.Call({operands[0]}, x.operand(0)->shape(),
                            [](const Instruction&, absl::Span<const Literal> values,
                               const CustomCall& call) -> absl::StatusOr<Literal> {
                              const bool last = NumberOf(call) + 1 == call.grid.count();
                              return last ? Literal::Zeros(values[0].shape()) : values[0];
                            });
    return site.Edited([&](Instruction& copy) { copy.set_operands(operands); });
  };
}

Defect EditPairs(void (*edit)(std::vector<std::vector<int64_t>>&)) {
  return Edit([edit](Instruction& x) {
    auto pairs = *x.attributes().Get<std::vector<std::vector<int64_t>>>(Attr::kSourceTargetPairs);
    edit(pairs);
    x.SetAttribute(Attr::kSourceTargetPairs, pairs);
  });
}

bool IsTarget(const Instruction& permute, int64_t device) {
  const auto* pairs =
      permute.attributes().Get<std::vector<std::vector<int64_t>>>(Attr::kSourceTargetPairs);
  return std::any_of(pairs->begin(), pairs->end(),
                     [&](const std::vector<int64_t>& pair) { return pair[1] == device; });
}

// The region's root is its maximum in the place of a sum.
Defect SumBecomesMaximum() {
  return [](Site& site) -> Instruction* {
    if (site.original().to_apply()->root()->opcode() != kAdd) return nullptr;
    Computation* region = site.EditedCallee(Attr::kToApply, [](Instruction&) {});
    auto maximum = std::make_unique<Instruction>(kMaximum, region->root()->shape());
    maximum->set_name("defect");
    maximum->set_operands(region->root()->operands());
    region->set_root(region->Add(std::move(maximum)));
    return site.Edited([&](Instruction& x) { x.SetAttribute(Attr::kToApply, region); });
  };
}

std::vector<Mutant> ReducingMutants() {
  return {
      {"all-reduce/last_member_forgotten",
       {kAllReduce, kAllReduceStart},
       "the ring ends one step early",
       ForgetsLastMember()},
      {"all-reduce/groups_ignored",
       {kAllReduce, kAllReduceStart},
       "all replicas are one group",
       EditGroups([](DeviceGroups& groups) { groups.clear(); })},
      {"all-reduce/own_value", {kAllReduce}, "every member keeps its own value", Forward(0)},
      {"all-reduce/sum_is_maximum",
       {kAllReduce, kAllReduceStart},
       "the reducer is taken for another",
       SumBecomesMaximum()},
      {"all-reduce/last_element_not_reduced",
       {kAllReduce},
       "the last element is the member's own",
       OnElements([](const ElementSite& e) {
         return e.position + 1 == e.instruction.shape().element_count() ? e.x[0] : e.golden;
       })},
      {"reduce-scatter/parts_in_order_of_replicas",
       {kReduceScatter},
       "parts go by number, not by place in the group",
       EditGroups(Sorted)},
      {"reduce-scatter/parts_reversed",
       {kReduceScatter},
       "the first member gets the last part",
       EditGroups(Reversed)},
      {"reduce-scatter/last_member_forgotten",
       {kReduceScatter},
       "the ring ends one step early",
       ForgetsLastMember()},
  };
}

std::vector<Mutant> MovingMutants() {
  return {
      {"all-gather/in_order_of_replicas",
       {kAllGather, kAllGatherStart},
       "parts stand by number, not by place in the group",
       EditGroups(Sorted)},
      {"all-gather/parts_reversed",
       {kAllGather, kAllGatherStart},
       "the last member's part comes first",
       EditGroups(Reversed)},
      {"all-gather/last_member_forgotten",
       {kAllGather, kAllGatherStart},
       "the part of the last member is zero",
       ForgetsLastMember()},
      {"all-to-all/nothing_exchanged",
       {kAllToAll},
       "every member keeps its own blocks",
       Forward(0)},
      {"all-to-all/in_order_of_replicas",
       {kAllToAll},
       "blocks go by number, not by place in the group",
       EditGroups(Sorted)},
      {"all-to-all/last_member_forgotten",
       {kAllToAll},
       "the blocks of the last member are zero",
       ForgetsLastMember()},
      {"collective-permute/pairs_exchanged",
       {kCollectivePermute, kCollectivePermuteStart},
       "sources and targets are exchanged",
       EditPairs([](std::vector<std::vector<int64_t>>& pairs) {
         for (std::vector<int64_t>& pair : pairs) std::swap(pair[0], pair[1]);
       })},
      {"collective-permute/last_pair_lost",
       {kCollectivePermute, kCollectivePermuteStart},
       "the last pair does not send",
       EditPairs([](std::vector<std::vector<int64_t>>& pairs) { pairs.pop_back(); })},
      {"collective-permute/without_source_keeps",
       {kCollectivePermute},
       "a device without a source keeps its own value instead of getting zeros",
       OnResult([](const Instruction& x, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall& call) {
         if (!IsTarget(x, NumberOf(call))) leaves->front() = operands[0];
       })},
      {"collective-broadcast/from_last_member",
       {kCollectiveBroadcast},
       "the last member of a group is its root",
       EditGroups(Reversed)},
      {"collective-broadcast/not_to_last_member",
       {kCollectiveBroadcast},
       "the last member gets zeros",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall& call) {
         if (NumberOf(call) + 1 == call.grid.count()) {
           leaves->front() = Literal::Zeros(leaves->front().shape());
         }
       })},
      {"ragged-all-to-all/last_row_lost",
       {kRaggedAllToAll},
       "the last row of a transfer is not sent",
       OnResult([](const Instruction&, absl::Span<const Literal> operands,
                   std::vector<Literal>* leaves, const CustomCall&) {
         Literal& out = leaves->front();
         for (int64_t i = out.element_count() - 1; i >= 0; --i) {
           if (out.Get(i) == operands[1].Get(i)) continue;
           out.Set(i, operands[1].Get(i));
           return;
         }
       })},
      {"ragged-all-to-all/output_cleared",
       {kRaggedAllToAll},
       "rows that no device sends become zero",
       OnOperand(1, [](ElementType, Element) { return Element{}; })},
      {"replica-id/counts_from_one",
       {kReplicaId},
       "ids are those of MPI ranks plus one",
       OnElements([](const ElementSite& e) {
         return Element{e.golden.bits + 1, 0};
       })},
      {"partition-id/is_replica_id",
       {kPartitionId},
       "the number of the replica is returned",
       OnResult([](const Instruction&, absl::Span<const Literal>, std::vector<Literal>* leaves,
                   const CustomCall& call) {
         leaves->front().Set(0, {static_cast<uint64_t>(call.process.replica), 0});
       })},
  };
}

}  // namespace

std::vector<Mutant> CollectiveMutants() { return Joined({ReducingMutants, MovingMutants}); }

}  // namespace assay::conformance
