// Modules, literals and shapes to and from XLA's protobuf messages (our own .proto files, XLA's
// field numbers, package assay.wire). Fields that the in-memory module has no place for, unknown
// ones too, are kept and written back. Source: reference hlo_wire_format.txt.
// Tests: conversions_test.cc.
#ifndef ASSAY_SPEC_PROTO_CONVERSIONS_H_
#define ASSAY_SPEC_PROTO_CONVERSIONS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/ir/module.h"
#include "spec/proto/hlo.pb.h"
#include "spec/proto/xla_data.pb.h"

namespace assay {

absl::StatusOr<Shape> ShapeFromProto(const wire::ShapeProto& proto);
wire::ShapeProto ShapeToProto(const Shape& shape);

// Refuses protos whose payload does not match the shape, before allocating what the shape claims.
absl::StatusOr<Literal> LiteralFromProto(const wire::LiteralProto& proto);
// RESOURCE_EXHAUSTED, naming the shape, for payloads over 2 GiB.
absl::StatusOr<wire::LiteralProto> LiteralToProto(const Literal& literal);

// Empties the proto on the way: move it in. Instructions may come in any order. INVALID_ARGUMENT,
// naming computation and instruction, for whatever does not fit together.
absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(wire::HloModuleProto proto);
// Ids are kept where they are unique. Errors: shapes nested too deep, over 2 GiB of constants.
absl::StatusOr<wire::HloModuleProto> ModuleToProto(const Module& module);

}  // namespace assay

#endif  // ASSAY_SPEC_PROTO_CONVERSIONS_H_
