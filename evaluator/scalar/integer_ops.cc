// Integer arithmetic modulo 2^bits: reference ops_elementwise_and_types.md 6.2, 6.3, mulhi of 6.5,
// power of 6.11; decisions I-1 to I-11, P-1 to P-4. Tests: integer_ops_test.cc.
#include "evaluator/scalar/scalar_functions.h"

namespace assay::evaluator::scalar {
namespace {

uint64_t WrappingPower(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

}  // namespace

Element AbsInteger(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return Signed(op, x) < 0 ? Wrapped(op, 0 - x.bits) : x;
}

Element NegateInteger(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  return Wrapped(op, 0 - x.bits);
}

Element SignInteger(const ScalarOp& op, Element x, const RealContext& /*context*/) {
  const int64_t value = Signed(op, x);
  return Wrapped(op, static_cast<uint64_t>(value > 0 ? 1 : value < 0 ? -1 : 0));
}

Element AddInteger(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Wrapped(op, a.bits + b.bits);
}

Element SubtractInteger(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Wrapped(op, a.bits - b.bits);
}

Element MultiplyInteger(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Wrapped(op, a.bits * b.bits);
}

Element DivideSigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  const int64_t divisor = Signed(op, b);
  if (divisor == 0) return Wrapped(op, ~uint64_t{0});
  if (divisor == -1) return Wrapped(op, 0 - a.bits);  // the smallest value wraps to itself
  return Wrapped(op, static_cast<uint64_t>(Signed(op, a) / divisor));
}

Element DivideUnsigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  if (b.bits == 0) return Wrapped(op, ~uint64_t{0});
  return {a.bits / b.bits};
}

Element RemainderSigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  const int64_t divisor = Signed(op, b);
  if (divisor == 0) return a;
  if (divisor == -1) return {0};
  return Wrapped(op, static_cast<uint64_t>(Signed(op, a) % divisor));
}

Element RemainderUnsigned(const ScalarOp& /*op*/, Element a, Element b,
                          const RealContext& /*context*/) {
  return b.bits == 0 ? a : Element{a.bits % b.bits};
}

Element MulhiSigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  const __int128 product = static_cast<__int128>(Signed(op, a)) * Signed(op, b);
  return Wrapped(op, static_cast<uint64_t>(product >> Info(op.operand_type).bits));
}

Element MulhiUnsigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a.bits) * b.bits;
  return Wrapped(op, static_cast<uint64_t>(product >> Info(op.operand_type).bits));
}

// A negative exponent leaves 1 and -1 only, by the parity of the exponent; all else truncates to 0.
Element PowerSigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  const int64_t base = Signed(op, a);
  const int64_t exponent = Signed(op, b);
  if (exponent >= 0) {
    return Wrapped(op, WrappingPower(static_cast<uint64_t>(base), static_cast<uint64_t>(exponent)));
  }
  if (base == 1 || base == -1) return Wrapped(op, (b.bits & 1) != 0 ? a.bits : 1);
  return {0};
}

Element PowerUnsigned(const ScalarOp& op, Element a, Element b, const RealContext& /*context*/) {
  return Wrapped(op, WrappingPower(a.bits, b.bits));
}

}  // namespace assay::evaluator::scalar
