// A module as the content of a file. Test: module_file_test.cc.
#include <climits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"
#include "spec/proto/conversions.h"
#include "spec/proto/module_file.h"
#include "spec/proto/pieces.h"
#include "spec/text/printer.h"

namespace assay {
namespace {

absl::StatusOr<std::string> Serialize(google::protobuf::Message* message, bool text_form) {
  if (message->ByteSizeLong() > INT_MAX) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the module takes ", message->ByteSizeLong(),
                     " bytes as a protobuf, more than the 2 GiB that one can hold"));
  }
  if (!text_form) return DeterministicBytes(*message);
  MarkNans(message);
  std::string text;
  google::protobuf::TextFormat::PrintToString(*message, &text);
  return text;
}

}  // namespace

absl::StatusOr<std::string> SerializeModule(const Module& module, ModuleFormat format,
                                            bool text_form) {
  switch (format) {
    case ModuleFormat::kHloText:
      return PrintModule(module, PrintOptions::Lossless());
    case ModuleFormat::kModuleProto: {
      absl::StatusOr<wire::HloModuleProto> proto = ModuleToProto(module);
      return proto.ok() ? Serialize(&*proto, text_form) : proto.status();
    }
    case ModuleFormat::kHloProto: {
      absl::StatusOr<wire::HloModuleProto> proto = ModuleToProto(module);
      if (!proto.ok()) return proto.status();
      wire::HloProto holder;
      *holder.mutable_hlo_module() = *std::move(proto);
      return Serialize(&holder, text_form);
    }
    case ModuleFormat::kSnapshot:
    case ModuleFormat::kUnoptimizedSnapshot:
      break;
    case ModuleFormat::kStableHlo:
      return absl::UnimplementedError("StableHLO is written by spec/stablehlo");
  }
  return absl::InvalidArgumentError("a snapshot is written with its arguments");
}

absl::StatusOr<std::string> SerializeSnapshot(const Module& module,
                                              absl::Span<const Literal> arguments,
                                              const Literal* result, const std::string& platform,
                                              bool text_form) {
  wire::HloSnapshot snapshot;
  absl::StatusOr<wire::HloModuleProto> proto = ModuleToProto(module);
  if (!proto.ok()) return proto.status();
  *snapshot.mutable_hlo()->mutable_hlo_module() = *std::move(proto);
  for (const Literal& argument : arguments) {
    absl::StatusOr<wire::LiteralProto> literal = LiteralToProto(argument);
    if (!literal.ok()) return literal.status();
    *snapshot.add_arguments() = *std::move(literal);
  }
  if (result != nullptr) {
    absl::StatusOr<wire::LiteralProto> literal = LiteralToProto(*result);
    if (!literal.ok()) return literal.status();
    *snapshot.mutable_result() = *std::move(literal);
  }
  snapshot.set_execution_platform(platform);
  return Serialize(&snapshot, text_form);
}

}  // namespace assay
