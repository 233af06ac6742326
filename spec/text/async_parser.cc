// Asynchronous instructions, generic and sugared (hlo_text_format.md 6.6): wrappers that sugared
// starts make, what updates add to them, and the checks along a chain.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "spec/ir/async_threads.h"
#include "spec/text/module_parser.h"

namespace assay {
namespace {

// Their -start and -done names are opcodes of their own, and they have no update.
constexpr absl::string_view kWithoutSugar[] = {"all-gather", "all-reduce", "collective-permute",
                                               "copy",       "recv",       "send"};

// ((operand shapes...), result shape, context...).
bool IsAsyncShape(const Shape& shape) {
  return shape.is_tuple() && shape.tuple_shapes().size() >= 2 && shape.tuple_shape(0).is_tuple();
}

// The start that the value of `from` comes from, through what only passes it on; null where the way
// leads out of the computation.
Instruction* FindStart(Instruction* from) {
  std::vector<int64_t> path;  // indices still to take, innermost last
  for (Instruction* at = from; at != nullptr;) {
    switch (at->opcode()) {
      case Opcode::kAsyncStart:
        return path.empty() ? at : nullptr;
      case Opcode::kAsyncUpdate:
      case Opcode::kCopy:
      case Opcode::kOptimizationBarrier:
        if (at->operand_count() < 1) return nullptr;
        at = at->operand(0);
        break;
      case Opcode::kGetTupleElement:
        path.push_back(at->GetInt(Attr::kIndex));
        at = at->operand(0);
        break;
      case Opcode::kTuple:
        if (path.empty() || path.back() < 0 || path.back() >= at->operand_count()) return nullptr;
        at = at->operand(path.back());
        path.pop_back();
        break;
      default:
        return nullptr;
    }
  }
  return nullptr;
}

std::unique_ptr<Instruction> AsyncParameter(int64_t number, const Shape& shape,
                                            TextPosition position) {
  auto parameter = std::make_unique<Instruction>(Opcode::kParameter, shape);
  parameter->set_parameter_number(number);
  parameter->set_name("async_param");
  parameter->set_position(position);
  return parameter;
}

const std::string& ThreadOf(const Instruction& start) {
  static const auto* const main = new std::string("main");
  const auto* thread = start.attributes().Get<std::string>(Attr::kAsyncExecutionThread);
  return thread == nullptr ? *main : *thread;
}

}  // namespace

std::optional<std::pair<Opcode, Opcode>> ModuleParser::AsyncSugar(absl::string_view word) {
  constexpr std::pair<absl::string_view, Opcode> kSuffixes[] = {{"-start", Opcode::kAsyncStart},
                                                                {"-update", Opcode::kAsyncUpdate},
                                                                {"-done", Opcode::kAsyncDone}};
  for (const auto& [suffix, opcode] : kSuffixes) {
    absl::string_view base = word;
    if (!absl::ConsumeSuffix(&base, suffix)) continue;
    const auto excluded = std::find(std::begin(kWithoutSugar), std::end(kWithoutSugar), base);
    const std::optional<Opcode> wrapped = OpcodeFromName(base);
    if (!wrapped || excluded != std::end(kWithoutSugar)) return std::nullopt;
    return std::make_pair(*wrapped, opcode);
  }
  return std::nullopt;
}

bool ModuleParser::FinishAsyncStart(Draft& draft) {
  Instruction& start = *draft.instruction;
  if (!draft.has_shape || !IsAsyncShape(start.shape())) {
    return FailInstruction(draft, "needs a shape of the form ((operands...), result, context...)");
  }
  if (draft.wrapped == nullptr) {
    const Computation* callee = start.GetComputation(Attr::kCalls);
    const auto [first, is_new] = callers_.try_emplace(callee, draft.begin);
    if (is_new) return true;
    const TextPosition at = reader_.lexer.PositionOf(first->second);
    return FailInstruction(
        draft, absl::StrCat("calls ", callee->name(), ", which the async-start at ", at.line, ":",
                            at.column, " calls: each has a computation of its own"));
  }
  Instruction& wrapped = *draft.wrapped;
  if (wrapped.opcode() == Opcode::kParameter || wrapped.opcode() == Opcode::kConstant ||
      IsAsync(wrapped.opcode())) {
    return FailInstruction(draft, absl::StrCat("cannot wrap ", wrapped.info().name));
  }
  auto wrapper = std::make_unique<Computation>("async_wrapped");
  wrapper->set_position(start.position());
  const Shape& operands = start.shape().tuple_shape(0);
  for (const Shape& shape : operands.tuple_shapes()) {
    wrapped.AppendOperand(
        wrapper->Add(AsyncParameter(wrapped.operand_count(), shape, start.position())));
  }
  wrapped.set_shape(start.shape().tuple_shape(1));
  wrapped.set_name(std::string(wrapped.info().name));
  wrapped.set_position(start.position());
  if (start.has_annotations()) {
    const Annotations& given = start.annotations();
    Annotations& copy = wrapped.mutable_annotations();
    copy.metadata = given.metadata;
    copy.origin = given.origin;
    copy.backend_config = given.backend_config;
    copy.frontend_attributes = given.frontend_attributes;
    copy.statistics = given.statistics;
  }
  // With all its operands here, the wrapped instruction is finished as any other.
  if (MissingOperands(wrapped, /*has_shape=*/true).empty() &&
      !ApplyOperationRules(draft, wrapped)) {
    return false;
  }
  Instruction* root = wrapper->Add(std::move(draft.wrapped));
  wrapper->set_root(root);
  wrappers_.push_back({&start, root, draft.opcode_at});
  wrapped_by_[&start] = root;
  start.SetAttribute(Attr::kCalls, module_->Add(std::move(wrapper)));
  return true;
}

bool ModuleParser::FinishAsyncContinuation(Draft& draft) {
  Instruction& instruction = *draft.instruction;
  if (!draft.has_shape) {
    return FailInstruction(draft, "needs its result shape before the opcode");
  }
  if (instruction.operand(0)->opcode() == Opcode::kAsyncDone) {
    return FailInstruction(draft, "continues an operation that is already done");
  }
  const bool is_update = instruction.opcode() == Opcode::kAsyncUpdate;
  if (is_update && !IsAsyncShape(instruction.shape())) {
    return FailInstruction(draft, "needs a shape of the form ((operands...), result, context...)");
  }
  Instruction* start = FindStart(instruction.operand(0));
  if (start == nullptr) return true;
  return CheckAsyncChain(draft, *start) && (!is_update || WidenWrapper(draft, start));
}

bool ModuleParser::CheckAsyncChain(const Draft& draft, const Instruction& start) {
  const Computation* wrapper = start.GetComputation(Attr::kCalls);
  const Instruction* wrapped = wrapper == nullptr ? nullptr : wrapper->root();
  if (draft.sugar && wrapped != nullptr && wrapped->opcode() != *draft.sugar) {
    return FailInstruction(draft, absl::StrCat("continues ", Name(*draft.sugar), ", but ",
                                               start.name(), " wraps ", wrapped->info().name));
  }
  if (draft.async_thread && *draft.async_thread != ThreadOf(start)) {
    return FailInstruction(draft, absl::StrCat("is on thread '", *draft.async_thread, "', but ",
                                               start.name(), " is on '", ThreadOf(start), "'"));
  }
  if (draft.async_calls != nullptr && draft.async_calls != wrapper) {
    return FailInstruction(draft, absl::StrCat("calls another computation than ", start.name()));
  }
  return true;
}

// An update may bind operands that the start left open.
bool ModuleParser::WidenWrapper(const Draft& draft, Instruction* start) {
  const auto known = wrapped_by_.find(start);
  if (known == wrapped_by_.end()) return true;
  Instruction* wrapped = known->second;
  const Shape& shape = draft.instruction->shape();
  const auto operands = shape.tuple_shape(0).tuple_shapes();
  if (static_cast<int64_t>(operands.size()) <= wrapped->operand_count()) return true;
  // Operands come before what uses them.
  Computation* wrapper = wrapped->parent();
  for (size_t i = wrapped->operand_count(); i < operands.size(); ++i) {
    wrapped->AppendOperand(wrapper->InsertBefore(
        wrapped, AsyncParameter(static_cast<int64_t>(i), operands[i], wrapped->position())));
  }
  wrapped->set_shape(shape.tuple_shape(1));
  return true;
}

// Once all updates are read, what the wrappers wrap must have its operands.
bool ModuleParser::CheckWrappers() {
  for (const Wrapper& wrapper : wrappers_) {
    Instruction& wrapped = *wrapper.wrapped;
    const Opcode opcode = wrapped.opcode();
    const Attr callee_attr = opcode == Opcode::kCall ? Attr::kToApply : Attr::kCalls;
    if (opcode == Opcode::kCall || opcode == Opcode::kFusion) {
      // Operands that are never bound keep the callee's shapes.
      const std::vector<Instruction*> parameters =
          wrapped.GetComputation(callee_attr)->parameters();
      for (size_t i = wrapped.operand_count(); i < parameters.size(); ++i) {
        wrapped.AppendOperand(wrapped.parent()->InsertBefore(
            &wrapped,
            AsyncParameter(static_cast<int64_t>(i), parameters[i]->shape(), wrapped.position())));
      }
    }
    if (!CheckOperandCount(wrapped, wrapper.at, /*has_shape=*/true)) return false;
  }
  return true;
}

}  // namespace assay
