// The text as a whole: a module with or without header, or one instruction; computations and their
// bodies; what is done once everything is read (hlo_text_format.md 2.1, 3).
#include "spec/text/parser.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "spec/ir/async_threads.h"
#include "spec/text/module_parser.h"

namespace assay {
namespace {

// Computation names are adapted silently, unlike those of instructions.
std::string SanitizedName(absl::string_view name) {
  std::string result(name);
  if (absl::StartsWith(name, "__") && !absl::StartsWith(name, "__xla_")) {
    result = absl::StrCat("a_", name.substr(2));
  }
  if (ElementTypeFromName(result)) result += "_";
  return result;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ModuleParser::Parse() {
  if (!ParseText() || !Finish()) return reader_.status;
  return std::move(module_);
}

bool ModuleParser::ParseText() {
  Lexer& lexer = reader_.lexer;
  const Token first = lexer.token();
  bool headerless = lexer.Is(Keyword::kEntry);
  if (lexer.Is(TokenKind::kEnd)) return reader_.Fail("the text holds no module");
  if (lexer.Is(Keyword::kHloModule)) {
    if (!ReadHeader()) return false;
  } else {
    if (!headerless) {
      headerless = lexer.Next() == TokenKind::kLeftBrace;
      if (!lexer.Is(TokenKind::kError)) lexer.Restore(first);
    }
    module_ = std::make_unique<Module>("_");
    if (!headerless) return ReadInstructionText();
  }
  do {
    if (!ReadComputation()) return false;
  } while (!lexer.Is(TokenKind::kEnd));
  if (headerless) module_->set_name(absl::StrCat("module_", module_->entry()->name()));
  return true;
}

bool ModuleParser::ReadComputation() {
  Lexer& lexer = reader_.lexer;
  const char* at = reader_.here();
  const bool is_entry = lexer.Eat(Keyword::kEntry);
  const char* name_at = reader_.here();
  absl::string_view name;
  if (!reader_.ReadName(&name, "a computation")) return false;
  std::optional<Shape> result;
  if (lexer.Is(TokenKind::kLeftParen) && !ReadSignature(&result)) return false;
  Computation* computation = nullptr;
  if (!ReadBody(SanitizedName(name), /*inline_body=*/false, name_at, result, &computation) ||
      !ReadComputationAttributes(computation)) {
    return false;
  }
  if (is_entry) {
    if (entry_ != nullptr) {
      const TextPosition first = entry_->position();
      return reader_.FailAt(
          at, absl::StrCat("a module has one ENTRY; the first is ", entry_->name(), " at ",
                           first.line, ":", first.column));
    }
    entry_ = computation;
    module_->set_entry(computation);
  }
  auto [known, inserted] = computations_.try_emplace(name, computation);
  return inserted || reader_.FailTwice("computation", name, known->second->position(), name_at);
}

bool ModuleParser::ReadSignature(std::optional<Shape>* result) {
  Lexer& lexer = reader_.lexer;
  // Names and shapes of parameters are those of the body; here they are only read over.
  return reader_.ReadList(TokenKind::kLeftParen, TokenKind::kRightParen, false,
                          [&] {
                            absl::string_view name;
                            Shape shape;
                            return reader_.ReadName(&name, "a parameter ('name: shape')") &&
                                   ReadShape(reader_, &shape, /*fill_layouts=*/false);
                          }) &&
         (lexer.Is(TokenKind::kArrow) || reader_.FailExpected("'->' and the result shape")) &&
         (lexer.Next(), ReadShape(reader_, &result->emplace(), /*fill_layouts=*/false));
}

bool ModuleParser::ReadComputationAttributes(Computation* computation) {
  Lexer& lexer = reader_.lexer;
  bool seen = false;
  while (lexer.Eat(TokenKind::kComma)) {
    if (!lexer.Is(TokenKind::kAttr)) return reader_.FailExpected("execution_thread=\"...\"");
    if (lexer.word() != "execution_thread") {
      return reader_.Fail(absl::StrCat("a computation has no attribute '", lexer.word(),
                                       "'; the only one is execution_thread"));
    }
    if (std::exchange(seen, true)) return reader_.Fail("execution_thread is given twice");
    lexer.Next();
    std::string thread;
    if (!reader_.ReadString(&thread)) return false;
    computation->set_execution_thread(std::move(thread));
  }
  return true;
}

bool ModuleParser::ReadBody(std::string name, bool inline_body, const char* at,
                            const std::optional<Shape>& result, Computation** computation) {
  Lexer& lexer = reader_.lexer;
  // The frames of an inline body and of the attribute it stands in.
  constexpr int kLevels = 8;
  NestingScope nesting(lexer, kLevels);
  if (!nesting.status().ok()) return reader_.Fail(nesting.status());
  if (!reader_.Expect(TokenKind::kLeftBrace)) return false;
  if (lexer.Is(TokenKind::kRightBrace)) return reader_.Fail("a computation has no instructions");
  Body body;
  body.computation = std::make_unique<Computation>(std::move(name));
  body.computation->set_position(lexer.PositionOf(at));
  while (!lexer.Eat(TokenKind::kRightBrace)) {
    if (!ReadInstruction(body)) return false;
  }
  if (body.root != nullptr) body.computation->set_root(body.root);
  const Instruction& root = *body.computation->root();
  if (result && !Shape::Compatible(*result, root.shape())) {
    return reader_.FailAt(
        at, absl::StrCat(inline_body ? "" : body.computation->name(), " is declared to return ",
                         result->ToString(), ", its root is ", root.Describe()));
  }
  if (!CheckParameters(body)) return false;
  *computation = module_->Add(std::move(body.computation));
  return true;
}

bool ModuleParser::CheckParameters(const Body& body) {
  const int64_t count = static_cast<int64_t>(body.parameters.size());
  std::vector<const Instruction*> by_number(count, nullptr);
  for (const auto& [parameter, at] : body.parameters) {
    const int64_t number = parameter->parameter_number();
    if (number >= count) {
      return reader_.FailAt(at,
                            absl::StrCat("parameter ", number, " of a computation with ", count,
                                         " parameters: their numbers must be 0 to ", count - 1));
    }
    if (const Instruction* first = std::exchange(by_number[number], parameter)) {
      return reader_.FailTwice("parameter", absl::StrCat(number), first->position(), at);
    }
  }
  return true;
}

// [['ROOT'] name '='] [shape] opcode operands {',' attribute}; no other text.
bool ModuleParser::ReadInstructionText() {
  Lexer& lexer = reader_.lexer;
  is_instruction_text_ = true;
  Body body;
  body.computation = std::make_unique<Computation>("_");
  body.computation->set_position(lexer.position());
  body.declares_operands = true;
  if (CanStartShape(lexer)) {
    Draft draft;
    draft.begin = reader_.here();
    if (!ReadRightSide(body, draft) || !ReadAttributes(body, draft) || !FinishInstruction(draft)) {
      return false;
    }
    draft.instruction->set_name("_");
    body.computation->Add(std::move(draft.instruction));
  } else if (!ReadInstruction(body)) {
    return false;
  }
  if (!lexer.Is(TokenKind::kEnd)) {
    return reader_.FailExpected(
        "the end: this text is read as one instruction, as it begins with neither HloModule nor "
        "ENTRY nor 'name {'; it");
  }
  if (!CheckParameters(body)) return false;
  entry_ = module_->Add(std::move(body.computation));
  module_->set_entry(entry_);
  module_->is_scheduled = true;
  return true;
}

bool ModuleParser::Finish() {
  if (!CheckWrappers() || !CheckAliases()) return false;
  if (is_instruction_text_) {
    module_->UniquifyNames(entry_);
  } else {
    module_->UniquifyNames();
  }
  InheritAsyncThreads(*module_);
  module_->ReinternStackFrames();
  if (module_->is_scheduled) {
    for (const auto& computation : module_->computations()) {
      if (computation->is_fusion()) continue;
      std::vector<Instruction*> schedule;
      schedule.reserve(computation->instruction_count());
      for (const auto& instruction : computation->instructions()) {
        schedule.push_back(instruction.get());
      }
      computation->set_schedule(std::move(schedule));
    }
  }
  return true;
}

absl::StatusOr<std::unique_ptr<Module>> ParseModule(absl::string_view text,
                                                    const ParseOptions& options) {
  return ModuleParser(text, options).Parse();
}

namespace {

// The whole text by one of the Read functions.
template <typename Value, typename Read>
absl::StatusOr<Value> ParseWhole(absl::string_view text, Read read,
                                 const ParseOptions& options = {}) {
  Reader reader(text, options);
  Value value;
  if (!read(reader, &value) || !reader.Expect(TokenKind::kEnd)) return reader.status;
  return value;
}

}  // namespace

absl::StatusOr<Shape> ParseShape(absl::string_view text) {
  return ParseWhole<Shape>(text,
                           [](Reader& reader, Shape* shape) { return ReadShape(reader, shape); });
}

absl::StatusOr<Sharding> ParseSharding(absl::string_view text) {
  return ParseWhole<Sharding>(text, ReadSharding);
}

absl::StatusOr<Literal> ParseLiteral(absl::string_view text, const Shape& shape) {
  return ParseWhole<Literal>(text, [&](Reader& reader, Literal* literal) {
    absl::StatusOr<Literal> value = ReadLiteral(reader.lexer, shape, &reader.literals);
    if (!value.ok()) return reader.Fail(value.status());
    if (reader.literals.elided) return reader.Fail("the elements are left out ('...')");
    if (shape.is_tuple() && !Shape::Compatible(shape, value->shape())) {
      return reader.Fail(absl::StrCat("this is not a literal of ", shape.ToString()));
    }
    *literal = *std::move(value);
    return true;
  });
}

absl::StatusOr<Literal> ParseTypedLiteral(absl::string_view text, int64_t max_bytes) {
  ParseOptions options;
  options.max_literal_bytes = max_bytes;
  const auto read = [](Reader& reader, Literal* literal) {
    if (!ReadTypedLiteral(reader, literal)) return false;
    return !reader.literals.elided || reader.Fail("the elements are left out ('...')");
  };
  return ParseWhole<Literal>(text, read, options);
}

}  // namespace assay
