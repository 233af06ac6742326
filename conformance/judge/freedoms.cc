#include "conformance/judge/freedoms.h"

#include <algorithm>

namespace assay {
namespace {

// Operations that pick or reinterpret elements, and those of selection.
bool Moves(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kSelect:
    case Opcode::kReal:
    case Opcode::kImag:
    case Opcode::kComplex:
    case Opcode::kSort:
    case Opcode::kTopK:
      return true;
    default:
      return instruction.info().family == Family::kMovement ||
             (instruction.info().family == Family::kIndexing &&
              instruction.opcode() != Opcode::kScatter) ||
             instruction.info().family == Family::kControl;
  }
}

// Of operations whose result may be a zero of either sign for some operands.
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

// The computation that a fold runs per element; null for other instructions.
const Computation* FoldRegion(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kSelectAndScatter
             ? instruction.GetComputation(Attr::kScatter)
             : instruction.to_apply();
}

// An element of an operand of the result's shape, or of a scalar one.
Element At(const Literal& operand, int64_t element) {
  return operand.Get(operand.element_count() == 1 ? 0 : element);
}

bool HasZerosOfBothSigns(absl::Span<const Literal> operands, int64_t element) {
  bool positive = false, negative = false;
  for (const Literal& operand : operands) {
    const uint64_t bits = At(operand, element).bits;
    if (!IsZero(operand.element_type(), bits)) continue;
    (IsNegative(operand.element_type(), bits) ? negative : positive) = true;
  }
  return positive && negative;
}

// Addends of opposite signs: (-0) + (-0) is no cancellation.
bool Cancels(Opcode opcode, absl::Span<const Literal> operands, int64_t element) {
  const ElementType type = operands[0].element_type();
  const bool same = IsNegative(type, At(operands[0], element).bits) ==
                    IsNegative(type, At(operands[1], element).bits);
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

// Integer powers by the low 6 bits of an exponent that is not negative.
bool IsPowerOfLowExponent(ElementType type, uint64_t base, uint64_t exponent, Element got) {
  const int bits = Info(type).bits;
  if (IsSigned(type) && (exponent >> (bits - 1) & 1) != 0) return false;
  uint64_t power = 1;
  for (uint64_t k = 0; k < (exponent & 63); ++k) power *= base;
  return got.bits == (bits == 64 ? power : power & ((uint64_t{1} << bits) - 1));
}

// functions of a NaN part or of two infinite parts may be NaN where C99 knows more. S-2: the
// sign of what has a part that is infinite or NaN may be anything with a NaN part.
bool IsComplexSpecial(const Instruction& instruction, const Literal& operand, Element got,
                      int64_t element) {
  const ElementType part = Info(operand.element_type()).component;
  const Element z = At(operand, element);
  const bool nan = IsNan(part, z.bits) || IsNan(part, z.imag);
  const int infinite = IsInfinity(part, z.bits) + IsInfinity(part, z.imag);
  const bool real_nan = IsNan(part, got.bits);
  if (instruction.opcode() == Opcode::kSign) {
    return (nan || infinite > 0) && (real_nan || IsNan(part, got.imag));
  }
  if (instruction.info().accuracy != Accuracy::kFunction && instruction.opcode() != Opcode::kAbs) {
    return false;
  }
  return (nan || infinite == 2) && real_nan &&
         (instruction.opcode() == Opcode::kAbs || IsNan(part, got.imag));
}

// 2^-127 counts as zero in f32, which the type does not have.
bool IsLeastScaleLost(const Instruction& instruction, absl::Span<const Literal> operands,
                      Element wanted, Element got, int64_t element) {
  if (!MayFlush(instruction) || !IsNan(ElementType::kF8E8M0FNU, got.bits)) return false;
  if (wanted.bits == 0) return true;
  return instruction.info().elementwise() &&
         std::any_of(operands.begin(), operands.end(),
                     [element](const Literal& operand) { return At(operand, element).bits == 0; });
}

}  // namespace

bool ZeroSignIsOpen(const Instruction& instruction, absl::Span<const Literal> operands,
                    int64_t element) {
  if (const Computation* region = FoldRegion(instruction);
      region != nullptr && instruction.info().family != Family::kControl) {
    if (instruction.opcode() == Opcode::kSort) return !instruction.GetBool(Attr::kIsStable);
    return std::any_of(region->instructions().begin(), region->instructions().end(),
                       [](const auto& each) { return HasOpenZeros(each->opcode()); });
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
  if (Moves(instruction)) return false;
  const Computation* region = FoldRegion(instruction);
  // A fold that only picks one of its operands (a scatter that overwrites) moves as well.
  return region == nullptr ||
         std::any_of(region->instructions().begin(), region->instructions().end(),
                     [](const auto& each) {
                       return each->opcode() != Opcode::kParameter && !Moves(*each);
                     });
}

bool IsAdmitted(const Instruction& instruction, absl::Span<const Literal> operands,
                ElementType type, Element wanted, Element got, int64_t element) {
  switch (instruction.opcode()) {
    case Opcode::kReducePrecision:
      // A NaN without mantissa bits to keep may stay a NaN or become an infinity.
      return instruction.GetInt(Attr::kMantissaBits) == 0 &&
             IsNan(type, operands[0].Get(element).bits) &&
             (IsNan(type, got.bits) || IsInfinity(type, got.bits));
    case Opcode::kPower:
      if (IsInteger(type)) {
        return IsPowerOfLowExponent(type, operands[0].Get(element).bits,
                                    operands[1].Get(element).bits, got);
      }
      break;
    default:
      break;
  }
  if (operands.size() == 1 && operands[0].is_array() && IsComplex(operands[0].element_type()) &&
      instruction.info().elementwise()) {
    return IsComplexSpecial(instruction, operands[0], got, element);
  }
  return type == ElementType::kF8E8M0FNU &&
         IsLeastScaleLost(instruction, operands, wanted, got, element);
}

}  // namespace assay
