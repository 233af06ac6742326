// Operations in generic form, regions, blocks, the names of values, and the whole file. Reference
// stablehlo_format.md 1.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "spec/stablehlo/attribute_checks.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {

TextReader::TextReader(Program& program, absl::string_view text, const std::string& file_name)
    : program_(program), text_(text), lexer_(text, file_name) {}

bool TextReader::FailAt(const char* at, absl::string_view message) {
  if (error_.ok()) error_ = lexer_.ErrorAt(at, message);
  return false;
}

bool TextReader::FailDepth() {
  return Fail(absl::StrCat("the text is nested more than ", kMaxDepth, " levels deep"));
}

bool TextReader::FailExpected(absl::string_view what) {
  return Fail(absl::StrCat("expected ", what, ", found ", lexer_.DescribeToken()));
}

bool TextReader::ExpectWord(absl::string_view word) {
  return lexer_.EatWord(word) || FailExpected(absl::StrCat("'", word, "'"));
}

bool TextReader::ReadItems(TokenKind close, absl::string_view what,
                           absl::FunctionRef<bool()> item) {
  if (lexer_.Eat(close)) return true;
  while (true) {
    if (!item()) return false;
    if (lexer_.Eat(close)) return true;
    if (!lexer_.Eat(',')) {
      const std::string closer =
          close == kCloseFile ? std::string("#-}") : std::string(1, static_cast<char>(close));
      return FailExpected(absl::StrCat("',' or '", closer, "' in a list of ", what));
    }
  }
}

absl::StatusOr<const Type*> TextReader::ReadLoneType() {
  const Type* type = nullptr;
  if (ReadType(type) && !lexer_.Is(kEndOfText)) FailExpected("the end of the type");
  if (!error_.ok()) return error_;
  return type;
}

absl::StatusOr<const Attribute*> TextReader::ReadLoneAttribute() {
  const Attribute* attribute = nullptr;
  if (ReadAttribute(attribute) && !lexer_.Is(kEndOfText)) FailExpected("the end of the attribute");
  if (!error_.ok()) return error_;
  return attribute;
}

absl::Status TextReader::ReadProgram() {
  FindAliases();
  ReadTopLevel();
  return error_;
}

// Operations and aliases up to the end. One module is the program; all else is the body of one.
bool TextReader::ReadTopLevel() {
  Block* block = program_.NewBlock();
  while (!lexer_.Is(kEndOfText)) {
    if (lexer_.Is(kHashId) || lexer_.Is(kBangId)) {
      if (!ReadAliasDefinition()) return false;
    } else if (lexer_.Is(kOpenFile)) {
      if (!ReadFileMetadata()) return false;
    } else if (!ReadOperation(block)) {
      return false;
    }
  }
  if (block->operations.size() == 1 && block->operations[0]->name() == "builtin.module") {
    program_.module = block->operations[0];
    program_.module->parent = nullptr;
  } else {
    Pending module;
    module.name = program_.NameOf("builtin.module");
    module.position = {1, 1};
    module.regions = {{block}};
    program_.module = Make(module);
    if (!CheckSymbols(*program_.module)) return false;
  }
  return true;
}

bool TextReader::ReadOperation(Block* block) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  Pending pending;
  if (lexer_.Is(kValueId) && !ReadResultNames(pending)) return false;
  pending.at = lexer_.token().begin;
  if (lexer_.Is(kString)) {
    if (!ReadGenericOperation(pending)) return false;
  } else if (lexer_.Is(kBareId)) {
    if (!ReadPrettyOperation(pending)) return false;
  } else {
    return FailExpected("an operation");
  }
  return ReadOptionalLocation(pending.location) && FinishOperation(pending, block);
}

// "%a, %b:2 =": at most as many as there are characters.
bool TextReader::ReadResultNames(Pending& pending) {
  do {
    ResultName result;
    result.at = lexer_.token().begin;
    if (!lexer_.Is(kValueId)) return FailExpected("the name of a result, as %name");
    result.name = lexer_.name();
    if (absl::StrContains(result.name, '#')) return Fail("the name of a result has no '#'");
    lexer_.Next();
    if (lexer_.Eat(':')) {
      int64_t count;
      if (!ReadInteger(count)) return false;
      if (count < 1 || count > INT32_MAX) {
        return FailAt(result.at, "the number of results must be positive");
      }
      result.count = static_cast<int32_t>(count);
    }
    pending.names.push_back(result);
  } while (lexer_.Eat(','));
  return Expect('=', "'=' after the names of the results");
}

// Begins the operation of this name. Operations of dialects that are closed must be known.
bool TextReader::FindName(Pending& pending, absl::string_view name) {
  pending.name = program_.NameOf(name);
  pending.position = lexer_.PositionOf(pending.at);
  if (pending.name->row != nullptr) return true;
  const absl::string_view dialect = name.substr(0, name.find('.'));
  for (const absl::string_view closed : {"stablehlo", "chlo", "func", "builtin", "sdy", "check"}) {
    if (dialect == closed) {
      return FailAt(pending.at, absl::StrCat("the dialect ", dialect, " has no operation '", name,
                                             "', or has it in a version newer than 1.20"));
    }
  }
  return true;
}

bool TextReader::ReadGenericOperation(Pending& pending) {
  absl::string_view name;
  if (!ReadString(name)) return false;
  if (!FindName(pending, name)) return false;
  if (!Expect('(', "'(' before the operands") || !ReadOperandList(pending, ')')) return false;
  if (lexer_.Is('[')) {
    return Fail("blocks that follow each other by branches are not part of StableHLO");
  }
  std::vector<NamedAttribute> properties;
  if (lexer_.Eat('<')) {
    if (!ReadDictionary(properties) || !Expect('>', "'>' after the properties")) return false;
  }
  if (lexer_.Eat('(')) {
    if (!ReadItems(')', "regions", [&] { return ReadRegion(pending, {}); })) return false;
  }
  std::vector<NamedAttribute> attributes;
  if (lexer_.Is('{') && !ReadDictionary(attributes)) return false;
  pending.attributes.assign(properties.begin(), properties.end());
  pending.attributes.insert(pending.attributes.end(), attributes.begin(), attributes.end());
  if (!Expect(':', "':' and the types of operands and results")) return false;
  return ReadFunctional(pending);
}

bool TextReader::ReadPrettyOperation(Pending& pending) {
  const absl::string_view spelling = lexer_.spelling();
  std::string full;
  absl::string_view name = spelling;
  if (!absl::StrContains(spelling, '.')) {
    full = absl::StrCat(spelling == "module" || spelling == "unrealized_conversion_cast"
                            ? absl::string_view("builtin")
                        : default_dialect_.empty() ? absl::string_view("builtin")
                                                   : default_dialect_,
                        ".", spelling);
    name = full;
  }
  const DialectOp* row = FindDialectOp(name);
  const Form* form = row == nullptr ? nullptr : FindForm(*row);
  if (form == nullptr) {
    if (row != nullptr) {
      return Fail(absl::StrCat("'", name, "' has no short form: write it as \"", name,
                               "\"(operands) and so on"));
    }
    const absl::string_view dialect = name.substr(0, name.find('.'));
    return Fail(IsKnownDialect(dialect) && absl::StrContains(spelling, '.')
                    ? absl::StrCat("the dialect ", dialect, " has no operation '", name, "'")
                    : absl::StrCat("there is no operation '", spelling, "'"));
  }
  if (!FindName(pending, name)) return false;
  pending.form = form;
  lexer_.Next();
  return ReadForm(pending);
}

// Values.

bool TextReader::FindValue(Value*& out) {
  if (!lexer_.Is(kValueId)) return FailExpected("a value, as %name");
  absl::string_view name = lexer_.name();
  int64_t number = 0;
  const size_t hash = name.find('#');
  if (hash != absl::string_view::npos) {
    if (!absl::SimpleAtoi(name.substr(hash + 1), &number)) return Fail("this number is too large");
    name = name.substr(0, hash);
  }
  const auto it = names_.values.find(name);
  if (it == names_.values.end()) {
    return Fail(absl::StrCat("the value %", name, " is not defined here"));
  }
  const NamedValues& found = it->second;
  if (number >= found.count) {
    return Fail(absl::StrCat("%", name, " stands for ", found.count,
                             found.count == 1 ? " value" : " values", ", counted from 0"));
  }
  out = found.first.get() + number;  // results lie one behind the other
  lexer_.Next();
  return true;
}

bool TextReader::ReadOperand(Pending& pending) {
  Value* value;
  pending.operand_at.push_back(lexer_.token().begin);
  if (!FindValue(value)) return false;
  pending.operands.push_back(value);
  return true;
}

bool TextReader::ReadOperandList(Pending& pending, TokenKind close) {
  return ReadItems(close, "operands", [&] { return ReadOperand(pending); });
}

bool TextReader::CheckOperandTypes(Pending& pending, absl::Span<const Type* const> types) {
  const auto& operands = pending.operands;
  if (operands.size() != types.size()) {
    return FailAt(pending.at, absl::StrCat(pending.name->text, " has ", operands.size(),
                                           operands.size() == 1 ? " operand" : " operands",
                                           ", but ", types.size(), " types are given for them"));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (operands[i]->type() == types[i]) continue;
    const char* at = i < pending.operand_at.size() ? pending.operand_at[i] : pending.at;
    return FailAt(at, absl::StrCat("operand ", i, " of ", pending.name->text, " is used as ",
                                   PrintType(*types[i]), ", but it is defined as ",
                                   PrintType(*operands[i]->type())));
  }
  return true;
}

bool TextReader::SetResults(Pending& pending, absl::Span<const Type* const> types) {
  pending.results.assign(types.begin(), types.end());
  return true;
}

bool TextReader::NameResults(const Pending& pending, const Operation& op) {
  int64_t named = 0;
  for (const ResultName& name : pending.names) named += name.count;
  const ValueRange results = op.results();
  if (pending.names.empty() ? false : named != static_cast<int64_t>(results.size())) {
    return FailAt(pending.names[0].at,
                  absl::StrCat(pending.name->text, " has ", results.size(),
                               results.size() == 1 ? " result" : " results", ", but ", named,
                               named == 1 ? " is named" : " are named"));
  }
  int64_t next = 0;
  for (const ResultName& name : pending.names) {
    if (!Define(name.name, name.at, {results[next], name.count})) return false;
    next += name.count;
  }
  return true;
}

bool TextReader::Define(absl::string_view name, const char* at, NamedValues values) {
  if (!names_.values.emplace(name, values).second) {
    return FailAt(at, absl::StrCat("the value %", name, " is defined a second time"));
  }
  names_.defined.push_back(name);
  return true;
}

// The end of an operation.

bool TextReader::CheckAttribute(const Pending& pending, const Field& field,
                                const Attribute*& value) {
  if (const Attribute* converted = AsFieldKind(program_, field, value); converted != nullptr) {
    value = converted;
    return true;
  }
  return FailAt(pending.at, absl::StrCat("the attribute '", field.name, "' of ", pending.name->text,
                                         " must be ", DescribeKind(field), ", but it is ",
                                         PrintAttribute(*value).substr(0, 80)));
}

bool TextReader::FinishAttributes(Pending& pending) {
  auto& attributes = pending.attributes;
  if (attributes.size() > 1) {
    std::sort(attributes.begin(), attributes.end(),
              [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; });
    for (size_t i = 1; i < attributes.size(); ++i) {
      if (attributes[i].name == attributes[i - 1].name) {
        return FailAt(pending.at, absl::StrCat("the attribute '", attributes[i].name, "' of ",
                                               pending.name->text, " is given twice"));
      }
    }
  }
  if (pending.name->row == nullptr) return true;
  for (const Field& field : pending.name->row->attributes) {
    const auto it =
        std::find_if(attributes.begin(), attributes.end(),
                     [&](const NamedAttribute& given) { return given.name == field.name; });
    if (it != attributes.end()) {
      if (!CheckAttribute(pending, field, it->value)) return false;
    } else if (field.required()) {
      return FailAt(pending.at,
                    absl::StrCat(pending.name->text, " needs the attribute '", field.name, "'"));
    }
  }
  return true;
}

Operation* TextReader::Make(const Pending& pending) {
  OperationParts parts;
  parts.name = pending.name;
  parts.operands = pending.operands;
  parts.results = pending.results;
  parts.attributes = program_.NewAttributes(pending.attributes);
  parts.regions = pending.regions.size();
  parts.location = pending.location;
  parts.position = pending.position;
  Operation* op = program_.NewOperation(parts);
  for (size_t i = 0; i < pending.regions.size(); ++i) {
    program_.SetBlocks(op, i, pending.regions[i]);
  }
  return op;
}

// Makes the operation, as the next one of the block.
bool TextReader::FinishOperation(Pending& pending, Block* block) {
  if (!FinishAttributes(pending)) return false;
  Operation* op = Make(pending);
  if (!NameResults(pending, *op)) return false;
  const DialectOp* row = op->row();
  const size_t regions = pending.regions.size();
  if (row != nullptr && row->regions != kVariadicRegions &&
      row->regions != static_cast<int>(regions)) {
    return FailAt(pending.at, absl::StrCat(op->name(), " has ", row->regions,
                                           row->regions == 1 ? " region" : " regions", ", but ",
                                           regions, " are given"));
  }
  program_.Append(block, op);
  return op->name() != "builtin.module" || CheckSymbols(*op);
}

// Symbols of a module are defined once.
bool TextReader::CheckSymbols(const Operation& module) {
  absl::flat_hash_set<absl::string_view> symbols;
  for (const Region& region : module.regions()) {
    for (const Block* block : region.blocks()) {
      for (const Operation* op : block->operations) {
        const Attribute* name = op->Find("sym_name");
        if (name == nullptr || symbols.insert(name->text).second) continue;
        if (error_.ok()) {
          error_ =
              lexer_.ErrorAt(text_.data() + OffsetOf(op->position()),
                             absl::StrCat("the symbol @", name->text, " is defined a second time"));
        }
        return false;
      }
    }
  }
  return true;
}

size_t TextReader::OffsetOf(TextPosition position) const {
  size_t offset = 0;
  for (int32_t line = 1; line < position.line; ++line) offset = text_.find('\n', offset) + 1;
  return offset + position.column - 1;
}

// Regions.

bool TextReader::ReadRegion(Pending& pending, absl::Span<const ArgumentText> arguments) {
  Nesting nesting(*this);
  if (!nesting.ok()) return false;
  if (!Expect('{', "'{' before a region")) return false;
  const absl::string_view outer_dialect = default_dialect_;
  if (pending.name->text == "func.func") default_dialect_ = "func";
  if (pending.name->text == "builtin.module") default_dialect_ = "";
  const bool isolated = pending.name->row != nullptr && pending.name->row->isolated;
  Names outer;
  if (isolated) std::swap(outer, names_);
  const size_t visible = names_.defined.size();
  std::vector<Block*> blocks;
  if (!ReadRegionBody(blocks, arguments)) return false;
  if (isolated) {
    std::swap(outer, names_);
  } else {
    for (size_t i = visible; i < names_.defined.size(); ++i) names_.values.erase(names_.defined[i]);
    names_.defined.resize(visible);
  }
  default_dialect_ = outer_dialect;
  pending.regions.push_back(std::move(blocks));
  return true;
}

bool TextReader::ReadRegionBody(std::vector<Block*>& blocks,
                                absl::Span<const ArgumentText> arguments) {
  // The first block may have no label; a region without any operation has no block.
  if (!lexer_.Is(kBlockId) && (!lexer_.Is('}') || !arguments.empty())) {
    Block* block = blocks.emplace_back(program_.NewBlock());
    if (!AddArguments(block, arguments) || !ReadBlockBody(block)) return false;
  } else if (!arguments.empty()) {
    return Fail("the block of this region has its arguments already, and no label");
  }
  while (lexer_.Is(kBlockId)) {
    Block* block = blocks.emplace_back(program_.NewBlock());
    if (!ReadBlockLabel(block) || !ReadBlockBody(block)) return false;
  }
  return Expect('}', "an operation, or '}' at the end of the region");
}

// "^name(%x: T, ..):"
bool TextReader::ReadBlockLabel(Block* block) {
  lexer_.Next();
  std::vector<ArgumentText> arguments;
  if (lexer_.Eat('(')) {
    if (!ReadItems(')', "arguments", [&] { return ReadArgument(arguments.emplace_back()); })) {
      return false;
    }
  }
  return AddArguments(block, arguments) && Expect(':', "':' after the label of a block");
}

bool TextReader::ReadArgument(ArgumentText& argument) {
  argument.at = lexer_.token().begin;
  if (!lexer_.Is(kValueId)) return FailExpected("an argument, as %name: type");
  argument.name = lexer_.name();
  lexer_.Next();
  return Expect(':', "':' after the name of an argument") && ReadType(argument.type) &&
         ReadOptionalLocation(argument.location);
}

bool TextReader::AddArguments(Block* block, absl::Span<const ArgumentText> arguments) {
  std::vector<const Type*> types;
  std::vector<const Location*> locations;
  for (const ArgumentText& argument : arguments) {
    types.push_back(argument.type);
    locations.push_back(argument.location);
  }
  program_.SetArguments(block, types, locations);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentText& argument = arguments[i];
    if (argument.name.empty()) continue;
    if (!Define(argument.name, argument.at, {block->arguments[i], 1})) return false;
  }
  return true;
}

bool TextReader::ReadBlockBody(Block* block) {
  while (!lexer_.Is('}') && !lexer_.Is(kBlockId)) {
    if (lexer_.Is(kEndOfText)) return Fail("the text ends within a region: a '}' is missing");
    if (!ReadOperation(block)) return false;
  }
  return true;
}

// The interface.

absl::StatusOr<std::unique_ptr<Program>> ParseText(absl::string_view text,
                                                   const std::string& file_name) {
  auto copy = std::make_shared<const std::string>(text);
  return ParseText(*copy, file_name, copy);
}

absl::StatusOr<std::unique_ptr<Program>> ParseText(absl::string_view text,
                                                   const std::string& file_name,
                                                   std::shared_ptr<const void> owner) {
  auto program = std::make_unique<Program>();
  program->Keep(std::move(owner));
  TextReader reader(*program, text, file_name);
  if (absl::Status status = reader.ReadProgram(); !status.ok()) return status;
  return program;
}

absl::StatusOr<const Type*> ParseType(Program& program, absl::string_view text) {
  return TextReader(program, program.Intern(text), "").ReadLoneType();
}

absl::StatusOr<const Attribute*> ParseAttribute(Program& program, absl::string_view text) {
  return TextReader(program, program.Intern(text), "").ReadLoneAttribute();
}

}  // namespace assay::stablehlo
