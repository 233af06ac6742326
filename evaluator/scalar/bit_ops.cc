// Operations on bit patterns: reference ops_elementwise_and_types.md 6.4, 6.5, select of 6.7, 6.15.
// Tests: integer_ops_test.cc.
#include <bit>

#include "evaluator/scalar/scalar_functions.h"

namespace assay::evaluator::scalar {
namespace {

int Width(const ScalarOp& op) { return Info(op.operand_type).bits; }

}  // namespace

Element Identity(const ScalarOp& /*op*/, Element x, const RealContext& /*context*/) { return x; }

Element BitcastBits(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  if (IsComplex(op.result_type)) return x;
  return {EncodeInteger(op.result_type, x.bits)};
}

Element NotBits(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return Wrapped(op, ~x.bits);
}

Element CountLeadingZeros(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return Wrapped(op, static_cast<uint64_t>(Width(op) - std::bit_width(x.bits)));
}

Element PopulationCount(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return Wrapped(op, static_cast<uint64_t>(std::popcount(x.bits)));
}

Element AndBits(const ScalarOp& /*op*/, Element a, Element b, const RealContext& /*context*/) {
  return {a.bits & b.bits};
}

Element OrBits(const ScalarOp& /*op*/, Element a, Element b, const RealContext& /*context*/) {
  return {a.bits | b.bits};
}

Element XorBits(const ScalarOp& /*op*/, Element a, Element b, const RealContext& /*context*/) {
  return {a.bits ^ b.bits};
}

// Shift amounts are the pattern read as unsigned; from the width on everything is shifted out.
Element ShiftLeft(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  if (b.bits >= static_cast<uint64_t>(Width(op))) return {0};
  return Wrapped(op, a.bits << b.bits);
}

// Unsigned types too replicate the top bit.
Element ShiftRightArithmetic(const ScalarOp& op, Element a, Element b,
                             const RealContext& /*context*/) {
  const auto last = static_cast<uint64_t>(Width(op) - 1);
  const int64_t value = DecodeSigned(op.operand_type, a.bits);
  return Wrapped(op, static_cast<uint64_t>(value >> (b.bits < last ? b.bits : last)));
}

Element ShiftRightLogical(const ScalarOp& op, Element a, Element b,
                          const RealContext& /*context*/) {
  if (b.bits >= static_cast<uint64_t>(Width(op))) return {0};
  return {a.bits >> b.bits};
}

Element SelectBits(const ScalarOp& /*op*/, Element a, Element b, Element c,
                   const RealContext& /*context*/) {
  return a.bits != 0 ? b : c;
}

}  // namespace assay::evaluator::scalar
