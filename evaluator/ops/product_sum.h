// The sum of products that dot and convolution compute, in the type of the result. Floats have
// exact products and an exact sum, rounded once, whatever the types of the factors; complex numbers
// have each component exact. Integers are computed modulo 2^bits, each factor extended from its own
// type; pred is an OR of ANDs. If factors and result are not of one class, factors are converted to
// the result's type first. A sum without terms is zero. Source: reference ops_structural.md 7.2, 8.
// Tests: product_sum_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_PRODUCT_SUM_H_
#define ASSAY_EVALUATOR_OPS_PRODUCT_SUM_H_

#include <cstdint>

#include "evaluator/real/exact_sum.h"
#include "spec/element/element.h"

namespace assay::evaluator {

class ProductSum {
 public:
  ProductSum(ElementType lhs, ElementType rhs, ElementType result);

  void Clear();
  void Add(Element a, Element b);
  Element Result() const;

 private:
  const ElementType given_lhs_, given_rhs_, result_;
  const ElementType lhs_, rhs_;  // the types in which factors are multiplied
  ExactSum real_, imaginary_;
  uint64_t integer_ = 0;
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_PRODUCT_SUM_H_
