// Whether a relation holds of two numbers. Tests: order_ops_test.cc.
#ifndef ASSAY_EVALUATOR_SCALAR_COMPARISON_H_
#define ASSAY_EVALUATOR_SCALAR_COMPARISON_H_

#include "spec/ir/attribute_values.h"

namespace assay::evaluator {

template <typename T>
constexpr bool Holds(ComparisonDirection direction, T a, T b) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return a == b;
    case ComparisonDirection::kNe:
      return a != b;
    case ComparisonDirection::kGe:
      return a >= b;
    case ComparisonDirection::kGt:
      return a > b;
    case ComparisonDirection::kLe:
      return a <= b;
    case ComparisonDirection::kLt:
      return a < b;
  }
  return false;
}

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_SCALAR_COMPARISON_H_
