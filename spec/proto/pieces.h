// The parts that the conversions share: fields without a place in the module, annotations,
// shardings. Readers take the fields they know out of the message; what is left is kept as bytes.
// Tests: conversions_test.cc.
#ifndef ASSAY_SPEC_PROTO_PIECES_H_
#define ASSAY_SPEC_PROTO_PIECES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "google/protobuf/message.h"
#include "google/protobuf/repeated_field.h"
#include "spec/ir/module.h"
#include "spec/proto/hlo.pb.h"
#include "spec/proto/xla_data.pb.h"

namespace assay {

// Tuples in tuples beyond this are refused in both directions: readers of protobufs recurse.
inline constexpr int kMaxShapeNesting = 1000;
absl::Status CheckNesting(const Shape& shape);

// What a reader has left in `rest`, serialised; empty when nothing but empty messages is left.
std::string TakeRest(google::protobuf::Message* rest);
// Merges what TakeRest gave.
void PutRest(const std::string& extras, google::protobuf::Message* message);

// Moves a repeated field out of its message, and into one.
template <typename Ints>
std::vector<typename Ints::value_type> TakeInts(Ints* field) {
  std::vector<typename Ints::value_type> values(field->begin(), field->end());
  field->Clear();
  return values;
}
template <typename Values, typename Field>
void PutInts(const Values& values, Field* field) {
  field->Assign(values.begin(), values.end());
}
inline ShapeIndex TakeIndex(google::protobuf::RepeatedField<int64_t>* field) {
  ShapeIndex index(field->begin(), field->end());
  field->Clear();
  return index;
}

std::string DeterministicBytes(const google::protobuf::MessageLite& message);

// text_form_nans.cc: writes down the bits of NaNs in literals before a message is printed as text,
// and puts them back once it is parsed. INVALID_ARGUMENT for places where no NaN stands.
void MarkNans(google::protobuf::Message* message);
absl::Status RestoreNans(google::protobuf::Message* message);

// These empty the message they read, except for what becomes wire_extras.
Metadata MetadataFromProto(wire::OpMetadata* proto);
wire::OpMetadata MetadataToProto(const Metadata& metadata);
absl::StatusOr<Sharding> ShardingFromProto(wire::OpSharding* proto);
wire::OpSharding ShardingToProto(const Sharding& sharding);
absl::StatusOr<Mesh> MeshFromProto(const wire::MeshProto& proto);
wire::MeshProto MeshToProto(const Mesh& mesh);
// Empties the list. Axes that the mesh does not have are refused.
absl::StatusOr<std::vector<AxisRef>> TakeAxes(
    const Mesh& mesh, google::protobuf::RepeatedPtrField<wire::AxisRefProto>* protos);
void PutAxes(const std::vector<AxisRef>& axes,
             google::protobuf::RepeatedPtrField<wire::AxisRefProto>* protos);
// 0..n-1 as an array of `dims`, transposed by `perm`: sizes from 1, dimensions, each once unless
// they may be repeated.
absl::Status CheckIota(absl::Span<const int64_t> dims, absl::Span<const int64_t> perm,
                       bool may_repeat = false);
OriginArray OriginArrayFromProto(const wire::OriginalArrayProto& proto);
wire::OriginalArrayProto OriginArrayToProto(const OriginArray& array);
// INVALID_ARGUMENT for a key that is not UTF-8: the text form of a proto can hold one, a binary
// file cannot.
absl::Status ReadFrontendAttributes(wire::FrontendAttributes* proto,
                                    FrontendAttributes* attributes);
wire::FrontendAttributes FrontendAttributesToProto(const FrontendAttributes& attributes);

// All annotations of an instruction; wire_extras are not among them. The instruction has its shape.
absl::Status ReadAnnotations(wire::HloInstructionProto* proto, Instruction* instruction);
void WriteAnnotations(const Annotations& annotations, wire::HloInstructionProto* proto);

// The attributes of the operation's schema, called computations excepted. The instruction has its
// operands and its shape.
absl::Status ReadAttributes(wire::HloInstructionProto* proto, Instruction* instruction);
void WriteAttributes(const Instruction& instruction, wire::HloInstructionProto* proto);
// The attributes that name computations, in the order in which the wire format lists them.
// INVALID_ARGUMENT when their number does not fit.
absl::Status AssignCallees(const std::vector<Computation*>& callees, Instruction* instruction);

wire::ProgramShapeProto ProgramShapeToProto(const ProgramShape& program);

// Header fields of a module that stand in messages of their own: aliases, donors, stack frames,
// tables of origins and debugging, counts, schedules excepted.
absl::Status ReadHeader(wire::HloModuleProto* proto, Module* module);
absl::Status WriteHeader(const Module& module, wire::HloModuleProto* proto);

// A literal under a shape that is known already (a constant's). See LiteralToProto.
absl::StatusOr<wire::LiteralProto> LiteralToProtoAs(const Literal& literal, const Shape& shape);
// Whether the literal lacks the elements that its shape has: an elided constant.
bool IsElided(const wire::LiteralProto& proto);

}  // namespace assay

#endif  // ASSAY_SPEC_PROTO_PIECES_H_
