// Rows of collectives, in the grid of the program's header.
#include <algorithm>
#include <numeric>

#include "fuzz/programs/regions.h"
#include "fuzz/programs/writer.h"
#include "spec/ops/collective_groups.h"

namespace assay::fuzz {
namespace {

// Who takes part, and how many devices each group has.
struct Groups {
  ReplicaGroups groups;
  int64_t channel = 0;  // 0: none
  bool use_global_device_ids = false;
  int64_t members = 1;
  int64_t ids = 1;  // that there are
};

void SetGroups(const Groups& groups, Instruction* op) {
  AttributeValue written;
  Emplace<ReplicaGroups>(written) = groups.groups;
  op->SetAttribute(Attr::kReplicaGroups, std::move(written));
  if (groups.channel > 0) op->SetAttribute(Attr::kChannelId, groups.channel);
  if (groups.use_global_device_ids) op->SetAttribute(Attr::kUseGlobalDeviceIds, true);
}

// The number of ids by channel and flag, and of devices that an id of a group stands for.
struct IdSpace {
  int64_t ids, per_id;
};
IdSpace SpaceOf(const Module& module, Opcode opcode, int64_t channel, bool global) {
  Instruction probe(opcode, Shape());
  if (channel > 0) probe.SetAttribute(Attr::kChannelId, channel);
  if (global) probe.SetAttribute(Attr::kUseGlobalDeviceIds, true);
  const GroupMode mode = GroupModeOf(probe);
  return {IdCount(mode, module.replica_count, module.num_partitions),
          ProcessesPerId(mode, module.num_partitions)};
}

Groups AnyGroups(ProgramWriter& w, Opcode opcode) {
  Groups result;
  const bool may_be_global = Info(opcode).FindAttribute(Attr::kUseGlobalDeviceIds) != nullptr;
  if (w.choices().OneIn(2)) result.channel = w.NewChannel();
  result.use_global_device_ids = may_be_global && result.channel > 0 && w.choices().OneIn(2);
  const IdSpace space = SpaceOf(w.module(), opcode, result.channel, result.use_global_device_ids);
  result.ids = space.ids;
  std::vector<int64_t> divisors;
  for (int64_t d = space.ids; d >= 1; --d) {
    if (space.ids % d == 0) divisors.push_back(d);
  }
  const int64_t size = w.choices().Of(divisors);
  result.members = size * space.per_id;
  const int64_t form = w.choices().Below(3);
  if (form == 0 && size == space.ids && !result.use_global_device_ids &&
      opcode != Opcode::kCollectiveBroadcast) {
    return result;  // {}: one group of all
  }
  if (form == 1) {
    result.groups.form = ReplicaGroups::Form::kIota;
    result.groups.group_count = space.ids / size;
    result.groups.group_size = size;
    result.groups.iota_reshape_dims = {space.ids / size, size};
    result.groups.iota_transpose_perm = {0, 1};
    if (w.choices().OneIn(2)) {
      result.groups.iota_reshape_dims = {size, space.ids / size};
      result.groups.iota_transpose_perm = {1, 0};
    }
    CanonicalizeIota(&result.groups.iota_reshape_dims, &result.groups.iota_transpose_perm);
    return result;
  }
  std::vector<int64_t> ids(space.ids);
  std::iota(ids.begin(), ids.end(), 0);
  for (int64_t k = space.ids - 1; k > 0; --k) std::swap(ids[k], ids[w.choices().Below(k + 1)]);
  for (int64_t k = 0; k < space.ids; k += size) {
    result.groups.groups.emplace_back(ids.begin() + k, ids.begin() + k + size);
  }
  return result;
}

// An array whose size in some dimension is a multiple of `by`; the dimension.
Instruction* Divisible(ProgramWriter& w, Opcode opcode, int64_t by, int64_t* dimension) {
  Instruction* const x = w.ArrayFor(opcode, 1);
  Dimensions sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  *dimension = w.choices().Below(x->shape().rank());
  if (sizes[*dimension] % by == 0) return x;
  sizes[*dimension] = by * w.choices().Between(1, 2);
  return w.ArrayOf(x->shape().element_type(), sizes);
}

void FinishReducing(ProgramWriter& w, std::unique_ptr<Instruction> op, ElementType type,
                    const Groups& groups) {
  op->SetAttribute(Attr::kToApply, WriteReducer(w, {type}, {type}, ReducerUse::kCollective));
  SetGroups(groups, op.get());
  if (w.constrains_layouts() && op->info().FindAttribute(Attr::kConstrainLayout) != nullptr) {
    op->SetAttribute(Attr::kConstrainLayout, true);
  }
  const bool starts = op->opcode() == Opcode::kAllReduceStart;
  if (!starts) {
    w.Finish(std::move(op));
    return;
  }
  Instruction* const started = w.AddHidden(std::move(op));
  if (started != nullptr) w.AddDone(Opcode::kAllReduceDone, started, started->shape());
}

}  // namespace

void WriteDeviceId(ProgramWriter& w, Opcode opcode) { w.Add(opcode, {}); }

void WriteAllReduce(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  std::vector<Instruction*> operands = {x};
  if (w.choices().OneIn(4)) {
    operands.push_back(w.ArrayOf(x->shape().element_type(), w.AnySizes(0, 3, 64)));
  }
  const Groups groups = AnyGroups(w, opcode);
  FinishReducing(w, w.Start(opcode, operands), x->shape().element_type(), groups);
}

void WriteReduceScatter(ProgramWriter& w, Opcode opcode) {
  const Groups groups = AnyGroups(w, opcode);
  int64_t dimension = 0;
  Instruction* const x = Divisible(w, opcode, groups.members, &dimension);
  Shape result = x->shape();
  result.set_dimension(dimension, result.dimension(dimension) / groups.members);
  auto made = w.Start(opcode, {x}, result);
  made->SetAttribute(Attr::kDimension, dimension);
  FinishReducing(w, std::move(made), x->shape().element_type(), groups);
}

void WriteAllGather(ProgramWriter& w, Opcode opcode) {
  const Groups groups = AnyGroups(w, opcode);
  Instruction* const x = w.ArrayFor(opcode, 1);
  const int64_t dimension = w.choices().Below(x->shape().rank());
  Shape result = x->shape();
  result.set_dimension(dimension, result.dimension(dimension) * groups.members);
  const bool starts = opcode == Opcode::kAllGatherStart;
  if (!starts && w.choices().OneIn(4)) {  // several arrays at once
    const ElementType type = w.AnyType(w.grammar().TypesOf(opcode));
    Instruction* const y = w.ArrayOf(type, x->shape().dimensions());
    const Shape other(type, result.dimensions());
    auto both = w.Start(opcode, {x, y}, Shape::Tuple({result, other}));
    both->SetAttribute(Attr::kDimension, dimension);
    SetGroups(groups, both.get());
    w.Finish(std::move(both));
    return;
  }
  auto made = w.Start(opcode, {x}, starts ? Shape::Tuple({x->shape(), result}) : result);
  made->SetAttribute(Attr::kDimension, dimension);
  SetGroups(groups, made.get());
  if (!starts) {
    w.Finish(std::move(made));
    return;
  }
  Instruction* const started = w.AddHidden(std::move(made));
  if (started != nullptr) w.AddDone(Opcode::kAllGatherDone, started, result);
}

void WriteAllToAll(ProgramWriter& w, Opcode opcode) {
  const Groups groups = AnyGroups(w, opcode);
  if (w.choices().OneIn(2)) {
    Instruction* const x = w.ArrayFor(opcode);
    std::vector<Instruction*> operands = {x};
    while (static_cast<int64_t>(operands.size()) < groups.members) {
      // All must have one layout, which the results of some operations have.
      Instruction* const other = w.LikeArray(x);
      operands.push_back(other->shape().layout() == x->shape().layout() ? other : x);
    }
    std::vector<Shape> shapes(operands.size(),
                              Shape(x->shape().element_type(), x->shape().dimensions()));
    auto made = w.Start(opcode, operands, Shape::Tuple(std::move(shapes)));
    SetGroups(groups, made.get());
    w.Finish(std::move(made));
    return;
  }
  int64_t dimension = 0;
  Instruction* const x = Divisible(w, opcode, groups.members, &dimension);
  auto made = w.Start(opcode, {x}, x->shape());
  made->SetAttribute(Attr::kDimension, dimension);
  SetGroups(groups, made.get());
  w.Finish(std::move(made));
}

void WriteCollectiveBroadcast(ProgramWriter& w, Opcode opcode) {
  const Groups groups = AnyGroups(w, opcode);
  Instruction* const x = w.ArrayFor(opcode);
  auto made = w.Start(opcode, {x}, x->shape());
  SetGroups(groups, made.get());
  w.Finish(std::move(made));
}

void WriteCollectivePermute(ProgramWriter& w, Opcode opcode) {
  Instruction* const x = w.ArrayFor(opcode);
  const int64_t channel = w.choices().OneIn(2) ? w.NewChannel() : 0;
  const IdSpace space = SpaceOf(w.module(), opcode, channel, false);
  std::vector<int64_t> targets(space.ids);
  std::iota(targets.begin(), targets.end(), 0);
  for (int64_t k = space.ids - 1; k > 0; --k) {
    std::swap(targets[k], targets[w.choices().Below(k + 1)]);
  }
  std::vector<std::vector<int64_t>> pairs;
  for (int64_t k = 0; k < space.ids; ++k) {
    if (!w.choices().OneIn(4)) pairs.push_back({k, targets[k]});
  }
  const bool starts = opcode == Opcode::kCollectivePermuteStart;
  auto made = w.Start(opcode, {x}, starts ? Shape::Tuple({x->shape(), x->shape()}) : x->shape());
  made->SetAttribute(Attr::kSourceTargetPairs, pairs);
  if (channel > 0) made->SetAttribute(Attr::kChannelId, channel);
  if (!starts) {
    w.Finish(std::move(made));
    return;
  }
  Instruction* const started = w.AddHidden(std::move(made));
  if (started != nullptr) w.AddDone(Opcode::kCollectivePermuteDone, started, x->shape());
}

// All replicas, or with a channel all partitions, in their order: each sends `size` rows to each,
// which go behind those of the ones before it.
void WriteRaggedAllToAll(ProgramWriter& w, Opcode opcode) {
  Groups groups;
  if (w.choices().OneIn(2)) groups.channel = w.NewChannel();
  const bool partitions = groups.channel > 0;
  const int64_t members = partitions ? w.module().num_partitions : w.module().replica_count;
  const int64_t size = w.choices().Below(3);
  const ElementType type = w.AnyType(w.grammar().TypesOf(opcode));
  Dimensions sizes = w.AnySizes(1, 3, 64);
  sizes[0] = std::max<int64_t>(1, members * size + w.choices().Below(2));
  Instruction* const input = w.ArrayOf(type, sizes);
  Instruction* const output = w.ArrayOf(type, sizes);
  std::vector<int64_t> offsets(members), counts(members, size);
  for (int64_t k = 0; k < members; ++k) offsets[k] = k * size;
  const ElementType index = w.choices().OneIn(2) ? ElementType::kS64 : ElementType::kS32;
  Instruction* const input_offsets = w.IntegerConstant(index, {members}, offsets);
  Instruction* const send_sizes = w.IntegerConstant(index, {members}, counts);
  Instruction* const id = w.Add(partitions ? Opcode::kPartitionId : Opcode::kReplicaId, {});
  if (id == nullptr) return;
  Instruction* const number = w.Add(Opcode::kConvert, {id}, Shape::Scalar(index));
  if (number == nullptr) return;
  Instruction* const first =
      w.Add(Opcode::kMultiply, {number, w.IntegerConstant(index, {}, {size})});
  if (first == nullptr) return;
  auto spread = w.Start(Opcode::kBroadcast, {first}, Shape(index, {members}));
  spread->SetAttribute(Attr::kDimensions, std::vector<int64_t>());
  Instruction* const output_offsets = w.Finish(std::move(spread));
  if (output_offsets == nullptr) return;
  Instruction* const receive_sizes = w.IntegerConstant(index, {members}, counts);
  auto made =
      w.Start(opcode, {input, output, input_offsets, send_sizes, output_offsets, receive_sizes},
              output->shape());
  if (w.choices().OneIn(2)) {
    std::vector<int64_t>& all = groups.groups.groups.emplace_back(members);
    std::iota(all.begin(), all.end(), 0);
  }
  SetGroups(groups, made.get());
  w.Finish(std::move(made));
}

}  // namespace assay::fuzz
