// What these functions demand beyond the rules of the operations that they make (spec/ops). Tests:
// builder_clauses_test.cc.
//   all_gather_c1 the dimension is in range, shards are 1 or more and add up within 63 bits
//   layout_c1 a shape with layout is that of the operand
//   cross_replica_sum_2017_c1 in 2017 a sum is over all replicas
//   all_to_all_c3 dimensions are in range, the parts 1 or more, which divide the size
//   reduce_scatter_c1 the dimension is in range, shards are 1 or more, which divide the size
//   partition_id_c1 a partition id is u32[]
#include "spec/builder/collective.h"

#include "spec/builder/elementwise.h"
#include "spec/builder/maker.h"

namespace assay {

using builder_internal::AttributeList;
using builder_internal::Maker;

namespace {

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
  AttributeList attributes = Common(replica_groups, channel_id);
  attributes.emplace_back(Attr::kUseGlobalDeviceIds, use_global_device_ids);
  const Op result = maker.Make(Opcode::kAllReduce, {operand}, std::move(attributes), Shape(),
                               {{Attr::kToApply, reducer}});
  if (maker.ok() && shape_with_layout) {
    ASSAY_MAKER_REQUIRE(maker, "layout_c1",
                        Shape::Compatible(*shape_with_layout, maker.ShapeOf(result)),
                        "the shape with layout is ", shape_with_layout->ToString(),
                        ", but the operand ", maker.ShapeOf(result).ToString());
    Constrain(maker, result, shape_with_layout->layout());
  }
  return result;
}

Op CrossReplicaSum(Op operand, const ReplicaGroupLists& replica_groups, CallSite site) {
  Maker maker("CrossReplicaSum", site, {operand});
  if (!maker.ok()) return maker.Wrap(nullptr);
  ASSAY_MAKER_REQUIRE(maker, "cross_replica_sum_2017_c1",
                      maker.semantics() == Semantics::kToday || replica_groups.empty(),
                      "in 2017 a sum is over all replicas");
  const ElementType type = maker.ShapeOf(operand).element_type();
  const Shape scalar = Shape::Scalar(type);
  Computation* reducer =
      maker.Import(maker.SubComputation("sum", {scalar, scalar}, IsPred(type) ? &Either : &Sum));
  return maker.Make(Opcode::kAllReduce, {operand}, Common(replica_groups, std::nullopt), Shape(),
                    {{Attr::kToApply, reducer}});
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
          shape.dimension(split_dimension) % split_count == 0 &&
          !__builtin_mul_overflow(shape.dimension(concat_dimension), split_count, &unused),
      "cannot split dimension ", split_dimension, " of ", shape.ToString(), " into ", split_count,
      " parts and join them along ", concat_dimension);
  AttributeList attributes = Common(replica_groups, channel_id);
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
  return maker.Make(Opcode::kRaggedAllToAll, all, Common(replica_groups, channel_id));
}

Op CollectiveBroadcast(Op operand, const ReplicaGroupLists& replica_groups, ChannelId channel_id,
                       CallSite site) {
  Maker maker("CollectiveBroadcast", site, {operand});
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
  if (!maker.ok()) return maker.Wrap(nullptr);
  const Shape& shape = maker.ShapeOf(operand);
  ASSAY_MAKER_REQUIRE(maker, "reduce_scatter_c1",
                      scatter_dimension >= 0 && scatter_dimension < shape.rank() &&
                          shard_count >= 1 && shape.dimension(scatter_dimension) % shard_count == 0,
                      "cannot scatter ", shape.ToString(), " along dimension ", scatter_dimension,
                      " in ", shard_count, " shards");
  AttributeList attributes = Common(replica_groups, channel_id);
  attributes.emplace_back(Attr::kDimension, scatter_dimension);
  attributes.emplace_back(Attr::kUseGlobalDeviceIds, use_global_device_ids);
  const int64_t size = shape.dimension(scatter_dimension) / shard_count;
  const Op result =
      maker.Make(Opcode::kReduceScatter, {operand}, std::move(attributes),
                 Resized(maker, operand, scatter_dimension, size), {{Attr::kToApply, reducer}});
  Constrain(maker, result, layout);
  return result;
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
