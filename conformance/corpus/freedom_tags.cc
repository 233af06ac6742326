#include "conformance/corpus/freedom_tags.h"

namespace assay::conformance {
namespace {

// Profiles with values of that kind among them.
bool HasSpecials(ValueProfile profile) {
  return profile == ValueProfile::kSpecial || profile == ValueProfile::kPatterns ||
         profile == ValueProfile::kAll;
}
bool HasDenormals(ValueProfile profile) {
  return HasSpecials(profile) || profile == ValueProfile::kSubnormal ||
         profile == ValueProfile::kFinite;
}

// Types whose denormals hardware flushes.
bool IsFlushed(ElementType type) {
  const ElementType part = Info(type).component;
  return part == ElementType::kF16 || part == ElementType::kBF16 || part == ElementType::kF32 ||
         part == ElementType::kF64;
}

bool IsUnspecified(Opcode opcode, ElementType from, ElementType to, ValueProfile profile) {
  if (opcode == Opcode::kConvert) return IsFloat(from) && IsInteger(to) && HasSpecials(profile);
  const bool divides = opcode == Opcode::kDivide || opcode == Opcode::kRemainder;
  return divides && IsInteger(from) && (HasSpecials(profile) || profile == ValueProfile::kIntegers);
}

}  // namespace

std::vector<Freedom> FreedomsAt(const Instruction& instruction, ValueProfile profile) {
  std::vector<Freedom> freedoms;
  const Opcode opcode = instruction.opcode();
  if (opcode == Opcode::kTopK && profile == ValueProfile::kDuplicates) {
    freedoms.push_back(Freedom::kUnstableOrder);
  }
  if (!instruction.info().elementwise() || instruction.operand_count() == 0) return freedoms;
  const ElementType to = instruction.shape().element_type();
  const ElementType from =
      instruction.operand(instruction.operand_count() - 1)->shape().element_type();
  if (IsFlushed(from) && HasDenormals(profile) && opcode != Opcode::kSelect) {
    freedoms.push_back(Freedom::kDenormals);
  }
  if (IsUnspecified(opcode, from, to, profile)) {
    freedoms.push_back(Freedom::kImplementationDefined);
  }
  const bool computes = opcode != Opcode::kSelect && opcode != Opcode::kAbs &&
                        opcode != Opcode::kNegate && opcode != Opcode::kReal &&
                        opcode != Opcode::kImag;
  if (computes && (IsFloat(to) || IsComplex(to)) && Info(Info(to).component).format->has_nan() &&
      HasSpecials(profile)) {
    freedoms.push_back(Freedom::kNanPayload);
  }
  const bool chooses =
      opcode == Opcode::kMaximum || opcode == Opcode::kMinimum || opcode == Opcode::kClamp;
  if (chooses && IsFloat(from) && Info(from).format->signed_zero && HasSpecials(profile)) {
    freedoms.push_back(Freedom::kSignedZero);
  }
  return freedoms;
}

}  // namespace assay::conformance
