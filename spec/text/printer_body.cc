// Computations, instruction lines and operands. Tests: printer_test.cc.
#include "spec/text/printer_body.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "spec/text/printer_order.h"
#include "spec/text/printer_values.h"

namespace assay::printing {
namespace {

// Larger constants print as dots unless asked for.
constexpr int64_t kMaxShownElements = 10;
// Operands that compact_operands leaves.
constexpr int64_t kMaxCompactOperands = 4;
constexpr absl::string_view kMainThread = "main";

absl::string_view AsyncSuffix(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAsyncStart:
      return "-start";
    case Opcode::kAsyncUpdate:
      return "-update";
    default:
      return "-done";
  }
}

bool IsHiddenElement(const assay::Instruction& instruction) {
  return instruction.opcode() == Opcode::kGetTupleElement &&
         instruction.parent()->root() != &instruction;
}

}  // namespace

void BodyPrinter::Name(absl::string_view name) {
  if (!options_.ids) name = name.substr(0, name.find('.'));
  if (options_.percent || IsReserved(name)) out_->push_back('%');
  out_->append(name.data(), name.size());
}

void BodyPrinter::Shape(const assay::Shape& shape, bool with_layout) {
  shape.AppendTo(out_, with_layout);
}

void BodyPrinter::CanonicalName(const assay::Instruction& instruction, CanonicalNames* names) {
  int64_t& number = names->numbers[instruction.index()];
  if (number < 0) number = names->next++;
  out_->append("tmp_");
  AppendInt(number, out_);
}

void BodyPrinter::Signature(const assay::Computation& computation) {
  out_->push_back('(');
  AppendJoined(computation.parameters(), ", ", out_, [&](const assay::Instruction* parameter) {
    if (parameter == nullptr) return;
    absl::string_view name = parameter->name();
    if (!options_.ids) name = name.substr(0, name.find('.'));
    out_->append(name.data(), name.size());
    out_->append(": ");
    Shape(parameter->shape(), /*with_layout=*/false);
  });
  out_->append(") -> ");
  Shape(computation.root()->shape(), /*with_layout=*/false);
  out_->push_back(' ');
}

void BodyPrinter::Computation(const assay::Computation& computation) {
  if (options_.ids) {
    Name(computation.name());
    out_->push_back(' ');
  } else if (options_.percent) {
    out_->push_back('%');
  }
  if (options_.program_shape) Signature(computation);
  Body(computation, 0);
}

void BodyPrinter::Body(const assay::Computation& computation, int indent) {
  out_->append("{\n");
  CanonicalNames names;
  if (options_.canonicalize_names) names.numbers.assign(computation.instruction_count(), -1);
  const assay::Instruction* root = computation.root();
  // XLA writes a body in place of its name without regard to its schedule.
  const bool inlined = inlined_ > 0;
  for (const assay::Instruction* instruction :
       InstructionOrder(computation, options_.exact, /*scheduled=*/!inlined)) {
    if (options_.compact_gte && IsHiddenElement(*instruction)) continue;
    out_->append(2 * (indent + 1), ' ');
    if (instruction == root) out_->append("ROOT ");
    Line(*instruction, &names, indent + 1);
    out_->push_back('\n');
  }
  out_->append(2 * indent, ' ');
  out_->push_back('}');
  if (options_.ids && computation.execution_thread() != kMainThread) {
    Key("execution_thread");
    AppendQuoted(computation.execution_thread(), out_);
  }
}

void BodyPrinter::Instruction(const assay::Instruction& instruction) {
  Line(instruction, nullptr, 0);
}

void BodyPrinter::Line(const assay::Instruction& instruction, CanonicalNames* names, int indent) {
  if (!options_.canonicalize_names) {
    Name(instruction.name());
    out_->append(" = ");
  } else if (names != nullptr) {
    CanonicalName(instruction, names);
    out_->append(" = ");
  }
  if (options_.result_shape) {
    Shape(instruction.shape(), options_.layouts);
    out_->push_back(' ');
  }
  const assay::Instruction* wrapped = options_.async_sugar ? sugar_.Wrapped(instruction) : nullptr;
  if (wrapped != nullptr) {
    absl::StrAppend(out_, wrapped->info().name, AsyncSuffix(instruction.opcode()));
  } else {
    out_->append(instruction.info().name.data(), instruction.info().name.size());
  }
  out_->push_back('(');
  Operands(instruction, names);
  out_->push_back(')');
  if (wrapped == nullptr) {
    OwnAttributes(instruction, indent);
  } else if (instruction.opcode() == Opcode::kAsyncStart) {
    SugaredStart(instruction, *wrapped, indent);
  } else if (instruction.opcode() == Opcode::kAsyncUpdate) {
    OwnAttributes(instruction, indent);
  }
  CommonAttributes(instruction, wrapped);
}

void BodyPrinter::Operands(const assay::Instruction& instruction, CanonicalNames* names) {
  if (instruction.opcode() == Opcode::kParameter) {
    AppendInt(instruction.parameter_number(), out_);
    return;
  }
  if (instruction.opcode() == Opcode::kConstant) return Constant(instruction);
  int64_t count = instruction.operand_count();
  if (options_.compact_operands) count = std::min(count, kMaxCompactOperands);
  for (int64_t i = 0; i < count; ++i) {
    AppendIndexedSeparator(i, options_.operand_index_interval, out_);
    Operand(*instruction.operand(i), names);
  }
  const int64_t left_out = instruction.operand_count() - count;
  if (left_out > 0) absl::StrAppend(out_, ", ...(+", left_out, ")");
}

void BodyPrinter::Operand(const assay::Instruction& operand, CanonicalNames* names) {
  const bool named = options_.canonicalize_names ? names != nullptr : options_.operand_names;
  if (options_.operand_shape) {
    Shape(operand.shape(), options_.layouts);
    if (named) out_->push_back(' ');
  }
  if (!named) return;
  // With compact_gte an element of a tuple is written as the tuple and the path into it.
  const assay::Instruction* base = &operand;
  std::vector<int64_t> path;
  while (options_.compact_gte && IsHiddenElement(*base)) {
    path.push_back(base->GetInt(Attr::kIndex));
    base = base->operand(0);
  }
  if (options_.canonicalize_names) {
    CanonicalName(*base, names);
  } else {
    Name(base->name());
  }
  for (size_t i = path.size(); i-- > 0;) absl::StrAppend(out_, "#", path[i]);
}

void BodyPrinter::Constant(const assay::Instruction& instruction) {
  const Literal* literal = instruction.literal();
  if (literal == nullptr) {
    if (options_.large_constants) return AppendElided(instruction.shape(), out_);
    out_->append("{...}");
    return;
  }
  const bool small = literal->is_array() && literal->element_count() <= kMaxShownElements;
  if (small || options_.large_constants) return AppendLiteral(*literal, out_);
  out_->append("{...}");
}

}  // namespace assay::printing
