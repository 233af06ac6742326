// Collectives and their asynchronous forms. Source: reference stablehlo_format.md 7, 8.5.
// Test: lowering_test.cc.
#include <algorithm>

#include "spec/ir/device_lists.h"
#include "spec/stablehlo/lowering.h"

namespace assay::stablehlo {
namespace {

// A mesh of either dialect: axes with names and sizes, devices in order or listed.
std::optional<Mesh> MeshOf(const Attribute& record) {
  Mesh mesh;
  const Attribute* axes = record.Find("axes");
  if (axes == nullptr) return std::nullopt;
  for (const Attribute* axis : axes->elements) {
    const Attribute* name = axis->Find("name");
    const Attribute* size = axis->Find("size");
    if (name == nullptr || size == nullptr) return std::nullopt;
    mesh.axes.push_back({std::string(name->text), size->integer});
  }
  if (const Attribute* ids = record.Find("device_ids")) {
    mesh.device_ids = IntsOf(*ids).value_or(std::vector<int64_t>());
  }
  return mesh;
}

// The mesh that a symbol names: an sdy.mesh, or one that the module holds as an attribute of that.
const Attribute* NamedMesh(OpContext& op, absl::string_view name) {
  const Program& program = op.lowering().program();
  for (const Region& region : program.module->regions()) {
    for (const Block* block : region.blocks()) {
      for (const Operation* operation : block->operations) {
        const Attribute* symbol = operation->Find("sym_name");
        if (operation->name() != "sdy.mesh" || symbol == nullptr || symbol->text != name) continue;
        const Attribute* own = operation->Find("stablehlo.mesh");
        return own != nullptr && own->Find("axes") != nullptr ? own : operation->Find("mesh");
      }
    }
  }
  return nullptr;
}

ReplicaGroups MeshGroups(OpContext& op, const Attribute& record) {
  ReplicaGroups groups;
  groups.form = ReplicaGroups::Form::kMesh;
  const Attribute* mesh = record.Find("mesh");
  if (mesh != nullptr &&
      (mesh->kind == AttributeKind::kSymbol || mesh->kind == AttributeKind::kString)) {
    const absl::string_view name = mesh->text;
    mesh = NamedMesh(op, name);
    if (mesh == nullptr) op.Fail(absl::StrCat("replica_groups: there is no mesh @", name));
  }
  std::optional<Mesh> found = mesh == nullptr ? std::nullopt : MeshOf(*mesh);
  const Attribute* axes = record.Find("axes");
  if (!found || axes == nullptr) {
    op.Fail("replica_groups needs a mesh with axes");
    return groups;
  }
  for (const Attribute* axis : axes->elements) {
    const Attribute* name = axis->Find("name");
    AxisRef ref;
    while (ref.axis < static_cast<int64_t>(found->axes.size()) &&
           (name == nullptr || found->axes[ref.axis].name != name->text)) {
      ++ref.axis;
    }
    if (ref.axis == static_cast<int64_t>(found->axes.size())) {
      op.Fail("replica_groups names an axis that the mesh does not have");
      return groups;
    }
    if (const Attribute* part = axis->Find("sub_axis_info")) {
      ref.has_sub_axis = true;
      ref.sub_pre_size = op.FieldInt(part, "pre_size", 1);
      ref.sub_size = op.FieldInt(part, "size", 1);
    }
    groups.axes.push_back(ref);
  }
  groups.mesh = *std::move(found);
  return groups;
}

ReplicaGroups GroupsOf(OpContext& op) {
  ReplicaGroups groups;
  const Attribute* attribute = op.Find("replica_groups");
  if (attribute == nullptr) return groups;
  if (attribute->kind == AttributeKind::kRecord) return MeshGroups(op, *attribute);
  const std::optional<std::vector<int64_t>> ids = IntsOf(*attribute);
  const bool fits = attribute->type != nullptr && attribute->type->dimensions.size() == 2;
  if (!ids || (!fits && !ids->empty())) {
    op.Fail("replica_groups must be numbers of devices, a row per group");
    return groups;
  }
  if (ids->empty()) return groups;
  const int64_t size = attribute->type->dimensions[1];
  for (size_t start = 0; start < ids->size(); start += size) {
    std::vector<int64_t> group(ids->begin() + start, ids->begin() + start + size);
    while (!group.empty() && group.back() == -1) group.pop_back();  // padding of shorter groups
    groups.groups.push_back(std::move(group));
  }
  return groups;
}

// Groups of replicas that all partitions join, as lists of devices. StableHLO orders a group by
// partition first, HLO by replica first: the order shows in what is gathered.
void FlattenGroups(OpContext& op, ReplicaGroups* groups) {
  const int64_t replicas = op.lowering().module().replica_count;
  const int64_t partitions = op.lowering().module().num_partitions;
  if (groups->groups.empty()) {
    groups->groups.emplace_back();
    for (int64_t replica = 0; replica < replicas; ++replica) {
      groups->groups[0].push_back(replica);
    }
  }
  for (std::vector<int64_t>& group : groups->groups) {
    std::vector<int64_t> devices;
    for (int64_t partition = 0; partition < partitions; ++partition) {
      for (const int64_t replica : group) devices.push_back(replica * partitions + partition);
    }
    group = std::move(devices);
  }
}

AttributeList GroupAttributes(OpContext& op, bool global_ids) {
  ReplicaGroups groups = GroupsOf(op);
  AttributeList attributes;
  const int64_t channel = op.FieldInt(op.Find("channel_handle"), "handle");
  if (channel > 0) attributes.push_back({Attr::kChannelId, channel});
  if (global_ids) {
    bool flattened = op.BoolOr("use_global_device_ids", false);
    if (!flattened && channel > 0 && groups.form == ReplicaGroups::Form::kList &&
        op.lowering().module().num_partitions > 1 && op.lowering().module().replica_count > 1) {
      FlattenGroups(op, &groups);
      flattened = true;
    }
    attributes.push_back({Attr::kUseGlobalDeviceIds, flattened});
  }
  attributes.push_back({Attr::kReplicaGroups, Boxed<ReplicaGroups>(std::move(groups))});
  return attributes;
}

// The most devices that a list may have.
constexpr int64_t kMostGroupedDevices = 1 << 20;

// The number of devices in each group of a collective.
int64_t SizeOfGroups(OpContext& op) {
  const Module& module = op.lowering().module();
  const bool has_channel = op.FieldInt(op.Find("channel_handle"), "handle") > 0;
  const absl::StatusOr<DeviceGroups> groups = ListGroups(GroupsOf(op), kMostGroupedDevices);
  if (!groups.ok() || groups->empty()) {
    return std::max<int64_t>(1, module.replica_count * (has_channel ? module.num_partitions : 1));
  }
  const bool join_partitions = has_channel && !op.BoolOr("use_global_device_ids", false);
  const auto listed = std::max<int64_t>(1, static_cast<int64_t>(groups->front().size()));
  return listed * (join_partitions ? module.num_partitions : 1);
}

// Beyond any size that a dimension may have.
constexpr int64_t kLargestSize = int64_t{1} << 62;

// What a collective does to the size of a dimension.
struct Resize {
  int64_t dimension = -1;
  int64_t times = 1;
  int64_t divided_by = 1;
};

// The declared shapes of the results; a size that is not declared follows from the operand's.
Shape ShapesOf(OpContext& op, const Resize& resize = {}) {
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < op.result_count(); ++i) {
    Shape shape = op.OutShape(i);
    if (HasUnboundedDimension(shape) && i < op.operand_count() &&
        op.InShape(i).rank() == shape.rank()) {
      Dimensions sizes(op.InShape(i).dimensions().begin(), op.InShape(i).dimensions().end());
      if (resize.dimension >= 0 && resize.dimension < shape.rank()) {
        int64_t& size = sizes[resize.dimension];
        size = std::min(size, kLargestSize / resize.times) * resize.times / resize.divided_by;
      }
      shape = Shape(shape.element_type(), sizes);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
}

void Finish(OpContext& op, Opcode opcode, AttributeList attributes, const Resize& resize = {}) {
  if (op.result_count() != op.operand_count()) {
    op.Fail("gives a result for each operand");
    return;
  }
  op.ReturnAll(op.Make(opcode, ShapesOf(op, resize), op.inputs(), std::move(attributes)),
               op.result_count() > 1);
}

void LowerAllGather(OpContext& op) {
  AttributeList attributes = GroupAttributes(op, true);
  const int64_t dimension = op.Int("all_gather_dim");
  attributes.push_back({Attr::kDimension, dimension});
  Finish(op, Opcode::kAllGather, std::move(attributes),
         {.dimension = dimension, .times = SizeOfGroups(op)});
}

// Operands of a narrower type than the computation's are converted.
std::vector<Instruction*> Promoted(OpContext& op, const Computation* reducer) {
  std::vector<Instruction*> operands(op.inputs().begin(), op.inputs().end());
  if (reducer == nullptr) return operands;
  for (Instruction*& operand : operands) {
    operand = op.Convert(operand, reducer->root()->shape().element_type());
  }
  return operands;
}

void LowerAllReduce(OpContext& op) {
  if (op.result_count() != op.operand_count()) {
    op.Fail("gives a result for each operand");
    return;
  }
  AttributeList attributes = GroupAttributes(op, true);
  Computation* const reducer = op.Reducer(0, 2);
  attributes.push_back({Attr::kToApply, reducer});
  const std::vector<Instruction*> operands = Promoted(op, reducer);
  op.ReturnAll(op.Make(Opcode::kAllReduce, ShapesOf(op), operands, std::move(attributes)),
               op.result_count() > 1);
}

void LowerReduceScatter(OpContext& op) {
  AttributeList attributes = GroupAttributes(op, true);
  Computation* const reducer = op.Reducer(0, 2);
  const int64_t dimension = op.Int("scatter_dimension");
  attributes.push_back({Attr::kDimension, dimension});
  attributes.push_back({Attr::kToApply, reducer});
  const std::vector<Instruction*> operands = Promoted(op, reducer);
  const Shape shape = ShapesOf(op, {.dimension = dimension, .divided_by = SizeOfGroups(op)});
  op.Return(op.Make(Opcode::kReduceScatter, shape, operands, std::move(attributes)));
}

void LowerCrossReplicaSum(OpContext& op) {
  // The sum of two scalars, as a computation of its own.
  Scope scope;
  scope.computation = std::make_unique<Computation>("sum");
  const Shape scalar = Shape::Scalar(op.InShape(0).element_type());
  Lowering& lowering = op.lowering();
  Instruction* parts[2];
  for (int64_t i = 0; i < 2; ++i) {
    parts[i] = lowering.MakeIn(scope, op.operation(), Opcode::kParameter, scalar, Operands());
    parts[i]->set_parameter_number(i);
  }
  scope.computation->set_root(
      lowering.MakeIn(scope, op.operation(), Opcode::kAdd, scalar, Operands(parts, 2)));
  Computation* const sum = lowering.module().Add(std::move(scope.computation));
  AttributeList attributes = {{Attr::kReplicaGroups, Boxed<ReplicaGroups>(GroupsOf(op))},
                              {Attr::kToApply, sum}};
  op.Return(op.Make(Opcode::kAllReduce, op.InShape(0), {op.In(0)}, std::move(attributes)));
}

// Pieces along the split dimension go to the devices, and come together along the concatenation
// dimension. HLO's operation puts the pieces where they were split, so that a new dimension of
// pieces is moved to its place afterwards.
Instruction* AllToAll(OpContext& op, Instruction* operand, int64_t split, int64_t concat) {
  const Shape& x = operand->shape();
  const int64_t count = op.Int("split_count");
  if (split < 0 || split >= x.rank() || concat < 0 || concat >= x.rank() || count <= 0 ||
      x.dimension(split) % count != 0) {
    op.Fail(absl::StrCat("split_count must divide dimension split_dimension of ", x.ToString(),
                         ", and concat_dimension must be one of its dimensions"));
    return operand;
  }
  AttributeList attributes = GroupAttributes(op, false);
  attributes.push_back({Attr::kDimension, split});
  Instruction* const moved = op.Make(Opcode::kAllToAll, x, {operand}, std::move(attributes));
  if (split == concat) return moved;
  Dimensions cut;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d == split) cut.push_back(count);
    cut.push_back(d == split ? x.dimension(d) / count : x.dimension(d));
  }
  Instruction* const pieces = op.Reshape(moved, cut);
  std::vector<int64_t> order;
  Dimensions sizes, result;
  for (int64_t d = 0; d <= x.rank(); ++d) {
    if (d == split) continue;  // the dimension of pieces
    const int64_t own = d > split ? d - 1 : d;
    if (own == concat) order.push_back(split);
    order.push_back(d);
    result.push_back(cut[d] * (own == concat ? count : 1));
  }
  for (const int64_t d : order) sizes.push_back(cut[d]);
  Instruction* const ordered = op.Make(Opcode::kTranspose, Shape(x.element_type(), sizes), {pieces},
                                       {{Attr::kDimensions, order}});
  return op.Reshape(ordered, result);
}

// Each operand by itself. HLO's operation of several operands is another one: it sends the operands
// themselves to the devices.
void LowerAllToAll(OpContext& op) {
  if (op.result_count() != op.operand_count()) {
    op.Fail("gives a result for each operand");
    return;
  }
  for (int64_t i = 0; op.ok() && i < op.operand_count(); ++i) {
    op.ReturnAt(i, AllToAll(op, op.In(i), op.Int("split_dimension"), op.Int("concat_dimension")));
  }
}

void LowerCollectivePermute(OpContext& op) {
  const std::vector<int64_t> ids = op.Ints("source_target_pairs");
  std::vector<std::vector<int64_t>> pairs;
  for (size_t i = 0; i + 1 < ids.size(); i += 2) pairs.push_back({ids[i], ids[i + 1]});
  AttributeList attributes = {{Attr::kSourceTargetPairs, pairs}};
  const int64_t channel = op.FieldInt(op.Find("channel_handle"), "handle");
  if (channel > 0) attributes.push_back({Attr::kChannelId, channel});
  Finish(op, Opcode::kCollectivePermute, std::move(attributes));
}

void LowerCollectiveBroadcast(OpContext& op) {
  AttributeList attributes = GroupAttributes(op, false);
  const bool dynamic_root = op.BoolOr("has_dynamic_root", false);
  attributes.push_back({Attr::kHasDynamicRoot, dynamic_root});
  if (!dynamic_root) {
    Finish(op, Opcode::kCollectiveBroadcast, std::move(attributes));
    return;
  }
  // The last operand says where the value comes from.
  op.ReturnAll(
      op.Make(Opcode::kCollectiveBroadcast, ShapesOf(op), op.inputs(), std::move(attributes)),
      op.result_count() > 1);
}

// The region is the computation that starts, where it becomes one instruction, as HLO asks; else it
// runs where it starts.
void LowerAsyncStart(OpContext& op) {
  Lowering::RegionParameters parameters;
  for (const Instruction* operand : op.inputs()) parameters.arguments.push_back(operand->shape());
  absl::StatusOr<Computation*> started = op.lowering().LowerRegion(
      op.operation(), op.operation().regions()[0], op.scope(), parameters);
  if (!started.ok()) {
    op.Keep(started.status());
    return;
  }
  const Shape& result = (*started)->root()->shape();
  if ((*started)->instruction_count() != op.operand_count() + 1) {
    op.Return(op.Make(Opcode::kCall, result, op.inputs(), {{Attr::kToApply, *started}}));
    return;
  }
  Shape shape = Shape::Tuple({Shape::Tuple(parameters.arguments), result});
  op.Return(
      op.Make(Opcode::kAsyncStart, std::move(shape), op.inputs(), {{Attr::kCalls, *started}}));
}

void LowerAsyncDone(OpContext& op) {
  Instruction* value = op.In(0);
  if (value->opcode() == Opcode::kAsyncStart) {
    value = op.Make(Opcode::kAsyncDone, value->shape().tuple_shape(1), {value});
  }
  op.ReturnAll(value, op.result_count() != 1);
}

constexpr Handler kCollective[] = {
    {"all_gather", 1, 1, 0, LowerAllGather},
    {"all_reduce", 1, 1, 1, LowerAllReduce},
    {"reduce_scatter", 1, 1, 1, LowerReduceScatter},
    {"cross-replica-sum", 1, 1, 0, LowerCrossReplicaSum},
    {"all_to_all", 1, 1, 0, LowerAllToAll},
    {"collective_permute", 1, 1, 0, LowerCollectivePermute},
    {"collective_broadcast", 1, 1, 0, LowerCollectiveBroadcast},
    {"async_start", 1, 1, 1, LowerAsyncStart},
    {"async_done", 1, 0, 0, LowerAsyncDone},
};

}  // namespace

absl::Span<const Handler> CollectiveHandlers() { return kCollective; }

}  // namespace assay::stablehlo
