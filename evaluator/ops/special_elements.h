// NaN and zero of any type, and the class of a factor that decides whether a product is zero or not
// finite. Tests: conformance/corpus/every_path_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_SPECIAL_ELEMENTS_H_
#define ASSAY_EVALUATOR_OPS_SPECIAL_ELEMENTS_H_

#include <cmath>

#include "spec/element/element.h"

namespace assay::evaluator {

// Returns an element with these bits, in both parts of a complex type.
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

// Returns x if it is zero, infinite or NaN, otherwise its sign as 1 or -1. Products of classes show
// whether a product is zero or not finite.
inline double ClassOf(double x) { return x == 0 || !std::isfinite(x) ? x : std::copysign(1.0, x); }

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_SPECIAL_ELEMENTS_H_
