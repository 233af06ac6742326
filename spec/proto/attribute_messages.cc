// Attributes that are messages of their own on the wire. Test: conversions_test.cc.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/proto/attribute_codecs.h"
#include "spec/proto/conversions.h"
#include "spec/proto/pieces.h"

namespace assay {
namespace {

using P = wire::HloInstructionProto;
using Result = Codec::ReadResult;

Result ReadWindow(P* proto, const Instruction&) {
  if (!proto->has_window()) return std::nullopt;
  Window window;
  for (const wire::WindowDimension& d : proto->window().dimensions()) {
    // Writers from before dilations and strides were required leave the fields out.
    window.dimensions.push_back(
        {d.size(), d.has_stride() ? d.stride() : 1, d.padding_low(), d.padding_high(),
         d.has_window_dilation() ? d.window_dilation() : 1,
         d.has_base_dilation() ? d.base_dilation() : 1, d.window_reversal()});
  }
  proto->clear_window();
  return AttributeValue(std::move(window));
}
void WriteWindow(const AttributeValue& value, const Instruction&, P* proto) {
  wire::Window* window = proto->mutable_window();
  for (const WindowDimension& d : std::get<Window>(value).dimensions) {
    wire::WindowDimension* out = window->add_dimensions();
    out->set_size(d.size);
    out->set_stride(d.stride);
    out->set_padding_low(d.padding_low);
    out->set_padding_high(d.padding_high);
    out->set_window_dilation(d.window_dilation);
    out->set_base_dilation(d.base_dilation);
    out->set_window_reversal(d.reversal);
  }
}

Result ReadPadding(P* proto, const Instruction&) {
  if (!proto->has_padding_config()) return std::nullopt;
  PaddingConfig padding;
  for (const auto& d : proto->padding_config().dimensions()) {
    padding.dimensions.push_back(
        {d.edge_padding_low(), d.edge_padding_high(), d.interior_padding()});
  }
  proto->clear_padding_config();
  return AttributeValue(std::move(padding));
}
void WritePadding(const AttributeValue& value, const Instruction&, P* proto) {
  wire::PaddingConfig* padding = proto->mutable_padding_config();
  for (const PaddingDimension& d : std::get<PaddingConfig>(value).dimensions) {
    auto* out = padding->add_dimensions();
    out->set_edge_padding_low(d.low);
    out->set_edge_padding_high(d.high);
    out->set_interior_padding(d.interior);
  }
}

Result ReadSlices(P* proto, const Instruction&) {
  Slices slices;
  for (const auto& d : proto->slice_dimensions()) {
    slices.push_back({d.start(), d.limit(), d.has_stride() ? d.stride() : 1});
  }
  proto->clear_slice_dimensions();
  return AttributeValue(std::move(slices));
}
void WriteSlices(const AttributeValue& value, const Instruction&, P* proto) {
  for (const SliceRange& range : std::get<Slices>(value)) {
    auto* out = proto->add_slice_dimensions();
    out->set_start(range.start);
    out->set_limit(range.limit);
    out->set_stride(range.stride);
  }
}

// The smallest ranks that hold every dimension that a field names.
void SetLeastRanks(ConvolutionDimensions* dims) {
  const auto rank = [](int64_t a, int64_t b, const std::vector<int64_t>& spatial) {
    int64_t most = std::max(a, b);
    for (int64_t d : spatial) most = std::max(most, d);
    return most + 1;
  };
  dims->input_rank = rank(dims->input_batch, dims->input_feature, dims->input_spatial);
  dims->kernel_rank =
      rank(dims->kernel_input_feature, dims->kernel_output_feature, dims->kernel_spatial);
  dims->output_rank = rank(dims->output_batch, dims->output_feature, dims->output_spatial);
}

// Every dimension is named once and is small: printers make a letter of each. A custom call may do
// without a letter, whose dimension is then 0.
absl::Status CheckLabels(const Instruction& instruction, int64_t a, int64_t b,
                         const std::vector<int64_t>& spatial, absl::string_view part) {
  constexpr int64_t kMaxRank = 1000;
  std::vector<int64_t> all = spatial;
  for (const int64_t letter : {a, b}) {
    const bool is_missing = instruction.opcode() == Opcode::kCustomCall && letter == 0 &&
                            std::find(all.begin(), all.end(), 0) != all.end();
    if (!is_missing) all.push_back(letter);
  }
  std::sort(all.begin(), all.end());
  const bool repeated = std::adjacent_find(all.begin(), all.end()) != all.end();
  if (!repeated && all.front() >= 0 && all.back() < kMaxRank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the dimension numbers of the ", part, " are repeated or out of range"));
}

Result ReadDimLabels(P* proto, const Instruction& instruction) {
  if (!proto->has_convolution_dimension_numbers()) return std::nullopt;
  wire::ConvolutionDimensionNumbers* numbers = proto->mutable_convolution_dimension_numbers();
  ConvolutionDimensions dims;
  dims.input_batch = numbers->input_batch_dimension();
  dims.input_feature = numbers->input_feature_dimension();
  dims.input_spatial = TakeInts(numbers->mutable_input_spatial_dimensions());
  dims.kernel_input_feature = numbers->kernel_input_feature_dimension();
  dims.kernel_output_feature = numbers->kernel_output_feature_dimension();
  dims.kernel_spatial = TakeInts(numbers->mutable_kernel_spatial_dimensions());
  dims.output_batch = numbers->output_batch_dimension();
  dims.output_feature = numbers->output_feature_dimension();
  dims.output_spatial = TakeInts(numbers->mutable_output_spatial_dimensions());
  proto->clear_convolution_dimension_numbers();
  for (absl::Status status :
       {CheckLabels(instruction, dims.input_batch, dims.input_feature, dims.input_spatial, "input"),
        CheckLabels(instruction, dims.kernel_input_feature, dims.kernel_output_feature,
                    dims.kernel_spatial, "kernel"),
        CheckLabels(instruction, dims.output_batch, dims.output_feature, dims.output_spatial,
                    "output")}) {
    if (!status.ok()) return status;
  }
  SetLeastRanks(&dims);
  if (proto->text_only().dim_labels_ranks_size() == 3) {
    const auto& ranks = proto->text_only().dim_labels_ranks();
    const auto widen = [](int64_t least, int64_t rank) {
      return std::max(least, std::min<int64_t>(rank, 1000));
    };
    dims.input_rank = widen(dims.input_rank, ranks[0]);
    dims.kernel_rank = widen(dims.kernel_rank, ranks[1]);
    dims.output_rank = widen(dims.output_rank, ranks[2]);
  }
  return AttributeValue(std::move(dims));
}
void WriteDimLabels(const AttributeValue& value, const Instruction&, P* proto) {
  const auto& dims = *GetIf<ConvolutionDimensions>(value);
  wire::ConvolutionDimensionNumbers* numbers = proto->mutable_convolution_dimension_numbers();
  numbers->set_input_batch_dimension(dims.input_batch);
  numbers->set_input_feature_dimension(dims.input_feature);
  PutInts(dims.input_spatial, numbers->mutable_input_spatial_dimensions());
  numbers->set_kernel_input_feature_dimension(dims.kernel_input_feature);
  numbers->set_kernel_output_feature_dimension(dims.kernel_output_feature);
  PutInts(dims.kernel_spatial, numbers->mutable_kernel_spatial_dimensions());
  numbers->set_output_batch_dimension(dims.output_batch);
  numbers->set_output_feature_dimension(dims.output_feature);
  PutInts(dims.output_spatial, numbers->mutable_output_spatial_dimensions());
  ConvolutionDimensions least = dims;
  SetLeastRanks(&least);
  if (!(least == dims)) {
    PutInts(std::vector<int64_t>{dims.input_rank, dims.kernel_rank, dims.output_rank},
            proto->mutable_text_only()->mutable_dim_labels_ranks());
  }
}

template <typename Lists>
ReplicaGroups GroupsFromLists(const Lists& lists) {
  ReplicaGroups groups;
  for (const wire::ReplicaGroup& group : lists) {
    groups.groups.emplace_back(group.replica_ids().begin(), group.replica_ids().end());
  }
  return groups;
}
absl::StatusOr<ReplicaGroups> GroupsFromIota(const wire::IotaReplicaGroupListProto& proto) {
  ReplicaGroups groups;
  groups.form = ReplicaGroups::Form::kIota;
  groups.group_count = proto.num_replica_groups();
  groups.group_size = proto.num_devices_per_group();
  groups.iota_reshape_dims.assign(proto.iota_reshape_dims().begin(),
                                  proto.iota_reshape_dims().end());
  groups.iota_transpose_perm.assign(proto.iota_transpose_perm().begin(),
                                    proto.iota_transpose_perm().end());
  if (groups.group_count < 1 || groups.group_size < 1) {
    return absl::InvalidArgumentError("replica_groups has no groups, or empty ones");
  }
  absl::Status status = CheckIota(groups.iota_reshape_dims, groups.iota_transpose_perm);
  if (!status.ok()) return status;
  return groups;
}
absl::StatusOr<ReplicaGroups> GroupsFromMesh(wire::MeshAxesReplicaGroupListProto* proto) {
  ReplicaGroups groups;
  groups.form = ReplicaGroups::Form::kMesh;
  absl::StatusOr<Mesh> mesh = MeshFromProto(proto->mesh());
  if (!mesh.ok()) return mesh.status();
  groups.mesh = *std::move(mesh);
  absl::StatusOr<std::vector<AxisRef>> axes = TakeAxes(groups.mesh, proto->mutable_axes());
  if (!axes.ok()) return axes.status();
  groups.axes = *std::move(axes);
  return groups;
}
// The newest form that is there; older writers have only the list of the first line, or repeat it.
Result ReadReplicaGroups(P* proto, const Instruction&) {
  absl::StatusOr<ReplicaGroups> groups = GroupsFromLists(proto->replica_groups());
  proto->clear_replica_groups();
  if (proto->has_collective_device_list()) {
    const wire::CollectiveDeviceListProto& list = proto->collective_device_list();
    if (list.has_iota_replica_group_list()) {
      groups = GroupsFromIota(list.iota_replica_group_list());
    } else if (!list.replica_groups().empty()) {
      groups = GroupsFromLists(list.replica_groups());
    }
  } else if (proto->has_iota_collective_device_list()) {
    groups = GroupsFromIota(proto->iota_collective_device_list());
  } else if (proto->has_mesh_axes_replica_group_list()) {
    groups = GroupsFromMesh(proto->mutable_mesh_axes_replica_group_list());
  }
  if (!groups.ok()) return groups.status();
  proto->clear_replica_group_list();
  return AttributeValue(*std::move(groups));
}
void WriteReplicaGroups(const AttributeValue& value, const Instruction&, P* proto) {
  const auto& groups = *GetIf<ReplicaGroups>(value);
  switch (groups.form) {
    case ReplicaGroups::Form::kList:
      for (const std::vector<int64_t>& group : groups.groups) {
        PutInts(
            group,
            proto->mutable_collective_device_list()->add_replica_groups()->mutable_replica_ids());
      }
      return;
    case ReplicaGroups::Form::kIota: {
      wire::IotaReplicaGroupListProto* iota = proto->mutable_iota_collective_device_list();
      iota->set_num_replica_groups(groups.group_count);
      iota->set_num_devices_per_group(groups.group_size);
      PutInts(groups.iota_reshape_dims, iota->mutable_iota_reshape_dims());
      PutInts(groups.iota_transpose_perm, iota->mutable_iota_transpose_perm());
      return;
    }
    case ReplicaGroups::Form::kMesh: {
      wire::MeshAxesReplicaGroupListProto* mesh = proto->mutable_mesh_axes_replica_group_list();
      *mesh->mutable_mesh() = MeshToProto(groups.mesh);
      PutAxes(groups.axes, mesh->mutable_axes());
      return;
    }
  }
}

Result ReadResultAccuracy(P* proto, const Instruction&) {
  if (!proto->has_result_accuracy()) return std::nullopt;
  const wire::ResultAccuracy& given = proto->result_accuracy();
  ResultAccuracy accuracy;
  if (given.has_tolerance()) {
    accuracy = {ResultAccuracy::Mode::kTolerance, given.tolerance().atol(),
                given.tolerance().rtol(), given.tolerance().ulps()};
  } else if (!wire::ResultAccuracy::Mode_IsValid(given.mode())) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown result_accuracy mode ", static_cast<int64_t>(given.mode())));
  } else {
    accuracy.mode = static_cast<ResultAccuracy::Mode>(given.mode());
  }
  proto->clear_result_accuracy();
  return AttributeValue(accuracy);
}
void WriteResultAccuracy(const AttributeValue& value, const Instruction&, P* proto) {
  const auto& accuracy = std::get<ResultAccuracy>(value);
  wire::ResultAccuracy* out = proto->mutable_result_accuracy();
  if (accuracy.mode != ResultAccuracy::Mode::kTolerance) {
    out->set_mode(static_cast<wire::ResultAccuracy::Mode>(accuracy.mode));
    return;
  }
  out->mutable_tolerance()->set_atol(accuracy.atol);
  out->mutable_tolerance()->set_rtol(accuracy.rtol);
  out->mutable_tolerance()->set_ulps(accuracy.ulps);
}

constexpr absl::string_view kLhsIndex = "lhs.idx";
constexpr absl::string_view kRhsIndex = "rhs.idx";

TensorSparsity SparsityOf(const wire::SparsityConfig::TensorSparsityConfig& proto,
                          const P& instruction, absl::string_view index_name) {
  TensorSparsity sparsity;
  sparsity.non_zeros = proto.num_non_zero();
  sparsity.block_size = proto.block_size();
  sparsity.dimension = proto.dimension();
  sparsity.stride = proto.stride();
  const auto& zeros = instruction.text_only().zero_attributes();
  if (proto.idx() != 0 || std::find(zeros.begin(), zeros.end(), index_name) != zeros.end()) {
    sparsity.index = proto.idx();
  }
  return sparsity;
}
void PutSparsity(const TensorSparsity& sparsity, absl::string_view index_name,
                 wire::SparsityConfig::TensorSparsityConfig* out, P* proto) {
  out->set_num_non_zero(sparsity.non_zeros);
  out->set_block_size(sparsity.block_size);
  out->set_dimension(sparsity.dimension);
  out->set_stride(sparsity.stride);
  if (!sparsity.index) return;
  out->set_idx(static_cast<int32_t>(*sparsity.index));
  if (*sparsity.index == 0) {
    proto->mutable_text_only()->add_zero_attributes(std::string(index_name));
  }
}
Result ReadSparsity(P* proto, const Instruction&) {
  if (!proto->has_sparsity_config()) return std::nullopt;
  SparsityConfig config;
  if (proto->sparsity_config().has_lhs()) {
    config.lhs = SparsityOf(proto->sparsity_config().lhs(), *proto, kLhsIndex);
  }
  if (proto->sparsity_config().has_rhs()) {
    config.rhs = SparsityOf(proto->sparsity_config().rhs(), *proto, kRhsIndex);
  }
  proto->clear_sparsity_config();
  return AttributeValue(std::move(config));
}
void WriteSparsity(const AttributeValue& value, const Instruction&, P* proto) {
  const auto& config = *GetIf<SparsityConfig>(value);
  wire::SparsityConfig* out = proto->mutable_sparsity_config();
  if (config.lhs) PutSparsity(*config.lhs, kLhsIndex, out->mutable_lhs(), proto);
  if (config.rhs) PutSparsity(*config.rhs, kRhsIndex, out->mutable_rhs(), proto);
}

Result ReadAliases(P* proto, const Instruction&) {
  OutputOperandAliases aliases;
  for (wire::OutputOperandAliasing& alias : *proto->mutable_output_operand_aliasing()) {
    aliases.push_back({TakeIndex(alias.mutable_output_shape_index()), alias.operand_index(),
                       TakeIndex(alias.mutable_operand_shape_index())});
  }
  proto->clear_output_operand_aliasing();
  return AttributeValue(std::move(aliases));
}
void WriteAliases(const AttributeValue& value, const Instruction&, P* proto) {
  for (const OutputOperandAlias& alias : std::get<OutputOperandAliases>(value)) {
    wire::OutputOperandAliasing* out = proto->add_output_operand_aliasing();
    PutInts(alias.output_index, out->mutable_output_shape_index());
    out->set_operand_index(alias.operand);
    PutInts(alias.operand_index, out->mutable_operand_shape_index());
  }
}

// The message names the operand's side the entry and the user's side the exit; text has it the
// other way round.
Result ReadDomain(P* proto, const Instruction&) {
  if (!proto->has_domain_entry_sharding() && !proto->has_domain_exit_sharding()) {
    return std::nullopt;
  }
  absl::StatusOr<Sharding> entry = ShardingFromProto(proto->mutable_domain_exit_sharding());
  if (!entry.ok()) return entry.status();
  absl::StatusOr<Sharding> exit = ShardingFromProto(proto->mutable_domain_entry_sharding());
  if (!exit.ok()) return exit.status();
  proto->clear_domain_entry_sharding();
  proto->clear_domain_exit_sharding();
  auto domain = std::make_shared<DomainSharding>();
  domain->entry = *std::move(entry);
  domain->exit = *std::move(exit);
  return AttributeValue(std::shared_ptr<const DomainSharding>(std::move(domain)));
}
void WriteDomain(const AttributeValue& value, const Instruction&, P* proto) {
  const auto& domain = std::get<std::shared_ptr<const DomainSharding>>(value);
  *proto->mutable_domain_entry_sharding() = ShardingToProto(domain->exit);
  *proto->mutable_domain_exit_sharding() = ShardingToProto(domain->entry);
}

// A shape whose arrays have layouts, given or default.
absl::StatusOr<Shape> ShapeWithLayout(const wire::ShapeProto& proto) {
  absl::StatusOr<Shape> shape = ShapeFromProto(proto);
  if (shape.ok()) shape->FillLayouts();
  return shape;
}

Result ReadOutfeedShape(P* proto, const Instruction&) {
  if (!proto->has_outfeed_shape()) return std::nullopt;
  absl::StatusOr<Shape> shape = ShapeWithLayout(proto->outfeed_shape());
  if (!shape.ok()) return shape.status();
  proto->clear_outfeed_shape();
  return AttributeValue(*std::move(shape));
}
void WriteOutfeedShape(const AttributeValue& value, const Instruction&, P* proto) {
  *proto->mutable_outfeed_shape() = ShapeToProto(*GetIf<Shape>(value));
}

Result ReadOperandLayouts(P* proto, const Instruction&) {
  if (!proto->constrain_layout()) return std::nullopt;
  std::vector<Shape> shapes;
  for (const wire::ShapeProto& given : proto->operand_shapes_with_layout()) {
    absl::StatusOr<Shape> shape = ShapeWithLayout(given);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  proto->clear_constrain_layout();
  proto->clear_operand_shapes_with_layout();
  return AttributeValue(std::move(shapes));
}
void WriteOperandLayouts(const AttributeValue& value, const Instruction&, P* proto) {
  proto->set_constrain_layout(true);
  for (const Shape& shape : std::get<std::vector<Shape>>(value)) {
    *proto->add_operand_shapes_with_layout() = ShapeToProto(shape);
  }
}

Result ReadLiteral(P* proto, const Instruction&) {
  if (!proto->has_literal()) return std::nullopt;
  absl::StatusOr<Literal> literal = LiteralFromProto(proto->literal());
  if (!literal.ok()) return literal.status();
  proto->clear_literal();
  return AttributeValue(std::make_shared<const Literal>(*std::move(literal)));
}
void WriteLiteral(const AttributeValue& value, const Instruction&, P* proto) {
  // Its size has been checked with the instruction's.
  const auto& literal = std::get<std::shared_ptr<const Literal>>(value);
  Shape shape = literal->shape();
  shape.FillLayouts();
  absl::StatusOr<wire::LiteralProto> out = LiteralToProtoAs(*literal, shape);
  if (out.ok()) *proto->mutable_literal() = *std::move(out);
}

Result ReadPairs(P* proto, const Instruction&) {
  std::vector<std::vector<int64_t>> pairs;
  for (const wire::SourceTarget& pair : proto->source_target_pairs()) {
    pairs.push_back({pair.source(), pair.target()});
  }
  proto->clear_source_target_pairs();
  return AttributeValue(std::move(pairs));
}
void WritePairs(const AttributeValue& value, const Instruction&, P* proto) {
  for (const std::vector<int64_t>& pair : std::get<std::vector<std::vector<int64_t>>>(value)) {
    wire::SourceTarget* out = proto->add_source_target_pairs();
    out->set_source(pair[0]);
    out->set_target(pair[1]);
  }
}

// The wire has one flat list; a row has as many sizes as its array has dimensions.
std::vector<int64_t> SliceSizeLengths(const Instruction& instruction, int64_t total) {
  std::vector<int64_t> ranks;
  if (instruction.operand_count() > 0) {
    for (const Shape* leaf : Leaves(instruction.operand(0)->shape())) {
      ranks.push_back(leaf->rank());
    }
  }
  int64_t sum = 0;
  for (int64_t rank : ranks) sum += rank;
  std::vector<int64_t> lengths;
  if (sum == 0 || total % sum != 0) return {total};

  // With several slices of one array its rows follow each other.
  for (int64_t rank : ranks) lengths.insert(lengths.end(), total / sum, rank);
  return lengths;
}
Result ReadSliceSizesList(P* proto, const Instruction& instruction) {
  const std::vector<int64_t> flat = TakeInts(proto->mutable_dynamic_slice_sizes());
  const int64_t total = static_cast<int64_t>(flat.size());
  std::vector<int64_t> lengths =
      TakeInts(proto->mutable_text_only()->mutable_slice_sizes_lengths());
  if (lengths.empty() && total > 0) lengths = SliceSizeLengths(instruction, total);
  std::vector<std::vector<int64_t>> lists;
  int64_t next = 0;
  for (int64_t length : lengths) {
    if (length < 0 || length > total - next) {
      return absl::InvalidArgumentError("the lengths of slice_sizes do not fit its numbers");
    }
    lists.emplace_back(flat.begin() + next, flat.begin() + next + length);
    next += length;
  }
  return AttributeValue(std::move(lists));
}
void WriteSliceSizesList(const AttributeValue& value, const Instruction& instruction, P* proto) {
  std::vector<int64_t> lengths;
  for (const std::vector<int64_t>& list : std::get<std::vector<std::vector<int64_t>>>(value)) {
    proto->mutable_dynamic_slice_sizes()->Add(list.begin(), list.end());
    lengths.push_back(static_cast<int64_t>(list.size()));
  }
  if (lengths != SliceSizeLengths(instruction, proto->dynamic_slice_sizes_size())) {
    PutInts(lengths, proto->mutable_text_only()->mutable_slice_sizes_lengths());
  }
}

}  // namespace

Codec WindowCodec() { return {ReadWindow, WriteWindow}; }
Codec PaddingCodec() { return {ReadPadding, WritePadding}; }
Codec SlicesCodec() { return {ReadSlices, WriteSlices}; }
Codec DimLabelsCodec() { return {ReadDimLabels, WriteDimLabels}; }
Codec ReplicaGroupsCodec() { return {ReadReplicaGroups, WriteReplicaGroups}; }
Codec ResultAccuracyCodec() { return {ReadResultAccuracy, WriteResultAccuracy}; }
Codec SparsityCodec() { return {ReadSparsity, WriteSparsity}; }
Codec AliasesCodec() { return {ReadAliases, WriteAliases}; }
Codec DomainCodec() { return {ReadDomain, WriteDomain}; }
Codec OutfeedShapeCodec() { return {ReadOutfeedShape, WriteOutfeedShape}; }
Codec OperandLayoutsCodec() { return {ReadOperandLayouts, WriteOperandLayouts}; }
Codec LiteralCodec() { return {ReadLiteral, WriteLiteral}; }
Codec SourceTargetPairsCodec() { return {ReadPairs, WritePairs}; }
Codec SliceSizesListCodec() { return {ReadSliceSizesList, WriteSliceSizesList, true}; }

}  // namespace assay
