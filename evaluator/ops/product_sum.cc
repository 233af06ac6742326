#include "evaluator/ops/product_sum.h"

#include "evaluator/ops/definition.h"
#include "spec/ops/dot.h"

namespace assay::evaluator {
namespace {

uint64_t Extended(ElementType type, uint64_t bits) {
  return IsSigned(type) ? static_cast<uint64_t>(DecodeSigned(type, bits))
                        : DecodeUnsigned(type, bits);
}

}  // namespace

ProductSum::ProductSum(ElementType lhs, ElementType rhs, ElementType result)
    : given_lhs_(lhs),
      given_rhs_(rhs),
      result_(result),
      lhs_(AreOfOneClass(lhs, rhs, result) ? lhs : result),
      rhs_(AreOfOneClass(lhs, rhs, result) ? rhs : result) {}

void ProductSum::Clear() {
  real_.Clear();
  imaginary_.Clear();
  integer_ = 0;
}

void ProductSum::Add(Element a, Element b) {
  a = As(lhs_, given_lhs_, a);
  b = As(rhs_, given_rhs_, b);
  if (IsPred(result_)) {
    integer_ |= a.bits & b.bits;
  } else if (IsInteger(result_)) {
    integer_ += Extended(lhs_, a.bits) * Extended(rhs_, b.bits);
  } else if (IsComplex(result_)) {
    const ElementType left = Info(lhs_).component, right = Info(rhs_).component;
    const double ar = DecodeFloat(left, a.bits), ai = DecodeFloat(left, a.imag);
    const double br = DecodeFloat(right, b.bits), bi = DecodeFloat(right, b.imag);
    real_.AddProduct(ar, br);
    real_.AddProduct(-ai, bi);
    imaginary_.AddProduct(ar, bi);
    imaginary_.AddProduct(ai, br);
  } else {
    real_.AddProduct(DecodeFloat(lhs_, a.bits), DecodeFloat(rhs_, b.bits));
  }
}

Element ProductSum::Result() const {
  if (IsPred(result_)) return {integer_};
  if (IsInteger(result_)) return {EncodeInteger(result_, integer_)};
  const ElementType component = Info(result_).component;
  return {real_.Round(component), IsComplex(result_) ? imaginary_.Round(component) : 0};
}

}  // namespace assay::evaluator
