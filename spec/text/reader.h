// What the parts of the parser share: the lexer, the first error, and the plain values (numbers,
// strings, lists) of hlo_text_format.md 7.2. Every Read function starts at the first token of its
// value, ends after the last one, and returns false with `status` set where the text does not fit;
// bool keeps the hot path free of StatusOr.
// Tests: parser_test.cc, parser_errors_test.cc.
#ifndef ASSAY_SPEC_TEXT_READER_H_
#define ASSAY_SPEC_TEXT_READER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "spec/ir/attribute_values.h"
#include "spec/ir/metadata.h"
#include "spec/ir/shape.h"
#include "spec/ir/shape_table.h"
#include "spec/text/lexer.h"
#include "spec/text/literal_text.h"
#include "spec/text/parser.h"

namespace assay {

class Reader {
 public:
  Reader(absl::string_view text, const ParseOptions& options);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Lexer lexer;
  absl::Status status;
  ParseOptions options;
  LiteralReadState literals;
  ShapeTable shapes;

  // These return false, so that a caller can return them.
  bool Fail(absl::Status error) {
    if (status.ok()) status = std::move(error);
    return false;
  }
  bool Fail(absl::string_view message) { return Fail(lexer.Error(message)); }
  bool FailAt(const char* at, absl::string_view message) {
    return Fail(lexer.ErrorAt(at, message));
  }
  bool FailExpected(absl::string_view what) { return Fail(lexer.Expected(what)); }
  // Forgets what failed, where the reference reads on.
  bool Forgive() {
    status = absl::OkStatus();
    return true;
  }
  // "`what` 'name' is written twice; the first stands at line:column", at `again`.
  bool FailTwice(absl::string_view what, absl::string_view name, TextPosition first,
                 const char* again);

  bool Expect(TokenKind kind) { return lexer.Eat(kind) || FailMissing(kind); }
  const char* here() const { return lexer.token().begin; }

  bool ReadInt(int64_t* value);
  bool ReadInt32(int32_t* value);
  bool ReadFloat(double* value);    // INT, DECIMAL, inf or -inf
  bool ReadFloat32(double* value);  // refuses what is beyond an f32
  bool ReadBool(bool* value);
  bool ReadString(std::string* value);
  bool ReadIdent(absl::string_view* word, absl::string_view what);
  bool ReadName(absl::string_view* word, absl::string_view what);  // IDENT or NAME
  // From the ATTR token before it: a string, or brace text.
  bool ReadRawAfterAttr(std::string* value);
  bool ReadInts(std::vector<int64_t>* values);  // {1,2}
  bool ReadIntLists(std::vector<std::vector<int64_t>>* values);
  // INT {',' INT} between two bracket tokens, at least one.
  bool ReadSizes(TokenKind open, TokenKind close, std::vector<int64_t>* values);
  bool ReadBools(std::vector<bool>* values);
  bool ReadShapeIndex(ShapeIndex* index);                       // {0,1}, a trailing comma allowed
  bool ReadFrontendAttributes(FrontendAttributes* attributes);  // from the ATTR token before it

  // open [item {',' item}] close, with a trailing comma if allowed. `item` is called on the first
  // token of each.
  template <typename Item>
  bool ReadList(TokenKind open, TokenKind close, bool trailing_comma, Item item) {
    if (!Expect(open)) return false;
    if (lexer.Eat(close)) return true;
    while (true) {
      if (!item()) return false;
      if (lexer.Eat(close)) return true;
      if (!lexer.Is(TokenKind::kComma)) return FailMissing(close, "',' or ");
      lexer.Next();
      if (trailing_comma && lexer.Eat(close)) return true;
    }
  }
  template <typename Item>
  bool ReadBraceList(Item item) {
    return ReadList(TokenKind::kLeftBrace, TokenKind::kRightBrace, false, item);
  }
  // '{' {[','] ATTR value} '}', or without the commas. `field` gets the name and stands on its
  // value's first token.
  enum class Commas { kOptional, kNone };
  template <typename Field>
  bool ReadFields(absl::string_view what, Field field, Commas commas = Commas::kOptional) {
    if (!Expect(TokenKind::kLeftBrace)) return false;
    while (!lexer.Eat(TokenKind::kRightBrace)) {
      if (commas == Commas::kOptional) lexer.Eat(TokenKind::kComma);
      if (!lexer.Is(TokenKind::kAttr)) return FailField(what);
      const Token name = lexer.token();
      lexer.Next();
      if (!field(name)) return false;
    }
    return true;
  }

 private:
  bool FailMissing(TokenKind kind, absl::string_view before = "");
  bool FailField(absl::string_view what);
};

// Which of `names` a field is; marks it in *seen. -1 with the error set when it is unknown or
// repeated.
int FindField(Reader& reader, absl::Span<const absl::string_view> names, const Token& field,
              absl::string_view what, uint32_t* seen);

// shape_reader.cc
// Whether a shape can start at the current token.
bool CanStartShape(const Lexer& lexer);
// Arrays without a written layout get the default one when `fill_layouts`.
bool ReadShape(Reader& reader, Shape* shape, bool fill_layouts = true);

// mesh_reader.cc
// '[' INT {',' INT} ']' ['T' '(' ... ')'], after '<='.
bool ReadIota(Reader& reader, std::vector<int64_t>* reshape, std::vector<int64_t>* transpose);
bool AtMesh(const Lexer& lexer);
bool ReadMesh(Reader& reader, Mesh* mesh);
bool ReadAxes(Reader& reader, const Mesh& mesh, std::vector<AxisRef>* axes);
bool ReadAxis(Reader& reader, const Mesh& mesh, AxisRef* axis);
bool ReadReplicaGroups(Reader& reader, ReplicaGroups* groups);

// sharding_reader.cc
bool ReadSharding(Reader& reader, Sharding* sharding);
// The sharding of every leaf of a value of this shape.
Sharding ExpandSharding(const Sharding& single, const Shape& shape);

// metadata_reader.cc
bool ReadMetadata(Reader& reader, Metadata* metadata);
bool ReadOriginArray(Reader& reader, std::optional<OriginArray>* array);
bool ReadOrigin(Reader& reader, OriginValue* origin);
bool ReadStatistics(Reader& reader, Statistics* statistics);

// value_reader.cc
bool ReadWindow(Reader& reader, Window* window);
bool ReadPadding(Reader& reader, PaddingConfig* padding);
bool ReadDimLabels(Reader& reader, ConvolutionDimensions* dimensions);
bool ReadSlices(Reader& reader, Slices* slices);
bool ReadResultAccuracy(Reader& reader, ResultAccuracy* accuracy);
bool ReadSparsity(Reader& reader, SparsityConfig* sparsity);
bool ReadAliases(Reader& reader, OutputOperandAliases* aliases);
bool ReadDomain(Reader& reader, DomainSharding* domain);
bool ReadTypedLiteral(Reader& reader, Literal* literal);

}  // namespace assay

#endif  // ASSAY_SPEC_TEXT_READER_H_
