#include "conformance/judge/random_values.h"

#include <algorithm>
#include <cmath>

#include "spec/ir/attribute_values.h"

namespace assay::conformance {
namespace {

// Returns true if the value is in [a, b). A sum of floats may be rounded to b.
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

std::array<double, 3> ReachOfNormals(ElementType type, double mean, double deviation) {
  std::array<double, 3> reach = {-10, 0, 10};
  for (double& z : reach) z = DecodeFloat(type, EncodeFloat(type, mean + z * deviation));
  return reach;
}

bool CanBeDrawn(const Subject& subject, ElementType type, Element value) {
  if (subject.instruction.opcode() != Opcode::kRng) return true;
  if (subject.instruction.GetEnum<RandomDistribution>(Attr::kDistribution) ==
      RandomDistribution::kNormal) {
    const double x = DecodeFloat(type, value.bits);
    if (std::isfinite(x)) return true;
    const auto reach = ReachOfNormals(type, DecodeFloat(type, subject.operands[0].Get(0).bits),
                                      DecodeFloat(type, subject.operands[1].Get(0).bits));
    return std::any_of(reach.begin(), reach.end(),
                       [x](double end) { return x == end || (std::isnan(x) && std::isnan(end)); });
  }
  return IsBetween(type, value, subject.operands[0].Get(0), subject.operands[1].Get(0));
}

}  // namespace assay::conformance
