// Instructions and their operands (hlo_text_format.md 6.1 to 6.3, 3.6).
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/nearest_name.h"
#include "spec/text/module_parser.h"

namespace assay {
namespace {

const absl::flat_hash_map<absl::string_view, Opcode>& OpcodesByName() {
  static const auto* const opcodes = [] {
    auto* map = new absl::flat_hash_map<absl::string_view, Opcode>;
    for (const OpInfo& info : Catalogue()) (*map)[info.name] = info.opcode;
    return map;
  }();
  return *opcodes;
}

// The shape as a constant has it: bounded dynamic dimensions are at their bound, and elements have
// their natural size (XLA's reader drops another one).
Shape ConstantShape(const Shape& shape) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(ConstantShape(element));
    return Shape::Tuple(std::move(elements));
  }
  Shape result = shape;
  for (int64_t d = 0; d < result.rank(); ++d) result.set_dynamic_dimension(d, false);
  if (result.has_layout() && result.layout()->element_size_in_bits != 0) {
    Layout layout = *result.layout();
    layout.element_size_in_bits = 0;
    result.set_layout(std::move(layout));
  }
  return result;
}

}  // namespace

bool ModuleParser::CheckInstructionName(absl::string_view name, const char* at) {
  const bool reserved = absl::StartsWith(name, "__") && !absl::StartsWith(name, "__xla_");
  if (reserved) {
    return reader_.FailAt(at, "the name of an instruction does not begin with '__'");
  }
  if (ElementTypeFromName(name)) {
    return reader_.FailAt(at, absl::StrCat("the element type '", name, "' is not a name"));
  }
  return true;
}

bool ModuleParser::ReadInstruction(Body& body) {
  Lexer& lexer = reader_.lexer;
  const char* root_at = reader_.here();
  const bool is_root = lexer.Eat(Keyword::kRoot);
  Draft draft;
  draft.begin = reader_.here();
  if (lexer.Is(TokenKind::kAttr)) {
    return reader_.Fail(absl::StrCat("expected an instruction, found '", lexer.spelling(),
                                     "'; write a blank before '=' or '%' before the name"));
  }
  absl::string_view name;
  if (!reader_.ReadName(&name, "an instruction ('name = ...') or '}'")) return false;
  if (!CheckInstructionName(name, draft.begin) || !reader_.Expect(TokenKind::kEqual) ||
      !ReadRightSide(body, draft) || !ReadAttributes(body, draft) || !FinishInstruction(draft)) {
    return false;
  }
  draft.instruction->set_name(std::string(name));
  Instruction* instruction = body.computation->Add(std::move(draft.instruction));
  auto [known, inserted] = body.names.try_emplace(name, instruction);
  if (!inserted) {
    return reader_.FailTwice("instruction", name, known->second->position(), draft.begin);
  }
  if (!is_root) return true;
  if (body.root != nullptr) {
    const TextPosition first = body.root->position();
    return reader_.FailAt(
        root_at, absl::StrCat("a computation has one ROOT; the first is ", body.root->name(),
                              " at ", first.line, ":", first.column));
  }
  body.root = instruction;
  return true;
}

bool ModuleParser::ReadRightSide(Body& body, Draft& draft) {
  Shape shape;
  draft.has_shape = CanStartShape(reader_.lexer);
  if (draft.has_shape && !ReadShape(reader_, &shape)) return false;
  return ReadOpcode(draft, shape) && ReadOperands(body, draft);
}

bool ModuleParser::ReadOpcode(Draft& draft, const Shape& shape) {
  Lexer& lexer = reader_.lexer;
  draft.opcode_at = reader_.here();
  if (!lexer.Is(TokenKind::kIdent)) {
    return reader_.FailExpected(draft.has_shape ? "an opcode" : "a shape or an opcode");
  }
  const auto row = OpcodesByName().find(lexer.word());
  if (row != OpcodesByName().end()) {
    draft.instruction = std::make_unique<Instruction>(row->second, reader_.shapes.Share(shape));
  } else if (auto sugar = AsyncSugar(lexer.word())) {
    draft.sugar = sugar->first;
    draft.instruction = std::make_unique<Instruction>(sugar->second, reader_.shapes.Share(shape));
    if (sugar->second == Opcode::kAsyncStart) {
      draft.wrapped = std::make_unique<Instruction>(sugar->first, Shape::Token());
    }
  } else {
    return reader_.Fail(absl::StrCat("unknown opcode '", lexer.word(), "'",
                                     DidYouMean(NearestOpcodeName(lexer.word()))));
  }
  draft.instruction->set_position(lexer.PositionOf(draft.begin));
  lexer.Next();
  return true;
}

bool ModuleParser::ReadOperands(Body& body, Draft& draft) {
  Lexer& lexer = reader_.lexer;
  Instruction* instruction = draft.instruction.get();
  if (!lexer.Is(TokenKind::kLeftParen)) return reader_.FailExpected("'(' and the operands");
  if (instruction->opcode() == Opcode::kParameter) return ReadParameterNumber(body, instruction);
  if (instruction->opcode() == Opcode::kConstant) return ReadConstant(draft);
  NestingScope nesting(lexer);
  if (!nesting.status().ok()) return reader_.Fail(nesting.status());
  lexer.Next();
  while (!lexer.Eat(TokenKind::kRightParen)) {
    // Empty operands are skipped, as in add(x, y,).
    if (lexer.Eat(TokenKind::kComma)) continue;
    if (!ReadOperand(body, instruction)) return false;
    if (!lexer.Is(TokenKind::kComma) && !lexer.Is(TokenKind::kRightParen)) {
      return reader_.FailExpected("',' or ')' after an operand");
    }
  }
  return true;
}

bool ModuleParser::ReadParameterNumber(Body& body, Instruction* parameter) {
  Lexer& lexer = reader_.lexer;
  lexer.NextInt();
  const char* at = reader_.here();
  int64_t number = 0;
  if (!reader_.ReadInt(&number)) return false;
  if (number < 0) return reader_.FailAt(at, "a parameter has a negative number");
  if (number > INT32_MAX) return reader_.FailAt(at, "this parameter number is too large");
  parameter->set_parameter_number(number);
  body.parameters.push_back({parameter, at});
  return reader_.Expect(TokenKind::kRightParen);
}

bool ModuleParser::ReadConstant(Draft& draft) {
  Lexer& lexer = reader_.lexer;
  Instruction* constant = draft.instruction.get();
  if (!draft.has_shape) {
    return reader_.FailAt(draft.opcode_at, "a constant needs its shape before the opcode");
  }
  lexer.Next();
  reader_.literals.elided = false;
  absl::StatusOr<Literal> literal = ReadLiteral(lexer, constant->shape(), &reader_.literals);
  if (!literal.ok()) return reader_.Fail(literal.status());
  Shape shape = ConstantShape(constant->shape());
  if (!reader_.literals.elided) {
    // A tuple written `()` has elements of another shape.
    if (shape.is_tuple() && !Shape::Compatible(shape, literal->shape())) shape = literal->shape();
    constant->set_literal(*std::move(literal));
  }
  constant->set_shared_shape(reader_.shapes.Share(std::move(shape)));
  return reader_.Expect(TokenKind::kRightParen);
}

bool ModuleParser::ReadOperand(Body& body, Instruction* user) {
  Lexer& lexer = reader_.lexer;
  Instruction* operand = nullptr;
  std::optional<Shape> shape;
  if (CanStartShape(lexer) && !ReadShape(reader_, &shape.emplace())) return SkipOperand();
  // XLA's reader reads over a shape that a comma parts from its operand.
  if (shape && !body.declares_operands && lexer.Eat(TokenKind::kComma)) shape.reset();
  const bool ends = lexer.Is(TokenKind::kComma) || lexer.Is(TokenKind::kRightParen);
  if (shape && ends) {
    // A shape alone is an operand where operands need no names; elsewhere the reference skips it.
    if (!body.declares_operands) return true;
    if (!DeclareOperand(body, absl::StrCat("_", body.declared), *shape, &operand)) return false;
  } else if (lexer.Is(TokenKind::kIdent) && lexer.PeekByte() == '(') {
    if (!ReadNested(body, shape, &operand)) return false;
  } else if (lexer.Is(TokenKind::kIdent) && !body.names.contains(lexer.word()) &&
             OpcodesByName().contains(lexer.word()) &&
             (lexer.PeekByte() == ',' || lexer.PeekByte() == ')')) {
    lexer.Next();
    return true;
  } else if (!ReadReference(body, shape, &operand)) {
    return false;
  }
  user->AppendOperand(operand);
  return true;
}

// XLA's reader drops an operand that fails where the next one may follow: a broken shape, an opcode
// without operands. (It drops a nested instruction that is wrong, too, which hides too much.)
bool ModuleParser::SkipOperand() {
  const Lexer& lexer = reader_.lexer;
  return (lexer.Is(TokenKind::kComma) || lexer.Is(TokenKind::kRightParen)) && reader_.Forgive();
}

bool ModuleParser::DeclareOperand(Body& body, std::string name, const Shape& shape,
                                  Instruction** operand) {
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, reader_.shapes.Share(shape));
  parameter->set_parameter_number(body.declared++);
  parameter->set_position(reader_.lexer.position());
  parameter->set_name(std::move(name));
  *operand = body.computation->Add(std::move(parameter));
  body.parameters.push_back({*operand, reader_.here()});
  body.names.try_emplace((*operand)->name(), *operand);
  return true;
}

// Not inlined, as the frames of nested operands must stay small.
__attribute__((noinline)) bool ModuleParser::ReadReference(Body& body,
                                                           const std::optional<Shape>& shape,
                                                           Instruction** operand) {
  Lexer& lexer = reader_.lexer;
  const char* at = reader_.here();
  absl::string_view name;
  if (!reader_.ReadName(&name, "an operand")) return false;
  if (lexer.Is(TokenKind::kHash)) {
    if (!FollowPath(body, name, at, operand)) return false;
  } else {
    auto known = body.names.find(name);
    if (known != body.names.end()) {
      *operand = known->second;
    } else if (body.declares_operands && shape) {
      return CheckInstructionName(name, at) &&
             DeclareOperand(body, std::string(name), *shape, operand);
    } else {
      return reader_.FailAt(at, absl::StrCat("unknown operand '", name,
                                             "': no instruction of this name stands before this "
                                             "place in this computation"));
    }
  }
  if (!shape || Shape::Compatible(*shape, (*operand)->shape())) return true;
  return reader_.FailAt(
      at, absl::StrCat("operand '", name, "' is written with shape ", shape->ToString(),
                       " but has shape ", (*operand)->shape().ToString()));
}

// name '#' INT {'#' INT}: one get-tuple-element per path and body.
bool ModuleParser::FollowPath(Body& body, absl::string_view name, const char* at,
                              Instruction** operand) {
  Lexer& lexer = reader_.lexer;
  auto known = body.names.find(name);
  if (known == body.names.end()) {
    return reader_.FailAt(at, absl::StrCat("unknown operand '", name, "'"));
  }
  Instruction* base = known->second;
  std::string path(name);
  while (lexer.Eat(TokenKind::kHash)) {
    const char* index_at = reader_.here();
    int64_t index = 0;
    if (!reader_.ReadInt(&index)) return false;
    const Shape& shape = base->shape();
    if (!shape.is_tuple() || index < 0 ||
        index >= static_cast<int64_t>(shape.tuple_shapes().size())) {
      return reader_.FailAt(index_at, absl::StrCat("'", path, "' of shape ", shape.ToString(),
                                                   " has no element ", index));
    }
    absl::StrAppend(&path, "#", index);
    Instruction*& element = body.paths[path];
    if (element == nullptr) {
      auto gte = std::make_unique<Instruction>(Opcode::kGetTupleElement, shape.tuple_shape(index));
      gte->SetAttribute(Attr::kIndex, index);
      gte->set_name(absl::StrReplaceAll(path, {{"#", "_"}}));
      gte->set_position(lexer.PositionOf(at));
      gte->AppendOperand(base);
      element = body.computation->Add(std::move(gte));
    }
    base = element;
  }
  *operand = base;
  return true;
}

bool ModuleParser::ReadNested(Body& body, std::optional<Shape>& shape, Instruction** operand) {
  Lexer& lexer = reader_.lexer;
  if (body.declares_operands && shape && !body.names.contains(lexer.word())) {
    // The reference tries an operand as a reference first, which here declares a parameter.
    Instruction* unused = nullptr;
    if (!DeclareOperand(body, std::string(lexer.word()), *shape, &unused)) return false;
  }
  // On the heap: nested operands are what fills the stack.
  const auto draft = std::make_unique<Draft>();
  draft->begin = reader_.here();
  draft->has_shape = shape.has_value();
  const absl::string_view opcode = lexer.word();
  if (!shape) shape.emplace(Shape::Tuple({}));
  return ReadOpcode(*draft, *shape) && ReadOperands(body, *draft) &&
         FinishNested(body, opcode, *draft, operand);
}

__attribute__((noinline)) bool ModuleParser::FinishNested(Body& body, absl::string_view opcode,
                                                          Draft& draft, Instruction** operand) {
  if (!CheckRequired(draft, *draft.instruction, draft.opcode_at) || !FinishInstruction(draft)) {
    return false;
  }
  draft.instruction->set_name(absl::StrCat(opcode, ".anon"));
  *operand = body.computation->Add(std::move(draft.instruction));
  return true;
}

}  // namespace assay
