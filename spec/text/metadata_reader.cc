// What an instruction carries besides its meaning: metadata, origin values, statistics
// (hlo_text_format.md 7.2, 7.3).
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/text/reader.h"

namespace assay {
namespace {

constexpr absl::string_view kMetadataFields[] = {
    "op_type", "op_name", "source_file", "source_line", "source_end_line", "source_column",
    "source_end_column", "profile_type", "deduplicated_name", "scheduling_name", "stack_frame_id",
    "metadata_payload",
    // Fields of past versions (appendix B), read and dropped.
    "preserve_layout", "size_of_generated_code_in_bytes", "size_of_memory_working_set_in_bytes"};

bool ReadProfileTypes(Reader& reader, std::vector<int32_t>* types) {
  return reader.ReadBraceList([&] {
    const char* at = reader.here();
    int64_t type = 0;
    if (!reader.ReadInt(&type)) return false;
    if (type < 0 || type > 3) return reader.FailAt(at, "a profile_type is 0, 1, 2 or 3");
    types->push_back(static_cast<int32_t>(type));
    return true;
  });
}

bool SkipOldField(Reader& reader) {
  bool flag = false;
  int64_t number = 0;
  return reader.lexer.Is(TokenKind::kInt) ? reader.ReadInt(&number) : reader.ReadBool(&flag);
}

// A tree of origin leaves: '(' trees ')' or a leaf in braces.
bool ReadOriginTree(Reader& reader, OriginValue* origin) {
  if (!reader.lexer.Is(TokenKind::kLeftParen)) return ReadOriginArray(reader, &origin->array);
  NestingScope nesting(reader.lexer);
  if (!nesting.status().ok()) return reader.Fail(nesting.status());
  origin->is_tuple = true;
  return reader.ReadList(TokenKind::kLeftParen, TokenKind::kRightParen, false,
                         [&] { return ReadOriginTree(reader, &origin->elements.emplace_back()); });
}

}  // namespace

bool ReadMetadata(Reader& reader, Metadata* metadata) {
  uint32_t seen = 0;
  return reader.ReadFields("metadata", [&](const Token& name) {
    switch (FindField(reader, kMetadataFields, name, "metadata", &seen)) {
      case 0:
        return reader.ReadString(&metadata->op_type);
      case 1:
        return reader.ReadString(&metadata->op_name);
      case 2:
        return reader.ReadString(&metadata->source_file);
      case 3:
        return reader.ReadInt32(&metadata->source_line);
      case 4:
        return reader.ReadInt32(&metadata->source_end_line);
      case 5:
        return reader.ReadInt32(&metadata->source_column);
      case 6:
        return reader.ReadInt32(&metadata->source_end_column);
      case 7:
        return ReadProfileTypes(reader, &metadata->mutable_rare().profile_type);
      case 8:
        return reader.ReadString(&metadata->mutable_rare().deduplicated_name);
      case 9:
        return reader.ReadString(&metadata->mutable_rare().scheduling_name);
      case 10:
        return reader.ReadInt32(&metadata->stack_frame_id);
      case 11:
        return reader.ReadString(&metadata->mutable_rare().payload);
      case -1:
        return false;
      default:
        return SkipOldField(reader);
    }
  });
}

bool ReadOriginArray(Reader& reader, std::optional<OriginArray>* array) {
  if (!reader.Expect(TokenKind::kLeftBrace)) return false;
  if (reader.lexer.Eat(TokenKind::kRightBrace)) return true;
  OriginArray& leaf = array->emplace();
  if (!reader.ReadString(&leaf.instruction_name)) return false;
  if (reader.lexer.Is(TokenKind::kLeftBrace) && !reader.ReadShapeIndex(&leaf.shape_index)) {
    return false;
  }
  return reader.Expect(TokenKind::kRightBrace);
}

bool ReadOrigin(Reader& reader, OriginValue* origin) {
  Lexer& lexer = reader.lexer;
  if (!reader.Expect(TokenKind::kLeftBrace)) return false;
  if (lexer.Eat(TokenKind::kLeftBracket)) {
    absl::string_view word;
    const char* at = reader.here();
    if (!reader.ReadIdent(&word, "synthetic_call")) return false;
    if (word != "synthetic_call") return reader.FailAt(at, "expected 'synthetic_call' in origin");
    origin->is_synthetic_call = true;
    return reader.Expect(TokenKind::kRightBracket) && reader.Expect(TokenKind::kRightBrace);
  }
  if (lexer.Eat(TokenKind::kRightBrace)) {  // origin={} is the empty tuple
    origin->is_tuple = true;
    return true;
  }
  return ReadOriginTree(reader, origin) && reader.Expect(TokenKind::kRightBrace);
}

bool ReadStatistics(Reader& reader, Statistics* statistics) {
  Lexer& lexer = reader.lexer;
  bool first = true;
  return reader.ReadBraceList([&] {
    if (!lexer.Is(TokenKind::kAttr)) return reader.FailExpected("the name of a statistic with '='");
    const std::string name(lexer.word());
    lexer.Next();
    // The first pair says which statistic to show, whatever its name.
    if (std::exchange(first, false)) return reader.ReadInt(&statistics->index_to_visualize);
    Statistic& statistic = statistics->values.emplace_back();
    statistic.name = name;
    if (!lexer.Is(TokenKind::kDecimal)) return reader.ReadFloat(&statistic.value);
    statistic.value = lexer.decimal_value();  // infinite when it is too large
    lexer.Next();
    return true;
  });
}

}  // namespace assay
