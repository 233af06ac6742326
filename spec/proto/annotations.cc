// Metadata, origins, statistics: what an instruction carries besides its meaning, to and from their
// messages. Test: conversions_test.cc.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
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

std::string TakeText(std::string* text) {
  std::string value = std::move(*text);
  text->clear();
  return value;
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
  metadata.stack_frame_id = proto->stack_frame_id();
  proto->clear_stack_frame_id();
  Metadata::Rare rare;
  for (int type : proto->profile_type()) rare.profile_type.push_back(type);
  proto->clear_profile_type();
  rare.deduplicated_name = TakeText(proto->mutable_deduplicated_name());
  rare.scheduling_name = TakeText(proto->mutable_scheduling_name());
  if (proto->metadata_payload().has_value()) {
    rare.payload = proto->metadata_payload().value();
    proto->mutable_metadata_payload()->clear_value();
  }
  rare.wire_extras = TakeRest(proto);
  if (!(rare == Metadata::Rare{})) metadata.mutable_rare() = std::move(rare);
  return metadata;
}

wire::OpMetadata MetadataToProto(const Metadata& metadata) {
  wire::OpMetadata proto;
  const Metadata::Rare& rare = metadata.rare();
  PutRest(rare.wire_extras, &proto);
  proto.set_op_type(metadata.op_type);
  proto.set_op_name(metadata.op_name);
  proto.set_source_file(metadata.source_file);
  proto.set_source_line(metadata.source_line);
  proto.set_source_end_line(metadata.source_end_line);
  proto.set_source_column(metadata.source_column);
  proto.set_source_end_column(metadata.source_end_column);
  for (int32_t type : rare.profile_type) {
    proto.add_profile_type(static_cast<wire::ProfileType>(type));
  }
  proto.set_deduplicated_name(rare.deduplicated_name);
  proto.set_scheduling_name(rare.scheduling_name);
  proto.set_stack_frame_id(metadata.stack_frame_id);
  if (!rare.payload.empty()) proto.mutable_metadata_payload()->set_value(rare.payload);
  return proto;
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

namespace {

// Returns true if the bytes are well-formed UTF-8 (Unicode 15, table 3-7): no overlong form, no
// surrogate, nothing above U+10FFFF.
bool IsUtf8(absl::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return false;
    const int further = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    for (int k = 0; k < further; ++k, ++i) {
      if (i == text.size()) return false;
      const auto byte = static_cast<unsigned char>(text[i]);
      const bool first = k == 0;
      const unsigned char low = first && lead == 0xe0 ? 0xa0 : first && lead == 0xf0 ? 0x90 : 0x80;
      const unsigned char high = first && lead == 0xed ? 0x9f : first && lead == 0xf4 ? 0x8f : 0xbf;
      if (byte < low || byte > high) return false;
    }
  }
  return true;
}

}  // namespace

absl::Status ReadFrontendAttributes(wire::FrontendAttributes* proto,
                                    FrontendAttributes* attributes) {
  for (const auto& [key, value] : proto->map()) {
    if (!IsUtf8(key)) {
      return absl::InvalidArgumentError(absl::StrCat("the key \"", absl::CHexEscape(key),
                                                     "\" of frontend_attributes is not UTF-8"));
    }
    (*attributes)[key] = value;
  }
  proto->clear_map();
  return absl::OkStatus();
}

wire::FrontendAttributes FrontendAttributesToProto(const FrontendAttributes& attributes) {
  wire::FrontendAttributes proto;
  for (const auto& [key, value] : attributes) (*proto.mutable_map())[key] = value;
  return proto;
}

absl::Status ReadAnnotations(wire::HloInstructionProto* proto, Instruction* instruction) {
  if (absl::Status status = ReadShardingAndOrigin(proto, instruction); !status.ok()) return status;
  if (!proto->frontend_attributes().map().empty()) {
    if (absl::Status status =
            ReadFrontendAttributes(proto->mutable_frontend_attributes(),
                                   &instruction->mutable_annotations().frontend_attributes);
        !status.ok()) {
      return status;
    }
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
    const auto& leaves = proto->parameter_replication().replicated_at_leaf_buffers();
    instruction->mutable_annotations().parameter_replication.emplace().assign(leaves.begin(),
                                                                              leaves.end());
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
  if (annotations.parameter_replication) {
    PutInts(*annotations.parameter_replication,
            proto->mutable_parameter_replication()->mutable_replicated_at_leaf_buffers());
  }
}

}  // namespace assay
