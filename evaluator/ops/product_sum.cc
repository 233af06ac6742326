#include "evaluator/ops/product_sum.h"

namespace assay {
namespace {

// The value of a pattern as an exact double; only reals reach 64-bit integers, in mixes.
double Value(ElementType type, uint64_t bits) {
  const ElementType component = Info(type).component;
  if (IsFloat(component)) return DecodeFloat(component, bits);
  if (IsSigned(component)) return static_cast<double>(DecodeSigned(component, bits));
  return static_cast<double>(DecodeUnsigned(component, bits));
}

uint64_t Extended(ElementType type, uint64_t bits) {
  return IsSigned(type) ? static_cast<uint64_t>(DecodeSigned(type, bits))
                        : DecodeUnsigned(type, bits);
}

}  // namespace

void ProductSum::Clear() {
  real_.Clear();
  imaginary_.Clear();
  integer_ = 0;
}

void ProductSum::Add(Element a, Element b) {
  if (IsPred(result_)) {
    integer_ |= a.bits & b.bits;
  } else if (IsInteger(result_)) {
    integer_ += Extended(lhs_, a.bits) * Extended(rhs_, b.bits);
  } else if (IsComplex(result_)) {
    const double ar = Value(lhs_, a.bits), ai = IsComplex(lhs_) ? Value(lhs_, a.imag) : 0;
    const double br = Value(rhs_, b.bits), bi = IsComplex(rhs_) ? Value(rhs_, b.imag) : 0;
    real_.AddProduct(ar, br);
    real_.AddProduct(-ai, bi);
    imaginary_.AddProduct(ar, bi);
    imaginary_.AddProduct(ai, br);
  } else {
    real_.AddProduct(Value(lhs_, a.bits), Value(rhs_, b.bits));
  }
}

Element ProductSum::Result() const {
  if (IsPred(result_)) return {integer_};
  if (IsInteger(result_)) return {EncodeInteger(result_, integer_)};
  const ElementType component = Info(result_).component;
  return {real_.Round(component), IsComplex(result_) ? imaginary_.Round(component) : 0};
}

}  // namespace assay
