// Content to module: the format is told first, then read by its own reader. Test:
// module_file_test.cc.
#include "spec/proto/module_file.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"
#include "spec/files/file_io.h"
#include "spec/proto/conversions.h"
#include "spec/proto/module_format.h"
#include "spec/proto/pieces.h"
#include "spec/stablehlo/bytecode.h"
#include "spec/stablehlo/text.h"
#include "spec/text/parser.h"

namespace assay {
namespace {

// Levels of messages: a shape nested as deep as one may be, and what stands around it.
constexpr int kMaxDepth = kMaxShapeNesting + 100;

absl::string_view MessageName(ModuleFormat format) {
  switch (format) {
    case ModuleFormat::kHloText:
      return "HLO text";
    case ModuleFormat::kModuleProto:
      return "HloModuleProto";
    case ModuleFormat::kHloProto:
      return "HloProto";
    case ModuleFormat::kSnapshot:
      return "HloSnapshot";
    case ModuleFormat::kUnoptimizedSnapshot:
      return "HloUnoptimizedSnapshot";
    case ModuleFormat::kStableHlo:
      return "StableHLO";
  }
  return "";
}

// The first error of a text proto; fields that this version does not know are passed over.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!text_.empty()) return;
    text_ = line < 0 ? message
                     : absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  void AddWarning(int, int, const std::string&) override {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

absl::Status ParseMessage(absl::string_view content, const ModuleFile& file,
                          google::protobuf::Message* message) {
  google::protobuf::LogSilencer silence;  // errors are returned, not logged
  if (file.text_form) {
    google::protobuf::TextFormat::Parser parser;
    FirstError errors;
    parser.RecordErrorsTo(&errors);
    parser.AllowUnknownField(true);
    parser.SetRecursionLimit(kMaxDepth);
    google::protobuf::io::ArrayInputStream input(content.data(), static_cast<int>(content.size()));
    if (parser.Parse(&input, message)) return RestoreNans(message);
    return absl::InvalidArgumentError(
        absl::StrCat("not a good ", MessageName(file.format), " in text form: ", errors.text()));
  }
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(content.data()),
                                               static_cast<int>(content.size()));
  input.SetRecursionLimit(kMaxDepth);
  if (message->ParseFromCodedStream(&input) && input.ConsumedEntireMessage()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("truncated or corrupt ", MessageName(file.format),
                                                 " (or nested more than ", kMaxDepth,
                                                 " levels deep)"));
}

absl::Status TakeModule(wire::HloModuleProto* proto, ModuleFile* file) {
  absl::StatusOr<std::unique_ptr<Module>> module = ModuleFromProto(std::move(*proto));
  if (!module.ok()) return module.status();
  file->module = *std::move(module);
  return absl::OkStatus();
}

template <typename Literals>
absl::Status TakeArguments(const Literals& protos, ModuleFile* file) {
  for (int i = 0; i < static_cast<int>(protos.size()); ++i) {
    absl::StatusOr<Literal> literal = LiteralFromProto(protos[i]);
    if (!literal.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", i, ": ", literal.status().message()));
    }
    file->arguments.push_back(*std::move(literal));
  }
  return absl::OkStatus();
}

absl::Status ReadSnapshot(absl::string_view content, ModuleFile* file) {
  wire::HloSnapshot snapshot;
  if (absl::Status status = ParseMessage(content, *file, &snapshot); !status.ok()) return status;
  absl::Status status = TakeModule(snapshot.mutable_hlo()->mutable_hlo_module(), file);
  if (status.ok()) status = TakeArguments(snapshot.arguments(), file);
  if (!status.ok() || !snapshot.has_result()) return status;
  absl::StatusOr<Literal> result = LiteralFromProto(snapshot.result());
  if (!result.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("result: ", result.status().message()));
  }
  file->result = *std::move(result);
  return absl::OkStatus();
}

absl::Status ReadProto(absl::string_view content, ModuleFile* file) {
  switch (file->format) {
    case ModuleFormat::kHloText:
    case ModuleFormat::kStableHlo:
      break;
    case ModuleFormat::kModuleProto: {
      wire::HloModuleProto proto;
      absl::Status status = ParseMessage(content, *file, &proto);
      return status.ok() ? TakeModule(&proto, file) : status;
    }
    case ModuleFormat::kHloProto: {
      wire::HloProto proto;
      absl::Status status = ParseMessage(content, *file, &proto);
      return status.ok() ? TakeModule(proto.mutable_hlo_module(), file) : status;
    }
    case ModuleFormat::kSnapshot:
      return ReadSnapshot(content, file);
    case ModuleFormat::kUnoptimizedSnapshot: {
      wire::HloUnoptimizedSnapshot proto;
      absl::Status status = ParseMessage(content, *file, &proto);
      if (status.ok()) status = TakeModule(proto.mutable_hlo_module(), file);
      // Those of the first partition: the others run the same module.
      if (status.ok() && proto.partitions_size() > 0) {
        status = TakeArguments(proto.partitions(0).arguments(), file);
      }
      return status;
    }
  }
  return absl::InternalError("no protobuf format");
}

// What comes first after blanks and lines of comment.
absl::string_view SkipComments(absl::string_view text) {
  while (true) {
    text = absl::StripLeadingAsciiWhitespace(text);
    if (!absl::StartsWith(text, "//")) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

// The name at the start of a text, of letters, digits and "._-"; it is removed.
absl::string_view ConsumeName(absl::string_view* text) {
  const auto end = std::find_if_not(text->begin(), text->end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  });
  const absl::string_view name = text->substr(0, end - text->begin());
  text->remove_prefix(name.size());
  return name;
}

// An instruction of HLO, "%x = f32[2] ..." or "x = (f32[], ...": its shape is what MLIR lacks.
bool StartsWithInstruction(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "ROOT")) text = absl::StripLeadingAsciiWhitespace(text);
  absl::ConsumePrefix(&text, "%");
  if (ConsumeName(&text).empty()) return false;
  text = absl::StripLeadingAsciiWhitespace(text);
  if (!absl::ConsumePrefix(&text, "=")) return false;
  text = absl::StripLeadingAsciiWhitespace(text);
  if (absl::StartsWith(text, "(")) return true;
  return !ConsumeName(&text).empty() && absl::StartsWith(text, "[");
}

// A symbol that an operation defines, "util.func public @f(", "ml_program.global private ...".
bool StartsWithSymbol(absl::string_view text) {
  if (!absl::StrContains(ConsumeName(&text), ".") || !absl::ConsumePrefix(&text, " ")) return false;
  return absl::StartsWith(text, "@") || absl::StartsWith(text, "private ") ||
         absl::StartsWith(text, "public ");
}

// MLIR as text: "module @jit_f attributes {...} {", "func.func ...", "#loc = ...". A module without
// a name looks like a computation of HLO that is called module, but for what stands in it.
bool IsMlirText(absl::string_view content) {
  absl::string_view text = SkipComments(content);
  absl::ConsumePrefix(&text, "builtin.");
  if (absl::ConsumePrefix(&text, "module")) {
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(text);
    if (absl::ConsumePrefix(&rest, "{")) return !StartsWithInstruction(SkipComments(rest));
    return absl::StartsWith(rest, "@") || absl::StartsWith(rest, "attributes");
  }
  return absl::StartsWith(text, "func.func") || StartsWithSymbol(text) ||
         absl::StartsWith(text, "\"builtin.module\"") || absl::StartsWith(text, "\"func.func\"") ||
         absl::StartsWith(text, "sdy.mesh") ||
         ((absl::StartsWith(text, "#") || absl::StartsWith(text, "!")) &&
          (absl::StrContains(text, "func.func") || absl::StrContains(text, "module")));
}

// Formats that one would like to be read and that are not.
absl::Status CheckReadable(absl::string_view content) {
  const absl::string_view text = SkipComments(content);
  if (absl::StartsWith(text, "{") || absl::StartsWith(text, "[")) {
    return absl::InvalidArgumentError(
        "this is JSON, which modules are written in but not read from; HLO text, protobufs and "
        "StableHLO are read");
  }
  return absl::OkStatus();
}

// A program of StableHLO as a module, whose constants stay where they are in the content where its
// owner is known, who lets them be moved within it. The program itself is gone afterwards, so that
// its text need not be kept.
absl::StatusOr<ModuleFile> ReadStableHlo(absl::string_view content, bool is_bytecode,
                                         const std::string& name,
                                         stablehlo::ToModuleOptions options,
                                         std::shared_ptr<const void> owner) {
  absl::StatusOr<std::unique_ptr<stablehlo::Program>> program =
      is_bytecode
          ? stablehlo::ParseBytecode(content, name, std::move(owner), stablehlo::SharedBytes::kMove)
          : stablehlo::ParseText(content, name, nullptr);
  if (!program.ok()) return program.status();
  options.file_name = name;
  absl::StatusOr<stablehlo::ConvertedProgram> converted = stablehlo::ToModule(**program, options);
  if (!converted.ok()) return converted.status();
  ModuleFile file;
  file.format = ModuleFormat::kStableHlo;
  file.text_form = !is_bytecode;
  file.module = std::move(converted->module);
  file.checks = std::move(converted->checks);
  file.result_count = converted->result_count;
  file.result_names = std::move(converted->result_names);
  file.device_arguments = std::move(converted->device_arguments);
  return file;
}

absl::StatusOr<ModuleFile> ParseContent(absl::string_view content, const std::string& name,
                                        const stablehlo::ToModuleOptions& options,
                                        std::shared_ptr<const void> owner) {
  ModuleFile file;
  if (content.empty()) return absl::InvalidArgumentError(absl::StrCat(name, ": is empty"));
  if (content.size() > kMaxFileBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(name, ": larger than 2 GiB"));
  }
  if (absl::Status status = CheckReadable(content); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat(name, ": ", status.message()));
  }
  const bool is_bytecode = stablehlo::LooksLikeBytecode(content);
  if (is_bytecode || IsMlirText(content)) {
    return ReadStableHlo(content, is_bytecode, name, options, std::move(owner));
  }
  std::optional<ModuleFormat> format = BinaryFormat(content);
  file.text_form = !format;
  if (!format && !LooksLikeText(content)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": neither HLO text nor a protobuf with a module in it, nor StableHLO"));
  }
  if (!format) format = TextProtoFormat(content);
  if (!format) {
    ParseOptions reading;
    reading.file_name = name;
    absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(content, reading);
    if (!module.ok()) return module.status();
    file.module = *std::move(module);
    return file;
  }
  file.format = *format;
  if (absl::Status status = ReadProto(content, &file); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat(name, ": ", status.message()));
  }
  return file;
}

}  // namespace

absl::StatusOr<ModuleFile> ParseModuleFile(absl::string_view content, const std::string& name,
                                           const stablehlo::ToModuleOptions& options) {
  return ParseContent(content, name, options, nullptr);
}

absl::StatusOr<ModuleFile> OpenModuleFile(const std::string& path,
                                          const stablehlo::ToModuleOptions& options) {
  absl::StatusOr<std::string> content = ReadFile(path);
  if (!content.ok()) return content.status();
  const std::string name = path == "-" ? "standard input" : path;
  const bool compressed = content->size() > 1 && (*content)[0] == '\x1f' && (*content)[1] == '\x8b';
  content = Decompress(*std::move(content), name);
  if (!content.ok()) return content.status();
  // Constants of StableHLO may be moved within it, so it must be writable.
  const auto shared = std::make_shared<std::string>(*std::move(content));
  absl::StatusOr<ModuleFile> file = ParseContent(*shared, name, options, shared);
  if (file.ok()) file->compressed = compressed;
  return file;
}

}  // namespace assay
