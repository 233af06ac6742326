// The forms of operations with regions: while, reduce, scan, modules, functions, Shardy's regions.
// Reference stablehlo_format.md 2.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "spec/stablehlo/text.h"
#include "spec/stablehlo/text_reader.h"

namespace assay::stablehlo {

// "(%x = %a, ..) : T, .. [attributes {..}] cond {..} do {..}"
bool TextReader::ReadWhile(Pending& pending) {
  std::vector<ArgumentText> arguments;
  if (!Expect('(', "'(' before the values that the loop carries")) return false;
  if (!ReadItems(')', "values", [&] {
        ArgumentText argument;
        argument.at = lexer_.token().begin;
        if (!lexer_.Is(kValueId)) return FailExpected("the name of a carried value");
        argument.name = lexer_.name();
        lexer_.Next();
        if (!Expect('=', "'=' before the first value") || !ReadOperand(pending)) return false;
        arguments.push_back(argument);
        return true;
      })) {
    return false;
  }
  TypeList types;
  if (!arguments.empty()) {
    if (!Expect(':', "':' and the types of the carried values")) return false;
    do {
      const Type* type;
      if (!ReadType(type)) return false;
      types.push_back(type);
    } while (lexer_.Eat(','));
  }
  if (!CheckOperandTypes(pending, types) || !SetResults(pending, types)) return false;
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i].type = types[i];
  if (lexer_.EatWord("attributes") && !ReadOptionalDictionary(pending)) return false;
  return ExpectWord("cond") && ReadRegion(pending, arguments) && ExpectWord("do") &&
         ReadRegion(pending, arguments);
}

// "(%a init: %i), .. [applies op] across dimensions = [..] D : FT [reducer(..) (..) {..}]"
bool TextReader::ReadReduce(Pending& pending) {
  absl::InlinedVector<Value*, 2> inits;
  std::vector<const char*> init_at;
  do {
    if (!Expect('(', "'(' before an operand and its initial value") || !ReadOperand(pending) ||
        !ExpectWord("init") || !Expect(':', "':' before the initial value") ||
        !ReadOperand(pending) || !Expect(')', "')' after the initial value")) {
      return false;
    }
    inits.push_back(pending.operands.back());
    init_at.push_back(pending.operand_at.back());
    pending.operands.pop_back();
    pending.operand_at.pop_back();
  } while (lexer_.Eat(','));
  const size_t pairs = inits.size();
  pending.operands.insert(pending.operands.end(), inits.begin(), inits.end());
  pending.operand_at.insert(pending.operand_at.end(), init_at.begin(), init_at.end());
  Pending inner;
  if (lexer_.EatWord("applies") && !ReadCompactReducer(inner)) return false;
  std::vector<int64_t> dimensions;
  if (!ExpectWord("across") || !ExpectWord("dimensions") ||
      !Expect('=', "'=' before the dimensions") || !ReadIntegerList(dimensions)) {
    return false;
  }
  AddAttribute(pending, "dimensions",
               NewInts(std::move(dimensions), program_.Scalar(ElementType::kS64)));
  if (!ReadOptionalDictionary(pending) || !Expect(':', "':' and the types") ||
      !ReadFunctional(pending)) {
    return false;
  }
  return inner.name != nullptr ? MakeReducerRegion(pending, inner) : ReadReducer(pending, pairs);
}

// The name of the operation that combines two elements.
bool TextReader::ReadCompactReducer(Pending& body) {
  const absl::string_view name = lexer_.spelling();
  const DialectOp* row = lexer_.Is(kBareId) ? FindDialectOp(name) : nullptr;
  const absl::string_view word = row == nullptr ? "" : row->short_name();
  const bool combines = row != nullptr && row->stablehlo != nullptr &&
                        (word == "add" || word == "multiply" || word == "maximum" ||
                         word == "minimum" || word == "and" || word == "or" || word == "xor");
  if (!combines) {
    return FailExpected("a commutative operation of two operands, as stablehlo.add");
  }
  body.name = program_.NameOf(*row);
  body.position = lexer_.PositionOf(lexer_.token().begin);
  lexer_.Next();
  return true;
}

// The region of "applies op": op of both arguments, which are scalars of the first operand's type.
bool TextReader::MakeReducerRegion(Pending& pending, Pending& body) {
  const Type& operand = *pending.operands[0]->type();
  if (operand.types.empty())
    return FailAt(pending.at, "the operand of a reduction must be a tensor");
  Type scalar;
  scalar.kind = TypeKind::kTensor;
  scalar.types = {operand.types[0]};
  const Type* type = program_.Intern(std::move(scalar));
  Block* block = program_.NewBlock();
  program_.SetArguments(block, {type, type});
  body.operands.assign(block->arguments.begin(), block->arguments.end());
  body.results = {type};
  Operation* inner = Make(body);
  Pending end;
  end.name =
      program_.NameOf(pending.name->row->dialect() == "mhlo" ? "mhlo.return" : "stablehlo.return");
  end.position = body.position;
  end.operands = {inner->result(0)};
  for (Operation* part : {inner, Make(end)}) program_.Append(block, part);
  pending.regions.push_back({block});
  return true;
}

// "reducer(%x: T, %y: T) (..) {..}": one pair of arguments for each operand; the block has the
// first of every pair, then the second.
bool TextReader::ReadReducer(Pending& pending, size_t pairs) {
  if (!ExpectWord("reducer")) return false;
  std::vector<ArgumentText> first, second;
  for (size_t i = 0; i < pairs; ++i) {
    ArgumentText left, right;
    if (!Expect('(', "'(' before the two arguments of the reducer") || !ReadArgument(left) ||
        !Expect(',', "',' between the arguments") || !ReadArgument(right) ||
        !Expect(')', "')' after the arguments")) {
      return false;
    }
    first.push_back(left);
    second.push_back(right);
  }
  first.insert(first.end(), second.begin(), second.end());
  return ReadRegion(pending, first);
}

// "(%a, ..) inits (%c, ..) dimension=N [attributes {..}] {..} : FT"
bool TextReader::ReadScan(Pending& pending) {
  if (!Expect('(', "'(' before the inputs") || !ReadOperandList(pending, ')')) return false;
  const auto inputs = static_cast<int64_t>(pending.operands.size());
  if (!ExpectWord("inits") || !Expect('(', "'(' before the initial values") ||
      !ReadOperandList(pending, ')')) {
    return false;
  }
  const int64_t carries = static_cast<int64_t>(pending.operands.size()) - inputs;
  int64_t dimension;
  if (!ExpectWord("dimension") || !Expect('=', "'=' before the dimension") ||
      !ReadInteger(dimension)) {
    return false;
  }
  AddAttribute(pending, "dimension", NewInteger(dimension, program_.Scalar(ElementType::kS64)));
  if (lexer_.EatWord("attributes") && !ReadOptionalDictionary(pending)) return false;
  if (!ReadRegion(pending, {}) || !Expect(':', "':' and the types") || !ReadFunctional(pending)) {
    return false;
  }
  const int64_t outputs = static_cast<int64_t>(pending.results.size()) - carries;
  if (outputs < 0) {
    return FailAt(pending.at, "a scan has at least as many results as initial values");
  }
  const Type* type = program_.Scalar(ElementType::kS32);
  const auto segments = [&](int64_t a, int64_t b) { return NewInts({a, b}, type); };
  AddAttribute(pending, "operandSegmentSizes", segments(inputs, carries));
  AddAttribute(pending, "resultSegmentSizes", segments(outputs, carries));
  return true;
}

// "[@name] [attributes {..}] {..}"
bool TextReader::ReadModule(Pending& pending) {
  if (lexer_.Is(kSymbolId)) {
    absl::string_view name;
    if (!ReadSymbol(name)) return false;
    AddAttribute(pending, "sym_name", NewString(name));
  }
  if (lexer_.EatWord("attributes") && !ReadOptionalDictionary(pending)) return false;
  if (!ReadRegion(pending, {})) return false;
  // A module without operations has a block, too.
  if (pending.regions[0].empty()) pending.regions[0].push_back(program_.NewBlock());
  return true;
}

// "[public] @name(%a: T {..}, ..) [-> ..] [attributes {..}] [{..}]"
bool TextReader::ReadFunction(Pending& pending) {
  for (const absl::string_view visibility : {"public", "private", "nested"}) {
    if (lexer_.EatWord(visibility)) AddAttribute(pending, "sym_visibility", NewString(visibility));
  }
  absl::string_view name;
  if (!ReadSymbol(name)) return false;
  AddAttribute(pending, "sym_name", NewString(name));
  std::vector<ArgumentText> arguments;
  const Attribute* argument_attributes = nullptr;
  const Attribute* result_attributes = nullptr;
  TypeList results;
  if (!ReadFunctionArguments(arguments, argument_attributes)) return false;
  if (lexer_.Eat(kArrow) && !ReadFunctionResults(results, result_attributes)) return false;
  if (argument_attributes != nullptr) AddAttribute(pending, "arg_attrs", argument_attributes);
  if (result_attributes != nullptr) AddAttribute(pending, "res_attrs", result_attributes);
  Type type;
  type.kind = TypeKind::kFunction;
  type.input_count = static_cast<int32_t>(arguments.size());
  for (const ArgumentText& argument : arguments) type.types.push_back(argument.type);
  type.types.insert(type.types.end(), results.begin(), results.end());
  AddAttribute(pending, "function_type", NewTypeAttribute(program_.Intern(std::move(type))));
  if (lexer_.EatWord("attributes") && !ReadOptionalDictionary(pending)) return false;
  if (lexer_.Is('{')) {
    for (const ArgumentText& argument : arguments) {
      if (argument.name.empty()) {
        return FailAt(argument.at, "the arguments of a function with a body need names");
      }
    }
    return ReadRegion(pending, arguments);
  }
  pending.regions.emplace_back();
  return true;
}

// "(%a: T {..} loc(..), ..)" or, of a declaration, "(T {..}, ..)". The attributes become a list of
// dictionaries, null where no argument has any.
bool TextReader::ReadFunctionArguments(std::vector<ArgumentText>& arguments,
                                       const Attribute*& attributes) {
  Attribute* list = New(AttributeKind::kArray);
  bool any = false;
  if (!Expect('(', "'(' before the arguments")) return false;
  if (!ReadItems(')', "arguments", [&] {
        ArgumentText argument;
        argument.at = lexer_.token().begin;
        if (lexer_.Is(kValueId)) {
          argument.name = lexer_.name();
          lexer_.Next();
          if (!Expect(':', "':' and the type of the argument")) return false;
        }
        if (!arguments.empty() && arguments[0].name.empty() != argument.name.empty()) {
          return FailAt(argument.at, "either all arguments have names, or none");
        }
        if (!ReadType(argument.type)) return false;
        Attribute* dictionary = New(AttributeKind::kDictionary);
        if (lexer_.Is('{') && !ReadDictionary(dictionary->fields)) return false;
        any |= !dictionary->fields.empty();
        list->elements.push_back(dictionary);
        if (!ReadOptionalLocation(argument.location)) return false;
        arguments.push_back(argument);
        return true;
      })) {
    return false;
  }
  if (any) attributes = list;
  return true;
}

// "T" or "(T {..}, ..)"
bool TextReader::ReadFunctionResults(TypeList& types, const Attribute*& attributes) {
  if (!lexer_.Is('(')) return ReadResultTypes(types);
  lexer_.Next();
  Attribute* list = New(AttributeKind::kArray);
  bool any = false;
  if (!ReadItems(')', "results", [&] {
        const Type* type;
        if (!ReadType(type)) return false;
        types.push_back(type);
        Attribute* dictionary = New(AttributeKind::kDictionary);
        if (lexer_.Is('{') && !ReadDictionary(dictionary->fields)) return false;
        any |= !dictionary->fields.empty();
        list->elements.push_back(dictionary);
        return true;
      })) {
    return false;
  }
  if (any) attributes = list;
  return true;
}

// manual_computation: "(%a) in_shardings=[..] out_shardings=[..] manual_axes={..} (%x: T) {..} :
// FT"; named_computation: "<"n">(%a) [in_shardings=[..]] [out_shardings=[..]] (%x: T) {..} : FT".
bool TextReader::ReadShardedRegion(Pending& pending, bool named) {
  if (named) {
    absl::string_view name;
    if (!Expect('<', "'<' before the name") || !ReadString(name) ||
        !Expect('>', "'>' after the name")) {
      return false;
    }
    AddAttribute(pending, "name", NewString(name));
  }
  if (!Expect('(', "'(' before the operands") || !ReadOperandList(pending, ')')) return false;
  for (const absl::string_view field : {"in_shardings", "out_shardings"}) {
    if (named && !lexer_.IsWord(field)) continue;
    const Attribute* shardings;
    if (!ExpectWord(field) || !Expect('=', "'=' before the shardings") ||
        !ReadSdyShardings(shardings)) {
      return false;
    }
    AddAttribute(pending, field, shardings);
  }
  if (!named) {
    const Attribute* axes;
    if (!ExpectWord("manual_axes") || !Expect('=', "'=' before the axes") ||
        !ReadManualAxes(axes)) {
      return false;
    }
    AddAttribute(pending, "manual_axes", axes);
  }
  std::vector<ArgumentText> arguments;
  if (!Expect('(', "'(' before the arguments of the region")) return false;
  if (!ReadItems(')', "arguments", [&] {
        ArgumentText argument;
        if (!ReadArgument(argument)) return false;
        arguments.push_back(argument);
        return true;
      })) {
    return false;
  }
  return ReadRegion(pending, arguments) && ReadOptionalDictionary(pending) &&
         Expect(':', "':' and the types") && ReadFunctional(pending);
}

}  // namespace assay::stablehlo
