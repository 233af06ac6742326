// Elements as unsigned integers of up to 128 bits, for operations that reinterpret bits. Tests:
// definitions_test.cc, conformance/corpus/every_path_test.cc. Source: reference
// ops_elementwise_and_types.md 1.4, 6.15.
#ifndef ASSAY_EVALUATOR_OPS_BIT_PATTERNS_H_
#define ASSAY_EVALUATOR_OPS_BIT_PATTERNS_H_

#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay::evaluator {

using Pattern = unsigned __int128;

// Returns the bits of an element. A complex number has its real part in the low half.
inline Pattern ToPattern(ElementType type, Element element) {
  if (!IsComplex(type)) return element.bits;
  return element.bits | (Pattern{element.imag} << (Info(type).bits / 2));
}

// Returns the element with these low bits. A pred is true if any of its eight bits is set.
inline Element FromPattern(ElementType type, Pattern pattern) {
  auto low = [](Pattern value, int bits) {
    return static_cast<uint64_t>(value & ((Pattern{1} << bits) - 1));
  };
  if (IsPred(type)) return {low(pattern, 8) != 0 ? uint64_t{1} : 0};
  const int bits = Info(type).bits;
  if (!IsComplex(type)) return {low(pattern, bits)};
  return {low(pattern, bits / 2), low(pattern >> (bits / 2), bits / 2)};
}

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_BIT_PATTERNS_H_
