#include "conformance/judge/freedoms.h"

#include <algorithm>

#include "conformance/judge/gathered_elements.h"
#include "conformance/judge/rounds.h"

namespace assay::conformance {
namespace {

// Returns true for operations whose result may be a zero of either sign for some operands.
bool HasOpenZeros(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMinimum:
    case Opcode::kMaximum:
    case Opcode::kClamp:
    case Opcode::kSign:
    case Opcode::kRemainder:
      return true;
    default:
      return false;
  }
}

bool HasZerosOfBothSigns(absl::Span<const Literal> operands, int64_t element) {
  bool positive = false, negative = false;
  for (const Literal& operand : operands) {
    const uint64_t bits = OperandElement(operand, element).bits;
    if (!IsZero(operand.element_type(), bits)) continue;
    (IsNegative(operand.element_type(), bits) ? negative : positive) = true;
  }
  return positive && negative;
}

// Addends of opposite signs: (-0) + (-0) is no cancellation.
bool Cancels(Opcode opcode, absl::Span<const Literal> operands, int64_t element) {
  const ElementType type = operands[0].element_type();
  const bool same = IsNegative(type, OperandElement(operands[0], element).bits) ==
                    IsNegative(type, OperandElement(operands[1], element).bits);
  return same == (opcode == Opcode::kSubtract);
}

bool ComplexZerosAreOpen(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kSign:
      return true;
    default:
      return instruction.info().accuracy == Accuracy::kFunction;
  }
}

// A part of a complex product is a difference or a sum, which may cancel.
bool MultipliesComplex(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kMultiply && instruction.shape().is_array() &&
         IsComplex(instruction.shape().element_type());
}

}  // namespace

bool ZeroSignIsOpen(const Instruction& instruction, absl::Span<const Literal> operands,
                    int64_t element) {
  if (const Computation* region = FoldRegion(instruction);
      region != nullptr && instruction.info().family != Family::kControl) {
    if (instruction.opcode() == Opcode::kSort) return !instruction.GetBool(Attr::kIsStable);
    return std::any_of(
        region->instructions().begin(), region->instructions().end(),
        [](const auto& each) { return HasOpenZeros(each->opcode()) || MultipliesComplex(*each); });
  }
  if (instruction.info().accuracy == Accuracy::kAccumulating) return true;
  if (!instruction.info().elementwise() || operands.empty() || !operands[0].is_array()) {
    return false;
  }
  if (IsComplex(operands[0].element_type())) return ComplexZerosAreOpen(instruction);
  if (!IsFloat(operands[0].element_type())) return false;
  switch (instruction.opcode()) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
      return Cancels(instruction.opcode(), operands, element);
    case Opcode::kMinimum:
    case Opcode::kMaximum:
    case Opcode::kClamp:
      return HasZerosOfBothSigns(operands, element);
    default:
      return HasOpenZeros(instruction.opcode());
  }
}

bool MayFlush(const Instruction& instruction) {
  if (instruction.info().family == Family::kControl) return Computes(instruction);
  if (Moves(instruction)) return false;
  const Computation* region = FoldRegion(instruction);
  // A fold that only selects one of its operands (a scatter that overwrites) is a move, too.
  return region == nullptr ||
         std::any_of(region->instructions().begin(), region->instructions().end(),
                     [](const auto& each) {
                       return each->opcode() != Opcode::kParameter && !Moves(*each);
                     });
}

Literal FlushDenormals(const Literal& array) {
  if (!IsRounded(array.element_type())) return array;
  Literal flushed = array;
  const ElementType part = Info(array.element_type()).component;
  const auto flush = [part](uint64_t bits) {
    return IsSubnormal(part, bits) ? EncodeFloat(part, IsNegative(part, bits) ? -0.0 : 0.0) : bits;
  };
  for (int64_t i = 0; i < array.element_count(); ++i) {
    Element element = array.Get(i);
    element.bits = flush(element.bits);
    if (IsComplex(array.element_type())) element.imag = flush(element.imag);
    flushed.Set(i, element);
  }
  return flushed;
}

}  // namespace assay::conformance
