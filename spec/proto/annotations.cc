// Metadata, shardings, origins, statistics: what an instruction carries besides its meaning, to and
// from their messages. Test: conversions_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// XLA writes many messages that are present and empty; they say nothing.
void ClearEmptyMessages(Message* message) {
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->is_repeated() || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    Message* nested = reflection.MutableMessage(message, field);
    ClearEmptyMessages(nested);
    if (nested->ByteSizeLong() == 0) reflection.ClearField(message, field);
  }
}

template <typename Field>
std::string TakeText(Field* text) {
  std::string value = std::move(*text);
  text->clear();
  return value;
}

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
  named.reduction = static_cast<NamedSharding::Reduction>(proto->reduction_op());
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

// Origins: the wire lists leaves by index, the module has a tree.

struct OriginPath {
  absl::Span<const int64_t> index;
  const wire::OriginalArrayProto* array;  // null: a leaf without origin
  bool empty_tuple;
};

// Puts one path into the tree. Paths come in lexicographic order, so that every position is the
// next one of its tuple.
absl::Status AddToOrigin(const OriginPath& path, OriginValue* root) {
  const auto error = [] {
    return absl::InvalidArgumentError("the indices of an original value form no tuple");
  };
  if (path.index.size() > kMaxShapeNesting) return error();
  OriginValue* at = root;
  for (int64_t i : path.index) {
    const int64_t size = static_cast<int64_t>(at->elements.size());
    if (i < 0 || i > size || at->array) return error();
    at->is_tuple = true;
    if (i == size) at->elements.emplace_back();
    at = &at->elements[i];
  }
  if (at->is_tuple) return error();
  at->is_tuple = path.empty_tuple;
  if (path.array != nullptr) at->array = OriginArrayFromProto(*path.array);
  return absl::OkStatus();
}

absl::StatusOr<OriginValue> OriginFromProto(const wire::OriginalValueProto& proto,
                                            const wire::TextOnlyInstruction& text_only) {
  OriginValue origin;
  origin.is_synthetic_call = proto.is_synthetic_call();
  std::vector<OriginPath> paths;
  for (const wire::OriginalValueElementProto& element : proto.elements()) {
    paths.push_back({element.shape_index(),
                     element.has_original_array() ? &element.original_array() : nullptr, false});
  }
  for (const wire::TextOnlyInstruction::Path& path : text_only.empty_origin_tuples()) {
    paths.push_back({path.index(), nullptr, true});
  }
  std::stable_sort(paths.begin(), paths.end(), [](const OriginPath& a, const OriginPath& b) {
    return std::lexicographical_compare(a.index.begin(), a.index.end(), b.index.begin(),
                                        b.index.end());
  });
  for (const OriginPath& path : paths) {
    if (absl::Status status = AddToOrigin(path, &origin); !status.ok()) return status;
  }
  return origin;
}

void OriginLeavesToProto(const OriginValue& value, std::vector<int64_t>* index,
                         wire::HloInstructionProto* proto) {
  if (!value.is_tuple) {
    wire::OriginalValueElementProto* leaf = proto->mutable_original_value()->add_elements();
    PutInts(*index, leaf->mutable_shape_index());
    if (value.array) *leaf->mutable_original_array() = OriginArrayToProto(*value.array);
    return;
  }
  if (value.elements.empty()) {
    PutInts(*index, proto->mutable_text_only()->add_empty_origin_tuples()->mutable_index());
  }
  for (size_t i = 0; i < value.elements.size(); ++i) {
    index->push_back(static_cast<int64_t>(i));
    OriginLeavesToProto(value.elements[i], index, proto);
    index->pop_back();
  }
}

// `{[synthetic_call]}` has no tree at all.
bool HasTree(const OriginValue& origin) {
  return origin.is_tuple || origin.array || !origin.is_synthetic_call;
}

Statistics StatisticsFromProto(const wire::StatisticsViz& proto) {
  Statistics statistics;
  statistics.index_to_visualize = proto.stat_index_to_visualize();
  for (const wire::Statistic& statistic : proto.statistics()) {
    statistics.values.push_back({statistic.stat_name(), statistic.stat_val()});
  }
  return statistics;
}

void StatisticsToProto(const Statistics& statistics, wire::StatisticsViz* proto) {
  proto->set_stat_index_to_visualize(statistics.index_to_visualize);
  for (const Statistic& statistic : statistics.values) {
    wire::Statistic* out = proto->add_statistics();
    out->set_stat_name(statistic.name);
    out->set_stat_val(statistic.value);
  }
}

absl::Status ReadShardingAndOrigin(wire::HloInstructionProto* proto, Instruction* instruction) {
  if (proto->has_sharding()) {
    absl::StatusOr<Sharding> sharding = ShardingFromProto(proto->mutable_sharding());
    if (!sharding.ok()) return sharding.status();
    instruction->mutable_annotations().sharding = *std::move(sharding);
    proto->clear_sharding();
  }
  if (proto->has_original_value()) {
    absl::StatusOr<OriginValue> origin =
        OriginFromProto(proto->original_value(), proto->text_only());
    if (!origin.ok()) return origin.status();
    instruction->mutable_annotations().origin = *std::move(origin);
    proto->clear_original_value();
  }
  return absl::OkStatus();
}

}  // namespace

std::string DeterministicBytes(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializePartialToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

std::string TakeRest(Message* rest) {
  if (rest->ByteSizeLong() == 0) return "";
  ClearEmptyMessages(rest);
  return rest->ByteSizeLong() == 0 ? "" : DeterministicBytes(*rest);
}

void PutRest(const std::string& extras, Message* message) {
  // Extras are our own bytes of a message of this type.
  if (!extras.empty()) message->MergeFromString(extras);
}

Metadata MetadataFromProto(wire::OpMetadata* proto) {
  Metadata metadata;
  metadata.op_type = TakeText(proto->mutable_op_type());
  metadata.op_name = TakeText(proto->mutable_op_name());
  metadata.source_file = TakeText(proto->mutable_source_file());
  metadata.source_line = proto->source_line();
  proto->clear_source_line();
  metadata.source_end_line = proto->source_end_line();
  proto->clear_source_end_line();
  metadata.source_column = proto->source_column();
  proto->clear_source_column();
  metadata.source_end_column = proto->source_end_column();
  proto->clear_source_end_column();
  for (int type : proto->profile_type()) metadata.profile_type.push_back(type);
  proto->clear_profile_type();
  metadata.deduplicated_name = TakeText(proto->mutable_deduplicated_name());
  metadata.scheduling_name = TakeText(proto->mutable_scheduling_name());
  metadata.stack_frame_id = proto->stack_frame_id();
  proto->clear_stack_frame_id();
  if (proto->metadata_payload().has_value()) {
    metadata.payload = proto->metadata_payload().value();
    proto->mutable_metadata_payload()->clear_value();
  }
  metadata.wire_extras = TakeRest(proto);
  return metadata;
}

wire::OpMetadata MetadataToProto(const Metadata& metadata) {
  wire::OpMetadata proto;
  PutRest(metadata.wire_extras, &proto);
  proto.set_op_type(metadata.op_type);
  proto.set_op_name(metadata.op_name);
  proto.set_source_file(metadata.source_file);
  proto.set_source_line(metadata.source_line);
  proto.set_source_end_line(metadata.source_end_line);
  proto.set_source_column(metadata.source_column);
  proto.set_source_end_column(metadata.source_end_column);
  for (int32_t type : metadata.profile_type) {
    proto.add_profile_type(static_cast<wire::ProfileType>(type));
  }
  proto.set_deduplicated_name(metadata.deduplicated_name);
  proto.set_scheduling_name(metadata.scheduling_name);
  proto.set_stack_frame_id(metadata.stack_frame_id);
  if (!metadata.payload.empty()) proto.mutable_metadata_payload()->set_value(metadata.payload);
  return proto;
}

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
  absl::Status status = CheckIota(sharding.iota_reshape_dims, sharding.iota_transpose_perm);
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

absl::Status CheckIota(absl::Span<const int64_t> dims, absl::Span<const int64_t> perm) {
  int64_t product = 1;
  bool good =
      perm.empty() ? dims.size() <= 1 : IsPermutation(perm, static_cast<int64_t>(dims.size()));
  for (int64_t size : dims) {
    good = good && size >= 1 && !__builtin_mul_overflow(product, size, &product);
  }
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "[", absl::StrJoin(dims, ","), "]T(", absl::StrJoin(perm, ","), ") is no order of devices"));
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

OriginArray OriginArrayFromProto(const wire::OriginalArrayProto& proto) {
  return {proto.instruction_name(),
          ShapeIndex(proto.shape_index().begin(), proto.shape_index().end())};
}

wire::OriginalArrayProto OriginArrayToProto(const OriginArray& array) {
  wire::OriginalArrayProto proto;
  proto.set_instruction_name(array.instruction_name);
  PutInts(array.shape_index, proto.mutable_shape_index());
  return proto;
}

FrontendAttributes FrontendAttributesFromProto(wire::FrontendAttributes* proto) {
  FrontendAttributes attributes;
  for (const auto& [key, value] : proto->map()) attributes[key] = value;
  proto->clear_map();
  return attributes;
}

wire::FrontendAttributes FrontendAttributesToProto(const FrontendAttributes& attributes) {
  wire::FrontendAttributes proto;
  for (const auto& [key, value] : attributes) (*proto.mutable_map())[key] = value;
  return proto;
}

absl::Status ReadAnnotations(wire::HloInstructionProto* proto, Instruction* instruction) {
  if (absl::Status status = ReadShardingAndOrigin(proto, instruction); !status.ok()) return status;
  if (!proto->frontend_attributes().map().empty()) {
    instruction->mutable_annotations().frontend_attributes =
        FrontendAttributesFromProto(proto->mutable_frontend_attributes());
  }
  if (!proto->statistics_viz().statistics().empty() ||
      proto->statistics_viz().stat_index_to_visualize() != 0) {
    instruction->mutable_annotations().statistics = StatisticsFromProto(proto->statistics_viz());
    proto->clear_statistics_viz();
  }
  if (proto->has_metadata()) {
    Metadata metadata = MetadataFromProto(proto->mutable_metadata());
    proto->clear_metadata();
    if (!(metadata == Metadata{})) {
      instruction->mutable_annotations().metadata = std::move(metadata);
    }
  }
  if (!proto->backend_config().empty()) {
    instruction->mutable_annotations().backend_config = TakeText(proto->mutable_backend_config());
  }
  if (proto->has_parameter_replication() && instruction->opcode() == Opcode::kParameter) {
    Annotations& annotations = instruction->mutable_annotations();
    annotations.has_parameter_replication = true;
    const auto& leaves = proto->parameter_replication().replicated_at_leaf_buffers();
    annotations.parameter_replication.assign(leaves.begin(), leaves.end());
    if (static_cast<int64_t>(leaves.size()) != instruction->shape().leaf_count()) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter_replication has ", leaves.size(), " values for the ",
                       instruction->shape().leaf_count(), " leaves of the parameter"));
    }
    proto->clear_parameter_replication();
  }
  return absl::OkStatus();
}

void WriteAnnotations(const Annotations& annotations, wire::HloInstructionProto* proto) {
  if (annotations.sharding) *proto->mutable_sharding() = ShardingToProto(*annotations.sharding);
  if (!annotations.frontend_attributes.empty()) {
    *proto->mutable_frontend_attributes() =
        FrontendAttributesToProto(annotations.frontend_attributes);
  }
  if (annotations.statistics) {
    StatisticsToProto(*annotations.statistics, proto->mutable_statistics_viz());
  }
  if (annotations.origin) {
    proto->mutable_original_value()->set_is_synthetic_call(annotations.origin->is_synthetic_call);
    std::vector<int64_t> index;
    if (HasTree(*annotations.origin)) OriginLeavesToProto(*annotations.origin, &index, proto);
  }
  if (annotations.metadata) *proto->mutable_metadata() = MetadataToProto(*annotations.metadata);
  if (!annotations.backend_config.empty()) proto->set_backend_config(annotations.backend_config);
  if (annotations.has_parameter_replication) {
    PutInts(annotations.parameter_replication,
            proto->mutable_parameter_replication()->mutable_replicated_at_leaf_buffers());
  }
}

}  // namespace assay
