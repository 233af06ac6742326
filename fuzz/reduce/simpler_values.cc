#include "fuzz/reduce/simpler_values.h"

#include <bit>
#include <cmath>

namespace assay::fuzz {
namespace {

// An element is not made less simple than it is: 0 stays, and 1 does not become the least denormal.
bool IsSimple(ElementType type, uint64_t bits) { return bits == 0 || bits == One(type, bits); }

bool IsFiniteFloat(ElementType type, uint64_t bits) {
  return IsFloat(type) && std::isfinite(DecodeFloat(type, bits));
}

}  // namespace

uint64_t Zero(ElementType, uint64_t) { return 0; }

uint64_t One(ElementType type, uint64_t bits) {
  if (bits == 0) return bits;
  return IsFloat(type) ? EncodeFloat(type, 1) : EncodeInteger(type, 1);
}

uint64_t NearestInteger(ElementType type, uint64_t bits) {
  if (IsSimple(type, bits) || !IsFiniteFloat(type, bits)) return bits;
  const double integer = std::trunc(DecodeFloat(type, bits));
  return integer == 0 ? bits : EncodeFloat(type, integer);
}

uint64_t NearestPowerOfTwo(ElementType type, uint64_t bits) {
  if (IsSimple(type, bits)) return bits;
  if (IsFiniteFloat(type, bits)) {
    const double value = DecodeFloat(type, bits);
    return EncodeFloat(type, std::copysign(std::exp2(std::ilogb(value)), value));
  }
  if (IsFloat(type)) return bits;
  if (IsSigned(type)) {
    const int64_t value = DecodeSigned(type, bits);
    if (value < 0)
      return EncodeInteger(type, ~(std::bit_floor(~static_cast<uint64_t>(value) + 1) - 1));
  }
  return std::bit_floor(bits);
}

uint64_t LeastDenormal(ElementType type, uint64_t bits) {
  if (!IsFloat(type) || !IsSubnormal(type, bits)) return bits;
  const uint64_t least = MinPositive(type);
  return IsNegative(type, bits) ? EncodeFloat(type, -DecodeFloat(type, least)) : least;
}

Element SimplerElement(ElementType type, Element element, SimplerValue simpler) {
  const ElementType part = Info(type).component;
  return {simpler(part, element.bits), IsComplex(type) ? simpler(part, element.imag) : 0};
}

}  // namespace assay::fuzz
