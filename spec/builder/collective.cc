// What these functions demand beyond the rules of the operations that they make (spec/ops). Tests:
// builder_clauses_test.cc.
//   all_gather_c1 the dimension is in range, shards are 1 or more and add up within 63 bits
//   layout_c1 a shape with layout is that of the operand
//   cross_replica_sum_2017_c1 in 2017 a sum is over all replicas
//   all_to_all_c3 dimensions are in range, the parts 1 to 2^24, which divide the size
//   reduce_scatter_c1 the dimension is in range, shards are 1 or more, which divide the size
//   partition_id_c1 a partition id is u32[]
//   builder_group_c1 replica groups are not empty, no id is negative, and none comes twice
//   builder_group_c2 shard_count or split_count is the size of each group
//   reduced_tuple_c1 a tuple to be reduced has elements, all of them arrays of one element type
#include "spec/builder/collective.h"

#include "absl/container/flat_hash_set.h"
#include "spec/builder/elementwise.h"
#include "spec/builder/maker.h"

namespace assay {

using builder_internal::AttributeList;
using builder_internal::Maker;

namespace {

// Refuses groups that are none. `members` is the size that each group must have; 0: any.
bool CheckGroups(Maker& maker, const ReplicaGroupLists& groups, int64_t members = 0) {
  if (!maker.ok()) return false;
  absl::flat_hash_set<int64_t> seen;
  for (const std::vector<int64_t>& group : groups) {
    if (group.empty()) {
      maker.Fail("builder_group_c1", "a replica group must not be empty");
      return false;
    }
    for (int64_t id : group) {
      if (id >= 0 && seen.insert(id).second) continue;
      maker.Fail("builder_group_c1",
                 absl::StrCat("ids of replica groups must not be negative, nor come twice, found ",
                              id, id < 0 ? "" : " again"));
      return false;
    }
    if (members > 0 && static_cast<int64_t>(group.size()) != members) {
      maker.Fail("builder_group_c2", absl::StrCat("each group must have ", members,
                                                  " members, found ", ListText(group)));
      return false;
    }
  }
  return true;
}

// What is reduced: the operand, or the elements of a tuple. Empty after an error.
std::vector<Op> Reduced(Maker& maker, const Op& operand) {
  if (!maker.ok()) return {};
  const Shape shape = maker.ShapeOf(operand);
  if (!shape.is_tuple()) return {operand};
  const auto& elements = shape.tuple_shapes();
  bool sound = !elements.empty();
  for (const Shape& element : elements) {
    sound = sound && element.is_array() && element.element_type() == elements[0].element_type();
  }
  if (!sound) {
    maker.Fail("reduced_tuple_c1",
               absl::StrCat("a tuple to be reduced must have elements, arrays of one element type, "
                            "found ",
                            shape.ToString()));
    return {};
  }
  std::vector<Op> operands;
  for (int64_t i = 0; i < static_cast<int64_t>(elements.size()); ++i) {
    operands.push_back(maker.Make(Opcode::kGetTupleElement, {operand}, {{Attr::kIndex, i}}));
  }
  return operands;
}

// A tuple gives a tuple, of one element too.
Op LikeReduced(Maker& maker, const Op& operand, const Op& result) {
  if (!maker.ok() || !maker.ShapeOf(operand).is_tuple() || maker.ShapeOf(result).is_tuple()) {
    return result;
  }
  return maker.Make(Opcode::kTuple, {result});
}

AttributeList Common(const ReplicaGroupLists& replica_groups, ChannelId channel_id) {
  ReplicaGroups groups;
  groups.groups = replica_groups;
  AttributeList attributes = {{Attr::kReplicaGroups, std::move(groups)}};
  if (channel_id) attributes.emplace_back(Attr::kChannelId, *channel_id);
  return attributes;
}

AttributeList PairAttributes(absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
                             ChannelId channel_id) {
  std::vector<std::vector<int64_t>> pairs;
  for (const auto& [source, target] : source_target_pairs) pairs.push_back({source, target});
  AttributeList attributes = {{Attr::kSourceTargetPairs, std::move(pairs)}};
  if (channel_id) attributes.emplace_back(Attr::kChannelId, *channel_id);
  return attributes;
}

// The operand's shape with another size; an empty shape after an error.
Shape Resized(Maker& maker, const Op& operand, int64_t dimension, int64_t size) {
  Shape shape = maker.ShapeOf(operand);
  shape.set_dimension(dimension, size);
  shape.set_layout(std::nullopt);
  return shape;
}

// Gives the result the layout that is asked for, and holds the operation to it.
void Constrain(Maker& maker, const Op& op, const std::optional<Layout>& layout) {
  if (!maker.ok() || !layout) return;
  Instruction* instruction = maker.instruction(op);
  Shape shape = instruction->shape();
  shape.set_layout(layout);
  instruction->set_shape(shape);
  instruction->SetAttribute(Attr::kConstrainLayout, true);
}

// Likewise with the layouts that a shape has: of an array, or of each element of a tuple.
void ConstrainLeaves(Maker& maker, const Op& op, const Shape& layouts) {
  const Shape& made = maker.ShapeOf(op);
  if (!layouts.is_tuple()) return Constrain(maker, op, layouts.layout());
  if (!made.is_tuple()) return Constrain(maker, op, layouts.tuple_shape(0).layout());
  std::vector<Shape> elements;
  bool any = false;
  for (size_t i = 0; i < made.tuple_shapes().size(); ++i) {
    Shape& element = elements.emplace_back(made.tuple_shape(i));
    if (!layouts.tuple_shape(i).has_layout()) continue;
    any = true;
    element.set_layout(layouts.tuple_shape(i).layout());
  }
  if (!any) return;
  maker.instruction(op)->set_shape(Shape::Tuple(std::move(elements)));
  maker.instruction(op)->SetAttribute(Attr::kConstrainLayout, true);
}

Op Sum(absl::Span<const Op> p, CallSite site) { return Add(p[0], p[1], {}, site); }
Op Either(absl::Span<const Op> p, CallSite site) { return Or(p[0], p[1], {}, site); }

}  // namespace

Op AllGather(Op operand, int64_t all_gather_dimension, int64_t shard_count,
             const ReplicaGroupLists& replica_groups, ChannelId channel_id,
             const std::optional<Layout>& layout, bool use_global_device_ids, CallSite site) {
  Maker maker("AllGather", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& shape = maker.ShapeOf(operand);
  int64_t size = 0;
  ASSAY_MAKER_REQUIRE(
      maker, "all_gather_c1",
      all_gather_dimension >= 0 && all_gather_dimension < shape.rank() && shard_count >= 1 &&
          !__builtin_mul_overflow(shape.dimension(all_gather_dimension), shard_count, &size),
      "cannot gather ", shard_count, " shards of ", shape.ToString(), " along dimension ",
      all_gather_dimension);
  if (!CheckGroups(maker, replica_groups, shard_count)) return maker.Wrap(nullptr);
  AttributeList attributes = Common(replica_groups, channel_id);
  attributes.emplace_back(Attr::kDimension, all_gather_dimension);
  attributes.emplace_back(Attr::kUseGlobalDeviceIds, use_global_device_ids);
  const Op result = maker.Make(Opcode::kAllGather, {operand}, std::move(attributes),
                               Resized(maker, operand, all_gather_dimension, size));
  Constrain(maker, result, layout);
  return result;
}

Op AllReduce(Op operand, const Callee& computation, const ReplicaGroupLists& replica_groups,
             ChannelId channel_id, const std::optional<Shape>& shape_with_layout,
             bool use_global_device_ids, CallSite site) {
  Maker maker("AllReduce", site, {operand});
  Computation* reducer = maker.Import(computation);
  if (!CheckGroups(maker, replica_groups)) return maker.Wrap(nullptr);
  AttributeList attributes = Common(replica_groups, channel_id);
  attributes.emplace_back(Attr::kUseGlobalDeviceIds, use_global_device_ids);
  const Op result = maker.Make(Opcode::kAllReduce, Reduced(maker, operand), std::move(attributes),
                               Shape(), {{Attr::kToApply, reducer}});
  if (maker.ok() && shape_with_layout) {
    const Shape& wanted = maker.ShapeOf(operand);
    ASSAY_MAKER_REQUIRE(maker, "layout_c1", Shape::Compatible(*shape_with_layout, wanted),
                        "the shape with layout is ", shape_with_layout->ToString(),
                        ", but the operand ", wanted.ToString());
    ConstrainLeaves(maker, result, *shape_with_layout);
  }
  return LikeReduced(maker, operand, result);
}

Op CrossReplicaSum(Op operand, const ReplicaGroupLists& replica_groups, CallSite site) {
  Maker maker("CrossReplicaSum", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  ASSAY_MAKER_REQUIRE(maker, "cross_replica_sum_2017_c1",
                      maker.semantics() == Semantics::kToday || replica_groups.empty(),
                      "in 2017 a sum is over all replicas");
  const std::vector<Op> operands = Reduced(maker, operand);
  if (!CheckGroups(maker, replica_groups)) return maker.Wrap(nullptr);
  const ElementType type = maker.ShapeOf(operands[0]).element_type();
  const Shape scalar = Shape::Scalar(type);
  Computation* reducer =
      maker.Import(maker.SubComputation("sum", {scalar, scalar}, IsPred(type) ? &Either : &Sum));
  const Op result = maker.Make(Opcode::kAllReduce, operands, Common(replica_groups, std::nullopt),
                               Shape(), {{Attr::kToApply, reducer}});
  return LikeReduced(maker, operand, result);
}

namespace {

// all-to-all leaves the parts where they were cut: [.., parts, ..] is moved behind and merged.
Op MergeParts(Maker& maker, const Op& exchanged, int64_t split_dimension, int64_t concat_dimension,
              int64_t split_count) {
  if (!maker.ok()) return exchanged;
  const Shape shape = maker.ShapeOf(exchanged);
  std::vector<int64_t> cut = builder_internal::ToVector(shape.dimensions());
  cut[split_dimension] /= split_count;
  std::vector<int64_t> merged = cut;
  merged[concat_dimension] *= split_count;
  cut.insert(cut.begin() + split_dimension, split_count);
  // Which dimension of the cut array each one becomes: the parts stand before concat_dimension.
  std::vector<int64_t> order;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d == concat_dimension) order.push_back(split_dimension);
    order.push_back(d < split_dimension ? d : d + 1);
  }
  const ElementType type = shape.element_type();
  const Op parts = maker.Make(Opcode::kReshape, {exchanged}, {}, Shape(type, cut));
  const Op moved = maker.Make(Opcode::kTranspose, {parts}, {{Attr::kDimensions, order}});
  return maker.Make(Opcode::kReshape, {moved}, {}, Shape(type, merged));
}

}  // namespace

Op AllToAll(Op operand, int64_t split_dimension, int64_t concat_dimension, int64_t split_count,
            const ReplicaGroupLists& replica_groups, const std::optional<Layout>& layout,
            ChannelId channel_id, CallSite site) {
  Maker maker("AllToAll", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& shape = maker.ShapeOf(operand);
  const auto exists = [&](int64_t d) { return d >= 0 && d < shape.rank(); };
  int64_t unused;
  ASSAY_MAKER_REQUIRE(
      maker, "all_to_all_c3",
      exists(split_dimension) && exists(concat_dimension) && split_count >= 1 &&
          split_count <= int64_t{1} << 24 && shape.dimension(split_dimension) % split_count == 0 &&
          !__builtin_mul_overflow(shape.dimension(concat_dimension), split_count, &unused),
      "cannot split dimension ", split_dimension, " of ", shape.ToString(), " into ", split_count,
      " parts and join them along ", concat_dimension);
  if (!CheckGroups(maker, replica_groups, split_count)) return maker.Wrap(nullptr);
  const ReplicaGroupLists all = {builder_internal::Counting(split_count)};
  AttributeList attributes = Common(replica_groups.empty() ? all : replica_groups, channel_id);
  attributes.emplace_back(Attr::kDimension, split_dimension);
  Op result = maker.Make(Opcode::kAllToAll, {operand}, std::move(attributes));
  Constrain(maker, result, layout);
  if (split_dimension == concat_dimension) return result;
  return MergeParts(maker, result, split_dimension, concat_dimension, split_count);
}

Op RaggedAllToAll(Op input, Op input_offsets, Op send_sizes, Op output, Op output_offsets,
                  Op recv_sizes, const ReplicaGroupLists& replica_groups, ChannelId channel_id,
                  CallSite site) {
  const Op all[] = {input, output, input_offsets, send_sizes, output_offsets, recv_sizes};
  Maker maker("RaggedAllToAll", site, all);
  if (!CheckGroups(maker, replica_groups)) return maker.Wrap(nullptr);
  return maker.Make(Opcode::kRaggedAllToAll, all, Common(replica_groups, channel_id));
}

Op CollectiveBroadcast(Op operand, const ReplicaGroupLists& replica_groups, ChannelId channel_id,
                       CallSite site) {
  Maker maker("CollectiveBroadcast", site, {operand});
  if (!CheckGroups(maker, replica_groups)) return maker.Wrap(nullptr);
  return maker.Make(Opcode::kCollectiveBroadcast, {operand}, Common(replica_groups, channel_id));
}

Op CollectivePermute(Op operand, absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
                     ChannelId channel_id, bool /*inplace*/, CallSite site) {
  Maker maker("CollectivePermute", site, {operand});
  return maker.Make(Opcode::kCollectivePermute, {operand},
                    PairAttributes(source_target_pairs, channel_id));
}

Op CollectivePermute(Op input, Op output, Op input_starts, Op output_starts,
                     absl::Span<const std::pair<int64_t, int64_t>> source_target_pairs,
                     const std::vector<std::vector<int64_t>>& slice_sizes, ChannelId channel_id,
                     CallSite site) {
  const Op all[] = {input, output, input_starts, output_starts};
  Maker maker("CollectivePermute", site, all);
  AttributeList attributes = PairAttributes(source_target_pairs, channel_id);
  attributes.emplace_back(Attr::kSliceSizesList, slice_sizes);
  return maker.Make(Opcode::kCollectivePermute, all, std::move(attributes));
}

Op ReduceScatter(Op operand, const Callee& computation, int64_t scatter_dimension,
                 int64_t shard_count, const ReplicaGroupLists& replica_groups, ChannelId channel_id,
                 const std::optional<Layout>& layout, bool use_global_device_ids, CallSite site) {
  Maker maker("ReduceScatter", site, {operand});
  Computation* reducer = maker.Import(computation);
  const std::vector<Op> operands = Reduced(maker, operand);
  std::vector<Shape> scattered;
  for (const Op& array : operands) {
    const Shape& shape = maker.ShapeOf(array);
    ASSAY_MAKER_REQUIRE(maker, "reduce_scatter_c1",
                        scatter_dimension >= 0 && scatter_dimension < shape.rank() &&
                            shard_count >= 1 &&
                            shape.dimension(scatter_dimension) % shard_count == 0,
                        "cannot scatter ", shape.ToString(), " along dimension ", scatter_dimension,
                        " in ", shard_count, " shards");
    scattered.push_back(
        Resized(maker, array, scatter_dimension, shape.dimension(scatter_dimension) / shard_count));
  }
  if (!CheckGroups(maker, replica_groups, shard_count)) return maker.Wrap(nullptr);
  AttributeList attributes = Common(replica_groups, channel_id);
  attributes.emplace_back(Attr::kDimension, scatter_dimension);
  attributes.emplace_back(Attr::kUseGlobalDeviceIds, use_global_device_ids);
  const Op result =
      maker.Make(Opcode::kReduceScatter, operands, std::move(attributes),
                 operands.size() == 1 ? scattered[0] : Shape::Tuple(std::move(scattered)),
                 {{Attr::kToApply, reducer}});
  // A layout is that of one array.
  ASSAY_MAKER_REQUIRE(maker, "layout_c1", !layout || !maker.ShapeOf(operand).is_tuple(),
                      "a layout is that of an array, but the operand is ",
                      maker.ShapeOf(operand).ToString());
  Constrain(maker, result, layout);
  return LikeReduced(maker, operand, result);
}

Op ReplicaId(Builder* builder, CallSite site) {
  return Maker("ReplicaId", site, {}, builder).Make(Opcode::kReplicaId, {});
}

Op PartitionID(Builder* builder, const Shape& shape, CallSite site) {
  Maker maker("PartitionID", site, {}, builder);
  ASSAY_MAKER_REQUIRE(maker, "partition_id_c1",
                      shape.is_scalar() && shape.element_type() == ElementType::kU32,
                      "a partition id is u32[], found ", shape.ToString());
  return maker.Make(Opcode::kPartitionId, {}, {}, shape);
}

Op BuildPartitionId(Builder* builder, const Shape& shape, CallSite site) {
  return PartitionID(builder, shape, site);
}

}  // namespace assay
