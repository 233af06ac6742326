// Elements that fill whole results: NaN where an operation has no value, zero where nothing is; and
// what numbers that are zero or not finite make of a product.
#ifndef ASSAY_EVALUATOR_OPS_SPECIAL_ELEMENTS_H_
#define ASSAY_EVALUATOR_OPS_SPECIAL_ELEMENTS_H_

#include <cmath>

#include "spec/element/element.h"

namespace assay {

// In both parts of a complex type.
inline Element UniformElement(ElementType type, uint64_t part) {
  if (!IsComplex(type)) return {part};
  return {part, part};
}
inline Element NanOf(ElementType type) {
  return UniformElement(type, CanonicalNan(Info(type).component));
}
inline Element ZeroOf(ElementType type) {
  return UniformElement(type, EncodeFloat(Info(type).component, 0.0));
}

// For products of which a factor may be zero or not finite: zero, the sign of a finite number, or
// what is not finite itself.
inline double ClassOf(double x) { return x == 0 || !std::isfinite(x) ? x : std::copysign(1.0, x); }

}  // namespace assay

#endif  // ASSAY_EVALUATOR_OPS_SPECIAL_ELEMENTS_H_
