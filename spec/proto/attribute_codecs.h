// How one attribute stands in HloInstructionProto. Tests: conversions_test.cc.
#ifndef ASSAY_SPEC_PROTO_ATTRIBUTE_CODECS_H_
#define ASSAY_SPEC_PROTO_ATTRIBUTE_CODECS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/ir/module.h"
#include "spec/proto/hlo.pb.h"

namespace assay {

struct Codec {
  // Takes the value out of the proto; nullopt where the field is absent. The instruction has its
  // operands and shape.
  using ReadResult = absl::StatusOr<std::optional<AttributeValue>>;
  ReadResult (*read)(wire::HloInstructionProto* proto, const Instruction& instruction);
  void (*write)(const AttributeValue& value, const Instruction& instruction,
                wire::HloInstructionProto* proto);
  // The wire cannot tell a zero or empty value from an absent one.
  bool zero_is_absent = false;
  // Zero on the wire means 1: older writers left it out.
  bool zero_means_one = false;
};

// Attributes that are more than numbers, words and lists of numbers (attribute_messages.cc).
Codec WindowCodec();
Codec PaddingCodec();
Codec SlicesCodec();
Codec DimLabelsCodec();
Codec ReplicaGroupsCodec();
Codec ResultAccuracyCodec();
Codec SparsityCodec();
Codec AliasesCodec();
Codec DomainCodec();
Codec OutfeedShapeCodec();
Codec OperandLayoutsCodec();
Codec LiteralCodec();
Codec SourceTargetPairsCodec();
Codec SliceSizesListCodec();

}  // namespace assay

#endif  // ASSAY_SPEC_PROTO_ATTRIBUTE_CODECS_H_
