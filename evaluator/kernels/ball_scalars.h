// The operations on numbers that the algorithms of linear algebra need, for balls and for complex
// numbers of balls.
#ifndef ASSAY_EVALUATOR_KERNELS_BALL_SCALARS_H_
#define ASSAY_EVALUATOR_KERNELS_BALL_SCALARS_H_

#include "evaluator/real/dd_ball.h"
#include "spec/element/element.h"

namespace assay::evaluator::kernels {

// The functions for a ball stand first, those for a complex number of balls below.
template <class Real>
struct ScalarTraits {
  static constexpr int kParts = 1;
  static Real Load(const double* parts) { return parts[0]; }
  static const Real& RealPart(const Real& x) { return x; }
  static const Real& Conjugated(const Real& x) { return x; }
  static Real Square(const Real& x) { return x * x; }
};
template <class Real>
struct ScalarTraits<real::ComplexOf<Real>> {
  using Complex = real::ComplexOf<Real>;
  static constexpr int kParts = 2;
  static Complex Load(const double* parts) { return {parts[0], parts[1]}; }
  static const Real& RealPart(const Complex& z) { return z.re; }
  static Complex Conjugated(const Complex& z) { return Conjugate(z); }
  static Real Square(const Complex& z) { return NormOf(z); }
};

// Returns true if each part rounds to a single bit pattern.
template <class Scalar>
bool RoundScalar(ElementType type, const Scalar& number, Element& element) {
  const ElementType part = Info(type).component;
  const real::Ends ends = RoundBall(part, ScalarTraits<Scalar>::RealPart(number));
  element.bits = ends.low;
  if constexpr (ScalarTraits<Scalar>::kParts == 1) {
    return ends.decided();
  } else {
    const real::Ends imaginary = RoundBall(part, number.im);
    element.imag = imaginary.low;
    return ends.decided() && imaginary.decided();
  }
}

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_BALL_SCALARS_H_
