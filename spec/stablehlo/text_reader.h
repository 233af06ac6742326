// The parser of StableHLO text: one class over the lexer, whose members are spread over files by
// what they read. Every member that reads returns false after an error, which is kept; the first
// one wins. Private to the text reader (text.h is its interface).
#ifndef ASSAY_SPEC_STABLEHLO_TEXT_READER_H_
#define ASSAY_SPEC_STABLEHLO_TEXT_READER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/stablehlo/dialect.h"
#include "spec/stablehlo/forms.h"
#include "spec/stablehlo/text_lexer.h"
#include "spec/stablehlo/tree.h"

namespace assay::stablehlo {

using TypeList = absl::InlinedVector<const Type*, 4>;

class TextReader {
 public:
  // `text` must live as long as the program.
  TextReader(Program& program, absl::string_view text, const std::string& file_name);

  absl::Status ReadProgram();
  absl::StatusOr<const Type*> ReadLoneType();
  absl::StatusOr<const Attribute*> ReadLoneAttribute();

 private:
  // What a name stands for: the results of an operation from `first` on, or one value.
  struct NamedValues {
    Ref<Value> first;
    int32_t count = 1;
  };
  struct ResultName {
    absl::string_view name;
    const char* at = nullptr;
    int32_t count = 1;
  };
  // The names visible in an operation that is isolated from above.
  struct Names {
    absl::flat_hash_map<absl::string_view, NamedValues> values;
    std::vector<absl::string_view> defined;  // in order, so that a region's end can forget its own
  };
  struct Alias {
    const char* at = nullptr;   // the text of the value
    const char* end = nullptr;  // what follows it, once it was read
    bool in_progress = false;
    const Attribute* attribute = nullptr;
    const Type* type = nullptr;
  };
  struct Resource {
    absl::string_view hex;  // "0x..." with its quotes
    const char* at = nullptr;
  };
  // An operation while it is read.
  struct Pending {
    const OperationName* name = nullptr;
    const Form* form = nullptr;
    const char* at = nullptr;
    TextPosition position;
    absl::InlinedVector<Value*, 4> operands;
    absl::InlinedVector<const char*, 4> operand_at;
    TypeList results;
    absl::InlinedVector<NamedAttribute, 4> attributes;
    std::vector<std::vector<Block*>> regions;  // the blocks of each
    const Location* location = nullptr;
    absl::InlinedVector<ResultName, 2> names;
    // A dictionary written the attributes of the function's arguments and results.
    bool has_types = false;
  };
  struct ArgumentText {
    absl::string_view name;
    const char* at = nullptr;
    const Type* type = nullptr;
    const Location* location = nullptr;
  };
  // Nesting of attributes, types, regions and locations.
  class Nesting {
   public:
    explicit Nesting(TextReader& reader, int levels = 1) : reader_(reader), levels_(levels) {
      reader_.depth_ += levels_;
    }
    ~Nesting() { reader_.depth_ -= levels_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    bool ok() const { return reader_.depth_ <= kMaxDepth || reader_.FailDepth(); }

   private:
    TextReader& reader_;
    int levels_;
  };
  static constexpr int kMaxDepth = 400;

  // Errors.
  bool Fail(absl::string_view message) { return FailAt(lexer_.token().begin, message); }
  bool FailAt(const char* at, absl::string_view message);
  bool FailDepth();
  // "expected <what>, found <token>".
  bool FailExpected(absl::string_view what);
  bool Expect(TokenKind kind, absl::string_view what) {
    return lexer_.Eat(kind) || FailExpected(what);
  }
  bool ExpectWord(absl::string_view word);
  // Items between brackets, separated by commas; the opening bracket was eaten.
  bool ReadItems(TokenKind close, absl::string_view what, absl::FunctionRef<bool()> item);

  // text_types.cc
  bool ReadType(const Type*& out);
  bool ReadTypeUncached(const Type*& out);
  bool ReadTensorType(const Type*& out, TypeKind kind);
  bool ReadDimensions(const char*& at, std::vector<int64_t>& dimensions, bool& unranked);
  bool ReadBounds(Type& type);
  bool ReadComplexType(const Type*& out);
  bool ReadWrappedTypes(const Type*& out, TypeKind kind);
  bool ReadDialectType(const Type*& out);
  bool ReadQuantizedType(const Type*& out);
  bool ReadQuantizedValues(std::string& text);
  bool ReadFunctionType(const Type*& out);
  // "(T, U)", the parenthesis not yet eaten.
  bool ReadTypesInParentheses(TypeList& types);
  // "T" or "(T, U)" behind an arrow.
  bool ReadResultTypes(TypeList& types);
  const Type* OpaqueType(absl::string_view text);

  // text_attributes.cc
  bool ReadAttribute(const Attribute*& out);
  bool ReadWordAttribute(const Attribute*& out);
  bool ReadNumberAttribute(const Attribute*& out);
  bool ReadArrayAttribute(const Attribute*& out);
  bool ReadListAttribute(const Attribute*& out);
  bool ReadDictionary(std::vector<NamedAttribute>& fields);
  bool ReadDictionaryAttribute(const Attribute*& out);
  bool ReadSymbolAttribute(const Attribute*& out);
  bool ReadDialectAttribute(const Attribute*& out);
  bool ReadOpaqueBody(const char* begin, absl::string_view& spelling);
  bool ReadFloatBits(const Type& type, bool negative, int64_t& bits);
  bool ReadInteger(int64_t& value);
  bool ReadUnsigned(uint64_t& value);
  bool ReadIntegerList(std::vector<int64_t>& values);  // "[1, 2]"
  bool ReadBoolean(bool& value);
  bool ReadString(absl::string_view& value);
  bool ReadSymbol(absl::string_view& value);  // "@a::@b" as "a::b"
  bool DecodeString(absl::string_view quoted, const char* at, absl::string_view& value);
  Attribute* New(AttributeKind kind) { return program_.NewAttribute(kind); }
  const Attribute* NewInteger(int64_t value, const Type* type);
  const Attribute* NewBool(bool value);
  const Attribute* NewString(absl::string_view text);
  const Attribute* NewInts(std::vector<int64_t> values, const Type* element);
  // A tensor of these 64-bit integers.
  const Attribute* NewTensor(absl::Span<const int64_t> values, const Type* type);
  const Attribute* NewTypeAttribute(const Type* type);
  const Type* Integer(ElementType element) { return program_.Scalar(element); }

  // text_records.cc
  // The value of a field in the spelling of its kind.
  bool ReadField(const Field& field, const Attribute*& out);
  bool ReadFieldNumber(const Field& field, const Attribute*& out);
  bool ReadEnumWord(const EnumRow& row, const Attribute*& out);
  bool ReadFieldItems(const Field& field, const Attribute*& out);
  // A record's text behind its name, "<" and ">" included.
  bool ReadRecord(const RecordRow& row, const Attribute*& out);
  bool ReadRecordFields(const RecordRow& row, const Attribute*& out);
  bool ReadConvolutionNumbers(const RecordRow& row, const Attribute*& out);
  bool ReadRoles(absl::string_view first, absl::string_view second, int64_t numbers[2],
                 std::vector<int64_t>& spatial);
  bool ReadSubAxis(const RecordRow& row, const Attribute*& out);
  bool ReadBounds(Attribute& record);
  const Attribute* FinishRecord(const RecordRow& row, std::vector<NamedAttribute> fields);

  // text_sdy.cc
  bool ReadSdyRecord(const RecordRow& row, const Attribute*& out);
  bool ReadMeshAxis(const Attribute*& out);
  bool ReadSdyMesh(const Attribute*& out);
  bool ReadShardyText(const Field& field, const Attribute*& out);
  bool ReadSdySharding(const Attribute*& out);
  bool ReadSdyShardings(const Attribute*& out);
  bool ReadSdyDimension(const Attribute*& out);
  bool ReadSdyAxis(const Attribute*& out);
  bool ReadSdyAxes(const Attribute*& out);  // {"a", "b"}
  bool ReadManualAxes(const Attribute*& out);

  // text_dense.cc
  bool ReadDense(const Attribute*& out);
  bool ReadDenseElements(const Type& type, const char* open, const char* close, Attribute& dense);
  bool ReadDenseResource(const Attribute*& out);
  bool ReadSparse(const Attribute*& out);

  // text_locations.cc
  bool ReadOptionalLocation(const Location*& out);
  bool ReadLocationBody(const Location*& out);
  bool ReadNamedLocation(const Location*& out);
  bool ReadFileLocation(absl::string_view file, const Location*& out);
  bool ReadFusedLocation(const Location*& out);
  bool ReadLocationAlias(const Location*& out);
  void FindAliases();
  bool ReadAliasDefinition();
  bool ResolveAlias(char sigil, Alias*& out);
  bool ReadFileMetadata();
  bool ReadResourceGroup(bool dialect);
  bool FindResource(absl::string_view key, const Resource*& out);

  // text_operations.cc
  bool ReadTopLevel();
  bool ReadOperation(Block* block);
  bool ReadResultNames(Pending& pending);
  bool ReadGenericOperation(Pending& pending);
  bool ReadPrettyOperation(Pending& pending);
  bool FindName(Pending& pending, absl::string_view name);
  bool ReadOperandList(Pending& pending, TokenKind close);
  bool ReadOperand(Pending& pending);
  bool FindValue(Value*& out);
  bool CheckOperandTypes(Pending& pending, absl::Span<const Type* const> types);
  bool SetResults(Pending& pending, absl::Span<const Type* const> types);
  bool NameResults(const Pending& pending, const Operation& op);
  bool Define(absl::string_view name, const char* at, NamedValues values);
  bool FinishAttributes(Pending& pending);
  Operation* Make(const Pending& pending);
  bool FinishOperation(Pending& pending, Block* block);
  bool CheckAttribute(const Pending& pending, const Field& field, const Attribute*& value);
  // A region from its "{" on. `arguments`: those of the first block, which has no label then.
  bool ReadRegion(Pending& pending, absl::Span<const ArgumentText> arguments);
  bool ReadRegionBody(std::vector<Block*>& blocks, absl::Span<const ArgumentText> arguments);
  bool ReadBlockLabel(Block* block);
  bool ReadBlockBody(Block* block);
  bool AddArguments(Block* block, absl::Span<const ArgumentText> arguments);
  bool ReadArgument(ArgumentText& argument);  // "%x: T loc(..)"
  bool CheckSymbols(const Operation& module);
  size_t OffsetOf(TextPosition position) const;

  // text_forms.cc
  bool ReadForm(Pending& pending);
  bool ReadFormItem(Pending& pending, const FormItem& item);
  bool ReadOptionalDictionary(Pending& pending);
  bool ReadSameType(Pending& pending);
  bool ReadFunctional(Pending& pending);
  bool ReadArrowType(Pending& pending);
  bool ReadOneType(Pending& pending, bool results);
  bool ReadTypeToType(Pending& pending);
  bool ReadToken(absl::string_view text);
  bool IsToken(absl::string_view text) const;
  bool NextWordIs(absl::string_view word) const;
  void AddAttribute(Pending& pending, absl::string_view name, const Attribute* value) {
    pending.attributes.push_back({name, value});
  }

  // text_special_forms.cc, text_functions.cc, text_leftover_forms.cc
  bool ReadSpecial(Pending& pending, SpecialForm form);
  bool ReadLeftoverForm(Pending& pending, SpecialForm form);
  bool ReadComplexForm(Pending& pending);
  bool ReadRegionsForm(Pending& pending);
  bool ReadConstant(Pending& pending);
  bool ReadWindow(Pending& pending);
  bool ReadWindowEntry(Pending& pending);
  bool ReadPaddingPairs(const Attribute*& out);
  bool ReadReversal(const Attribute*& out);
  bool ReadDotDimensions(Pending& pending);
  bool ReadBarrier(Pending& pending);
  bool ReadReduce(Pending& pending);
  bool ReadCompactReducer(Pending& body);
  bool MakeReducerRegion(Pending& pending, Pending& body);
  bool ReadReducer(Pending& pending, size_t pairs);
  bool ReadExponentMantissa(Pending& pending);
  bool ReadReturn(Pending& pending);
  bool ReadSelect(Pending& pending);
  bool ReadSlice(Pending& pending);
  bool ReadTuple(Pending& pending);
  bool ReadWhile(Pending& pending);
  bool ReadScan(Pending& pending);
  bool ReadModule(Pending& pending);
  bool ReadCast(Pending& pending);
  bool ReadFunction(Pending& pending);
  bool ReadFunctionArguments(std::vector<ArgumentText>& arguments, const Attribute*& attributes);
  bool ReadFunctionResults(TypeList& types, const Attribute*& attributes);
  bool ReadShardedRegion(Pending& pending, bool named);
  bool ReadDirection(Pending& pending);
  bool ReadFlags(Pending& pending);
  bool ReadPredicate(Pending& pending);
  bool ReadShape(Pending& pending);
  bool ReadWitness(Pending& pending);
  bool ReadElementwiseTypes(Pending& pending, SpecialForm form);

  Program& program_;
  absl::string_view text_;
  TextLexer lexer_;
  absl::Status error_;
  int depth_ = 0;
  Names names_;
  // The dialect that names without one belong to: "func" within functions.
  absl::string_view default_dialect_;
  absl::flat_hash_map<absl::string_view, Alias> aliases_;  // with their sigil: "#map", "!t"
  absl::flat_hash_map<absl::string_view, const Type*> types_by_text_;
  absl::flat_hash_map<absl::string_view, Resource> resources_;
  const char* metadata_at_ = nullptr;  // "{-#"
  bool metadata_read_ = false;
};

}  // namespace assay::stablehlo

#endif  // ASSAY_SPEC_STABLEHLO_TEXT_READER_H_
