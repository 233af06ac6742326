// Shardings and meshes to and from their messages. Test: conversions_test.cc.
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

std::vector<Metadata> MetadataListFromProto(
    google::protobuf::RepeatedPtrField<wire::OpMetadata>* protos) {
  std::vector<Metadata> list;
  for (wire::OpMetadata& proto : *protos) list.push_back(MetadataFromProto(&proto));
  protos->Clear();
  return list;
}

absl::StatusOr<NamedSharding> NamedFromProto(wire::NamedShardingProto* proto) {
  NamedSharding named;
  absl::StatusOr<Mesh> mesh = MeshFromProto(proto->mesh());
  if (!mesh.ok()) return mesh.status();
  named.mesh = *std::move(mesh);
  proto->clear_mesh();
  for (wire::NamedShardingProto::DimensionSharding& dimension : *proto->mutable_dim_shardings()) {
    absl::StatusOr<std::vector<AxisRef>> axes = TakeAxes(named.mesh, dimension.mutable_axes());
    if (!axes.ok()) return axes.status();
    named.dimensions.push_back({*std::move(axes), dimension.is_closed()});
  }
  proto->clear_dim_shardings();
  for (auto [list, field] : {std::pair(&named.replicated_axes, proto->mutable_replicated_axes()),
                             std::pair(&named.unreduced_axes, proto->mutable_unreduced_axes()),
                             std::pair(&named.manual_axes, proto->mutable_manual_axes())}) {
    absl::StatusOr<std::vector<AxisRef>> axes = TakeAxes(named.mesh, field);
    if (!axes.ok()) return axes.status();
    *list = *std::move(axes);
  }
  if (!wire::NamedShardingProto::ReductionOpProto_IsValid(proto->reduction_op())) {
    return absl::InvalidArgumentError(absl::StrCat("a sharding has the unknown reduction ",
                                                   static_cast<int64_t>(proto->reduction_op())));
  }
  // Over no axes there is nothing to reduce, and the text has no place for how.
  if (!named.unreduced_axes.empty()) {
    named.reduction = static_cast<NamedSharding::Reduction>(proto->reduction_op());
  }
  proto->clear_reduction_op();
  named.metadata = MetadataListFromProto(proto->mutable_metadata());
  return named;
}

void NamedToProto(const NamedSharding& named, wire::NamedShardingProto* proto) {
  *proto->mutable_mesh() = MeshToProto(named.mesh);
  for (const NamedSharding::DimensionSharding& dimension : named.dimensions) {
    wire::NamedShardingProto::DimensionSharding* out = proto->add_dim_shardings();
    PutAxes(dimension.axes, out->mutable_axes());
    out->set_is_closed(dimension.is_closed);
  }
  PutAxes(named.replicated_axes, proto->mutable_replicated_axes());
  PutAxes(named.unreduced_axes, proto->mutable_unreduced_axes());
  PutAxes(named.manual_axes, proto->mutable_manual_axes());
  proto->set_reduction_op(static_cast<wire::NamedShardingProto::ReductionOpProto>(named.reduction));
  for (const Metadata& metadata : named.metadata) {
    *proto->add_metadata() = MetadataToProto(metadata);
  }
}

absl::StatusOr<Sharding::Type> ShardingTypeFromProto(int type) {
  if (wire::OpSharding::Type_IsValid(type)) return static_cast<Sharding::Type>(type);
  return absl::InvalidArgumentError(absl::StrCat("a sharding has the unknown type ", type));
}

}  // namespace

absl::StatusOr<Sharding> ShardingFromProto(wire::OpSharding* proto) {
  Sharding sharding;
  absl::StatusOr<Sharding::Type> type = ShardingTypeFromProto(proto->type());
  if (!type.ok()) return type.status();
  sharding.type = *type;
  proto->clear_type();
  sharding.tile_dimensions = TakeInts(proto->mutable_tile_assignment_dimensions());
  sharding.devices = TakeInts(proto->mutable_tile_assignment_devices());
  sharding.iota_reshape_dims = TakeInts(proto->mutable_iota_reshape_dims());
  for (int32_t d : proto->iota_transpose_perm()) sharding.iota_transpose_perm.push_back(d);
  proto->clear_iota_transpose_perm();
  if (sharding.type == Sharding::Type::kMaximal) {
    // A list of one device; an iota of one is device 0.
    if (sharding.devices.empty() && !sharding.iota_reshape_dims.empty()) sharding.devices = {0};
    sharding.tile_dimensions.clear();
    sharding.iota_reshape_dims.clear();
    sharding.iota_transpose_perm.clear();
  }
  // As from text: that an order repeats dimensions is the verifier's to say (sharding_c8).
  absl::Status status =
      CheckIota(sharding.iota_reshape_dims, sharding.iota_transpose_perm, /*may_repeat=*/true);
  if (!status.ok()) return status;
  sharding.replicate_on_last_tile_dim = proto->replicate_on_last_tile_dim();
  proto->clear_replicate_on_last_tile_dim();
  for (int dim_type : proto->last_tile_dims()) {
    type = ShardingTypeFromProto(dim_type);
    if (!type.ok()) return type.status();
    sharding.last_tile_dims.push_back(*type);
  }
  proto->clear_last_tile_dims();
  for (wire::OpSharding& element : *proto->mutable_tuple_shardings()) {
    absl::StatusOr<Sharding> read = ShardingFromProto(&element);
    if (!read.ok()) return read;
    sharding.tuple.push_back(*std::move(read));
  }
  proto->clear_tuple_shardings();
  sharding.metadata = MetadataListFromProto(proto->mutable_metadata());
  if (proto->is_shard_group()) {
    sharding.group = proto->shard_group_type() == wire::OpSharding::LIKE ? Sharding::Group::kLike
                                                                         : Sharding::Group::kAs;
    sharding.group_id = proto->shard_group_id();
    proto->clear_is_shard_group();
    proto->clear_shard_group_type();
    proto->clear_shard_group_id();
  }
  if (proto->has_named_sharding()) {
    absl::StatusOr<NamedSharding> named = NamedFromProto(proto->mutable_named_sharding());
    if (!named.ok()) return named.status();
    sharding.named = std::make_shared<const NamedSharding>(*std::move(named));
  }
  sharding.wire_extras = TakeRest(proto);
  return sharding;
}

wire::OpSharding ShardingToProto(const Sharding& sharding) {
  wire::OpSharding proto;
  PutRest(sharding.wire_extras, &proto);
  proto.set_type(static_cast<wire::OpSharding::Type>(sharding.type));
  PutInts(sharding.tile_dimensions, proto.mutable_tile_assignment_dimensions());
  if (sharding.type == Sharding::Type::kMaximal && proto.tile_assignment_dimensions().empty()) {
    proto.add_tile_assignment_dimensions(1);
  }
  PutInts(sharding.devices, proto.mutable_tile_assignment_devices());
  PutInts(sharding.iota_reshape_dims, proto.mutable_iota_reshape_dims());
  PutInts(sharding.iota_transpose_perm, proto.mutable_iota_transpose_perm());
  proto.set_replicate_on_last_tile_dim(sharding.replicate_on_last_tile_dim);
  for (Sharding::Type type : sharding.last_tile_dims) {
    proto.add_last_tile_dims(static_cast<wire::OpSharding::Type>(type));
  }
  for (const Sharding& element : sharding.tuple) {
    *proto.add_tuple_shardings() = ShardingToProto(element);
  }
  for (const Metadata& metadata : sharding.metadata) {
    *proto.add_metadata() = MetadataToProto(metadata);
  }
  if (sharding.group != Sharding::Group::kNone) {
    proto.set_is_shard_group(true);
    proto.set_shard_group_type(sharding.group == Sharding::Group::kLike ? wire::OpSharding::LIKE
                                                                        : wire::OpSharding::AS);
    proto.set_shard_group_id(sharding.group_id);
  }
  if (sharding.named != nullptr) NamedToProto(*sharding.named, proto.mutable_named_sharding());
  return proto;
}

absl::Status CheckIota(absl::Span<const int64_t> dims, absl::Span<const int64_t> perm,
                       bool may_repeat) {
  int64_t product = 1;
  const auto rank = static_cast<int64_t>(dims.size());
  bool good = perm.empty() ? rank <= 1
              : may_repeat ? perm.size() == dims.size() &&
                                 std::all_of(perm.begin(), perm.end(),
                                             [rank](int64_t d) { return d >= 0 && d < rank; })
                           : IsPermutation(perm, rank);
  for (int64_t size : dims) {
    good = good && size >= 1 && !__builtin_mul_overflow(product, size, &product);
  }
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("[", absl::StrJoin(dims, ","), "]T(",
                                                 absl::StrJoin(perm, ","),
                                                 ") is not an order of devices"));
}

absl::StatusOr<Mesh> MeshFromProto(const wire::MeshProto& proto) {
  Mesh mesh;
  for (const wire::MeshProto::MeshAxis& axis : proto.axes()) {
    if (axis.size() < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("the mesh axis '", axis.name(), "' has the size ", axis.size()));
    }
    mesh.axes.push_back({axis.name(), axis.size()});
  }
  mesh.device_ids.assign(proto.device_ids().begin(), proto.device_ids().end());
  const wire::MeshProto::IotaTransform& iota = proto.iota_transform();
  mesh.iota_reshape_dims.assign(iota.reshape_dims().begin(), iota.reshape_dims().end());
  mesh.iota_transpose_perm.assign(iota.transpose_perm().begin(), iota.transpose_perm().end());
  absl::Status status = CheckIota(mesh.iota_reshape_dims, mesh.iota_transpose_perm);
  if (!status.ok()) return status;
  return mesh;
}

wire::MeshProto MeshToProto(const Mesh& mesh) {
  wire::MeshProto proto;
  for (const Mesh::Axis& axis : mesh.axes) {
    wire::MeshProto::MeshAxis* out = proto.add_axes();
    out->set_name(axis.name);
    out->set_size(axis.size);
  }
  PutInts(mesh.device_ids, proto.mutable_device_ids());
  if (!mesh.iota_reshape_dims.empty()) {
    PutInts(mesh.iota_reshape_dims, proto.mutable_iota_transform()->mutable_reshape_dims());
    PutInts(mesh.iota_transpose_perm, proto.mutable_iota_transform()->mutable_transpose_perm());
  }
  return proto;
}

absl::StatusOr<std::vector<AxisRef>> TakeAxes(
    const Mesh& mesh, google::protobuf::RepeatedPtrField<wire::AxisRefProto>* protos) {
  std::vector<AxisRef> axes;
  for (const wire::AxisRefProto& proto : *protos) {
    AxisRef axis;
    axis.axis = proto.mesh_axis_index();
    axis.has_sub_axis = proto.has_sub_axis_info();
    axis.sub_pre_size = proto.sub_axis_info().pre_size();
    axis.sub_size = proto.sub_axis_info().size();
    if (axis.axis < 0 || axis.axis >= static_cast<int64_t>(mesh.axes.size()) ||
        (axis.has_sub_axis && (axis.sub_pre_size < 1 || axis.sub_size < 1))) {
      return absl::InvalidArgumentError(
          absl::StrCat("the mesh has no axis ", axis.axis, ", or no such part of it"));
    }
    axes.push_back(axis);
  }
  protos->Clear();
  return axes;
}

void PutAxes(const std::vector<AxisRef>& axes,
             google::protobuf::RepeatedPtrField<wire::AxisRefProto>* protos) {
  for (const AxisRef& axis : axes) {
    wire::AxisRefProto* proto = protos->Add();
    proto->set_mesh_axis_index(axis.axis);
    if (!axis.has_sub_axis) continue;
    proto->mutable_sub_axis_info()->set_pre_size(axis.sub_pre_size);
    proto->mutable_sub_axis_info()->set_size(axis.sub_size);
  }
}

}  // namespace assay
