#include "conformance/judge/random_values.h"

#include <cmath>

#include "spec/ir/attribute_values.h"

namespace assay {
namespace {

// From a up to b, b not included; a sum of floats may be rounded to b.
bool IsBetween(ElementType type, Element value, Element a, Element b) {
  if (IsFloat(type)) {
    const double x = DecodeFloat(type, value.bits);
    return x >= DecodeFloat(type, a.bits) && x <= DecodeFloat(type, b.bits);
  }
  if (IsSigned(type)) {
    const int64_t x = DecodeSigned(type, value.bits);
    return x >= DecodeSigned(type, a.bits) && x < DecodeSigned(type, b.bits);
  }
  const uint64_t x = DecodeUnsigned(type, value.bits);
  if (type == ElementType::kPred) return x <= 1;
  return x >= DecodeUnsigned(type, a.bits) && x < DecodeUnsigned(type, b.bits);
}

}  // namespace

bool IsRandom(const Instruction& instruction) {
  return instruction.opcode() == Opcode::kRng ||
         (instruction.opcode() == Opcode::kRngBitGenerator &&
          instruction.GetEnum<RandomAlgorithm>(Attr::kRngAlgorithm) == RandomAlgorithm::kDefault);
}

bool CanBeDrawn(const Subject& subject, ElementType type, Element value) {
  if (subject.instruction.opcode() != Opcode::kRng) return true;
  if (subject.instruction.GetEnum<RandomDistribution>(Attr::kDistribution) ==
      RandomDistribution::kNormal) {
    return std::isfinite(DecodeFloat(type, value.bits));
  }
  return IsBetween(type, value, subject.operands[0].Get(0), subject.operands[1].Get(0));
}

}  // namespace assay
