// Tables about where a program came from: stack frames, recovery of optimised values, debug
// attributes (hlo_text_format.md 2.3, 2.4).
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/text/module_parser.h"

namespace assay {
namespace {

// INT [STRING] rows. The number is that of the row and says nothing; a name that is missing is
// empty.
bool ReadStringRows(Reader& reader, std::vector<std::string>* rows) {
  while (reader.lexer.Eat(TokenKind::kInt)) {
    std::string& row = rows->emplace_back();
    if (reader.lexer.Is(TokenKind::kString) && !reader.ReadString(&row)) return false;
  }
  return true;
}

constexpr absl::string_view kLocationFields[] = {"file_name_id", "function_name_id", "line",
                                                 "column",       "end_line",         "end_column"};
constexpr absl::string_view kFrameFields[] = {"file_location_id", "parent_frame_id"};

bool ReadLocation(Reader& reader, StackFrames::FileLocation* location) {
  int32_t* const fields[] = {&location->file_name_id, &location->function_name_id,
                             &location->line,         &location->column,
                             &location->end_line,     &location->end_column};
  const char* at = reader.here();
  uint32_t seen = 0;
  if (!reader.ReadFields("a file location", [&](const Token& name) {
        const int field = FindField(reader, kLocationFields, name, "a file location", &seen);
        return field >= 0 && reader.ReadInt32(fields[field]);
      })) {
    return false;
  }
  if (seen == 0b1111) {  // older dumps have no ends
    location->end_line = location->line;
    location->end_column = location->column;
    return true;
  }
  for (size_t i = 0; i < std::size(kLocationFields); ++i) {
    if ((seen >> i & 1) == 0) {
      return reader.FailAt(at, absl::StrCat("a file location needs ", kLocationFields[i]));
    }
  }
  return true;
}

bool ReadFrame(Reader& reader, StackFrames::Frame* frame) {
  const char* at = reader.here();
  uint32_t seen = 0;
  if (!reader.ReadFields("a stack frame", [&](const Token& name) {
        const int field = FindField(reader, kFrameFields, name, "a stack frame", &seen);
        return field >= 0 &&
               reader.ReadInt32(field == 0 ? &frame->file_location_id : &frame->parent_frame_id);
      })) {
    return false;
  }
  if (seen != 3) return reader.FailAt(at, "a stack frame needs file_location_id, parent_frame_id");
  // Written one too large: 1 is "no parent".
  if (frame->parent_frame_id != INT32_MIN) --frame->parent_frame_id;
  return true;
}

template <typename Row, typename Read>
bool ReadRows(Reader& reader, std::vector<Row>* rows, Read read) {
  while (reader.lexer.Is(TokenKind::kInt)) {
    reader.lexer.Next();
    if (!read(reader, &rows->emplace_back())) return false;
  }
  return true;
}

bool ExpectTable(Reader& reader, Keyword keyword, absl::string_view name) {
  return reader.lexer.Eat(keyword) ||
         reader.FailExpected(absl::StrCat("the table ", name, " (all four stand in order)"));
}

constexpr absl::string_view kDebugFields[] = {"log_mode", "callback_id", "partitioned", "op_id"};

bool ReadDebugAttributes(Reader& reader, DebugAttributes* attributes) {
  uint32_t seen = 0;
  return reader.ReadBraceList([&] {
    if (!reader.lexer.Is(TokenKind::kAttr)) return reader.FailExpected("a debug attribute");
    const Token name = reader.lexer.token();
    reader.lexer.Next();
    switch (FindField(reader, kDebugFields, name, "debug attributes", &seen)) {
      case 0: {
        const char* at = reader.here();
        absl::string_view mode;
        if (!reader.ReadIdent(&mode, "default or fusion_debugger")) return false;
        if (mode != "default" && mode != "fusion_debugger") {
          return reader.FailAt(
              at, absl::StrCat("log_mode '", mode, "' is not default or fusion_debugger"));
        }
        attributes->log_mode = mode == "default" ? DebugAttributes::LogMode::kDefault
                                                 : DebugAttributes::LogMode::kFusionDebugger;
        return true;
      }
      case 1:
        return reader.ReadInt(&attributes->callback_id);
      case 2:
        return reader.ReadBool(&attributes->partitioned);
      case 3:
        return reader.ReadInt(&attributes->op_id);
      default:
        return false;
    }
  });
}

}  // namespace

bool ModuleParser::ReadStackTables() {
  StackFrames& tables = module_->stack_frames;
  return ExpectTable(reader_, Keyword::kFileNames, "FileNames") &&
         ReadStringRows(reader_, &tables.file_names) &&
         ExpectTable(reader_, Keyword::kFunctionNames, "FunctionNames") &&
         ReadStringRows(reader_, &tables.function_names) &&
         ExpectTable(reader_, Keyword::kFileLocations, "FileLocations") &&
         ReadRows(reader_, &tables.file_locations, ReadLocation) &&
         ExpectTable(reader_, Keyword::kStackFrames, "StackFrames") &&
         ReadRows(reader_, &tables.frames, ReadFrame);
}

bool ModuleParser::ReadRecoveryTable() {
  if (!reader_.Expect(TokenKind::kLeftBrace)) return false;
  while (!reader_.lexer.Eat(TokenKind::kRightBrace)) {
    if (!ReadRecoveryEntry()) return false;
  }
  return true;
}

bool ModuleParser::ReadRecoveryEntry() {
  Lexer& lexer = reader_.lexer;
  OriginRecovery& entry = module_->origin_recovery.emplace_back();
  if (!ReadOriginArray(reader_, &entry.from) || !reader_.Expect(TokenKind::kColon) ||
      !ReadOriginArray(reader_, &entry.to)) {
    return false;
  }
  if (!lexer.Eat(TokenKind::kComma)) return true;
  const char* at = reader_.here();
  std::string text;
  if (!reader_.ReadString(&text)) return false;
  // A module within the module may nest half as deep: the levels share one stack.
  ParseOptions options = reader_.options;
  options.file_name.clear();
  options.max_nesting /= 2;
  auto recovery = ModuleParser(text, options).Parse();
  if (!recovery.ok()) {
    return reader_.FailAt(at,
                          absl::StrCat("in this recovery module, ", recovery.status().message()));
  }
  entry.recovery = *std::move(recovery);
  return true;
}

bool ModuleParser::ReadDebugTable() {
  return reader_.ReadBraceList([&] { return ReadDebugEntry(); });
}

bool ModuleParser::ReadDebugEntry() {
  DebugEntry& entry = module_->debug_attributes.emplace_back();
  if (!ReadOriginArray(reader_, &entry.array) || !reader_.Expect(TokenKind::kColon)) return false;
  auto read = [&] { return ReadDebugAttributes(reader_, &entry.attributes.emplace_back()); };
  if (!reader_.lexer.Is(TokenKind::kLeftParen)) return read();
  return reader_.ReadList(TokenKind::kLeftParen, TokenKind::kRightParen, false, read);
}

}  // namespace assay
