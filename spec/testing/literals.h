// Literals of floating-point numbers, for tests.
#ifndef ASSAY_SPEC_TESTING_LITERALS_H_
#define ASSAY_SPEC_TESTING_LITERALS_H_

#include <vector>

#include "spec/ir/literal.h"

namespace assay {

// Returns an array of one dimension; the numbers are rounded to the type.
inline Literal Array(ElementType type, const std::vector<double>& values) {
  Literal literal = Literal::Zeros(Shape(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) {
    literal.Set(static_cast<int64_t>(i), Element{EncodeFloat(type, values[i])});
  }
  return literal;
}

template <typename Number = double>
Literal F32(const std::vector<Number>& values) {
  return Array(ElementType::kF32, {values.begin(), values.end()});
}
inline Literal Scalar(double value) {
  return Literal::Scalar(ElementType::kF32, Element{EncodeFloat(ElementType::kF32, value)});
}

}  // namespace assay

#endif  // ASSAY_SPEC_TESTING_LITERALS_H_
