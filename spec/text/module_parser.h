// The parser of modules: header, computations, instructions. One object reads one text. The
// operations are described by op_catalogue.def; what is written here is the syntax around them and
// the checks that the reference makes while parsing (hlo_text_format.md 6, 8).
// Private to the parser. Tests: parser_test.cc, parser_errors_test.cc.
#ifndef ASSAY_SPEC_TEXT_MODULE_PARSER_H_
#define ASSAY_SPEC_TEXT_MODULE_PARSER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "spec/ir/module.h"
#include "spec/text/reader.h"

namespace assay {

class ModuleParser {
 public:
  ModuleParser(absl::string_view text, const ParseOptions& options) : reader_(text, options) {}

  absl::StatusOr<std::unique_ptr<Module>> Parse();

 private:
  // A computation while its body is read.
  struct Body {
    std::unique_ptr<Computation> computation;
    absl::flat_hash_map<absl::string_view, Instruction*> names;
    absl::flat_hash_map<std::string, Instruction*> paths;  // "t#1#0"
    Instruction* root = nullptr;
    struct Parameter {
      const Instruction* instruction;
      const char* at;
    };
    std::vector<Parameter> parameters;
    // The text is a single instruction: operands may be new names or bare shapes.
    bool declares_operands = false;
    int64_t declared = 0;
  };

  // An instruction while it is read.
  struct Draft {
    std::unique_ptr<Instruction> instruction;
    // What a sugared asynchronous start wraps; it takes most of the attributes.
    std::unique_ptr<Instruction> wrapped;
    // What old dumps repeat of those attributes on updates and dones (appendix B): read, not kept.
    std::unique_ptr<Instruction> repeated;
    std::optional<Opcode> sugar;  // the <op> of <op>-start, <op>-update, <op>-done
    bool has_shape = false;       // a result shape is written
    const char* begin = nullptr;  // of the instruction's name, or of the nested opcode
    const char* opcode_at = nullptr;
    std::optional<std::string> async_thread;
    Computation* async_calls = nullptr;  // of updates and dones: compared, not kept
    struct Seen {
      absl::string_view name;
      const char* at;
    };
    absl::InlinedVector<Seen, 8> attributes;

    bool HasAttribute(absl::string_view name) const;
  };

  // parser.cc
  bool ParseText();
  bool ReadComputation();
  bool ReadSignature(std::optional<Shape>* result);
  bool ReadComputationAttributes(Computation* computation);
  // '{' instructions '}', checks, and the computation goes into the module.
  bool ReadBody(std::string name, bool inline_body, const char* at,
                const std::optional<Shape>& result, Computation** computation);
  bool CheckParameters(const Body& body);
  bool ReadInstructionText();
  bool Finish();

  // module_header.cc
  bool ReadHeader();
  bool ReadHeaderAttribute(int index);
  bool ReadInputOutputAliases();
  bool ReadBufferDonors();
  bool ReadEntryLayout();
  bool ReadPropagation(std::vector<bool>* values);
  bool CheckAliases();

  // provenance_tables.cc
  bool ReadStackTables();
  bool ReadRecoveryTable();
  bool ReadRecoveryEntry();
  bool ReadDebugTable();
  bool ReadDebugEntry();

  // instruction_parser.cc
  bool ReadInstruction(Body& body);
  // From the shape or opcode on.
  bool ReadRightSide(Body& body, Draft& draft);
  bool ReadOpcode(Draft& draft, const Shape& shape);
  bool ReadOperands(Body& body, Draft& draft);
  bool ReadOperand(Body& body, Instruction* user);
  bool ReadReference(Body& body, const std::optional<Shape>& shape, Instruction** operand);
  bool FollowPath(Body& body, absl::string_view name, const char* at, Instruction** operand);
  // Takes the shape, if there is one.
  bool ReadNested(Body& body, std::optional<Shape>& shape, Instruction** operand);
  bool FinishNested(Body& body, absl::string_view opcode, Draft& draft, Instruction** operand);
  bool ReadParameterNumber(Body& body, Instruction* parameter);
  bool ReadConstant(Draft& draft);
  bool SkipOperand();
  bool DeclareOperand(Body& body, std::string name, const Shape& shape, Instruction** operand);
  bool CheckInstructionName(absl::string_view name, const char* at);

  // attribute_parser.cc
  bool ReadAttributes(Body& body, Draft& draft);
  bool ReadAttribute(Body& body, Draft& draft, const Token& name);
  bool ReadCommonAttribute(Body& body, Draft& draft, const Token& name, bool* known);
  bool ReadOwnAttribute(Draft& draft, Instruction* target, const AttributeUse& use);
  bool ReadValue(const Instruction& target, Attr attr, AttributeValue* value);
  bool ReadControlPredecessors(Body& body, Instruction* instruction);
  bool ReadCallee(Computation** computation);
  bool ReadEnum(Attr attr, const EnumWords& words, int64_t* number);
  bool FailUnknownAttribute(const Draft& draft, const Token& name);
  bool CheckRequired(const Draft& draft, const Instruction& target, const char* at);

  // instruction_checks.cc
  // Everything once operands and attributes are known: counts, shapes that are rewritten or
  // inferred, defaults that depend on operands.
  bool FinishInstruction(Draft& draft);
  bool CheckOperandCount(const Instruction& instruction, const char* at, bool has_shape);
  // What the operation takes, when that is not what the instruction has; else empty.
  static absl::string_view MissingOperands(const Instruction& instruction, bool has_shape);
  bool ApplyOperationRules(Draft& draft, Instruction& instruction);
  bool ApplyRulesBeforeShape(const Draft& draft, Instruction& instruction);
  bool ApplyRulesAfterShape(const Draft& draft, Instruction& instruction);
  bool InferMissingShape(const Draft& draft, Instruction& instruction);
  bool ApplyHostRules(const Draft& draft, Instruction& instruction);
  bool CheckConditional(const Draft& draft, const Instruction& instruction);
  bool CheckCustomCall(const Draft& draft, const Instruction& instruction);
  bool CheckIndexCount(const Draft& draft, const Instruction& instruction);
  bool CheckReshape(const Draft& draft, const Instruction& instruction);
  bool CheckChannels(const Draft& draft, const Instruction& instruction);
  bool FailInstruction(const Draft& draft, absl::string_view message);

  // async_parser.cc
  // <op>-start, <op>-update, <op>-done for the operations that have no such opcode of their own.
  static std::optional<std::pair<Opcode, Opcode>> AsyncSugar(absl::string_view word);
  bool FinishAsyncStart(Draft& draft);
  bool FinishAsyncContinuation(Draft& draft);
  bool CheckAsyncChain(const Draft& draft, const Instruction& start);
  bool WidenWrapper(const Draft& draft, Instruction* start);
  bool CheckWrappers();

  Reader reader_;
  std::unique_ptr<Module> module_;
  absl::flat_hash_map<absl::string_view, Computation*> computations_;
  bool is_instruction_text_ = false;
  Computation* entry_ = nullptr;  // the one marked so
  const char* aliases_at_ = nullptr;
  // Wrappers that sugared starts made: what they wrap may get operands until the end.
  struct Wrapper {
    Instruction* start;
    Instruction* wrapped;
    const char* at;
  };
  std::vector<Wrapper> wrappers_;
  absl::flat_hash_map<const Instruction*, Instruction*> wrapped_by_;  // start to wrapped
  // What generic starts call, and where they begin.
  absl::flat_hash_map<const Computation*, const char*> callers_;
};

}  // namespace assay

#endif  // ASSAY_SPEC_TEXT_MODULE_PARSER_H_
