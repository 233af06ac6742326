// Test oracle: complex functions by their textbook definitions on long MPFR numbers. The numbers
// have far more bits than cancellation can remove.
#ifndef ASSAY_EVALUATOR_REAL_MPFR_COMPLEX_H_
#define ASSAY_EVALUATOR_REAL_MPFR_COMPLEX_H_

#include "evaluator/real/mpfr_oracle.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::testing {

struct MpfrComplex {
  Mpfr re, im;
  MpfrComplex(mpfr_prec_t precision, double a, double b) : re(precision, a), im(precision, b) {}
  mpfr_prec_t precision() const { return mpfr_get_prec(re.get()); }
};
using Mpc = MpfrComplex;

inline Mpc operator+(Mpc a, const Mpc& b) {
  mpfr_add(a.re, a.re, b.re, MPFR_RNDN);
  mpfr_add(a.im, a.im, b.im, MPFR_RNDN);
  return a;
}
inline Mpc operator-(Mpc a, const Mpc& b) {
  mpfr_sub(a.re, a.re, b.re, MPFR_RNDN);
  mpfr_sub(a.im, a.im, b.im, MPFR_RNDN);
  return a;
}
inline Mpc operator*(const Mpc& a, const Mpc& b) {
  Mpc result = a;
  mpfr_fmms(result.re, a.re, b.re, a.im, b.im, MPFR_RNDN);
  mpfr_fmma(result.im, a.re, b.im, a.im, b.re, MPFR_RNDN);
  return result;
}
inline Mpc operator/(const Mpc& a, const Mpc& b) {
  Mpc conjugate = b;
  mpfr_neg(conjugate.im, conjugate.im, MPFR_RNDN);
  Mpc result = a * conjugate;
  Mpfr square(a.precision());
  mpfr_fmma(square, b.re, b.re, b.im, b.im, MPFR_RNDN);
  mpfr_div(result.re, result.re, square, MPFR_RNDN);
  mpfr_div(result.im, result.im, square, MPFR_RNDN);
  return result;
}
inline Mpc Number(const Mpc& like, double a, double b = 0) { return Mpc(like.precision(), a, b); }
inline Mpc Exp(const Mpc& z) {
  Mpc result = z;
  Mpfr size(z.precision());
  mpfr_exp(size, z.re, MPFR_RNDN);
  mpfr_sin_cos(result.im, result.re, z.im, MPFR_RNDN);
  mpfr_mul(result.re, result.re, size, MPFR_RNDN);
  mpfr_mul(result.im, result.im, size, MPFR_RNDN);
  return result;
}
inline Mpc Abs(const Mpc& z) {
  Mpc result = Number(z, 0);
  mpfr_hypot(result.re, z.re, z.im, MPFR_RNDN);
  return result;
}
inline Mpc Log(const Mpc& z) {
  Mpc result = Abs(z);
  mpfr_log(result.re, result.re, MPFR_RNDN);
  mpfr_atan2(result.im, z.im, z.re, MPFR_RNDN);
  return result;
}
inline Mpc Sqrt(const Mpc& z) {
  const Mpc size = Abs(z);
  Mpc result = z;
  mpfr_add(result.re, size.re, z.re, MPFR_RNDN);
  mpfr_sub(result.im, size.re, z.re, MPFR_RNDN);
  for (Mpfr* part : {&result.re, &result.im}) {
    mpfr_div_2ui(*part, *part, 1, MPFR_RNDN);
    mpfr_sqrt(*part, *part, MPFR_RNDN);
  }
  mpfr_setsign(result.im, result.im, mpfr_signbit(z.im.get()), MPFR_RNDN);
  return result;
}

inline Mpc ApplyComplex(RealFunction f, const Mpc& z) {
  const Mpc one = Number(z, 1), two = Number(z, 2), i = Number(z, 0, 1), zero = Number(z, 0);
  const auto apply = [](RealFunction g, const Mpc& x) { return ApplyComplex(g, x); };
  switch (f) {
    case RealFunction::kAbs:
      return Abs(z);
    case RealFunction::kSign:
      return z / Abs(z);
    case RealFunction::kExp:
      return Exp(z);
    case RealFunction::kExpm1:
      return Exp(z) - one;
    case RealFunction::kLog:
      return Log(z);
    case RealFunction::kLog1p:
      return Log(one + z);
    case RealFunction::kLogistic:
      return one / (one + Exp(zero - z));
    case RealFunction::kSqrt:
      return Sqrt(z);
    case RealFunction::kRsqrt:
      return one / Sqrt(z);
    case RealFunction::kCbrt:
      return Exp(Log(z) / Number(z, 3));
    case RealFunction::kSinh:
      return (Exp(z) - Exp(zero - z)) / two;
    case RealFunction::kCosh:
      return (Exp(z) + Exp(zero - z)) / two;
    case RealFunction::kTanh:
      return apply(RealFunction::kSinh, z) / apply(RealFunction::kCosh, z);
    case RealFunction::kSin:
      return apply(RealFunction::kSinh, i * z) / i;
    case RealFunction::kCos:
      return apply(RealFunction::kCosh, i * z);
    case RealFunction::kTan:
      return apply(RealFunction::kTanh, i * z) / i;
    case RealFunction::kAsinh:
      return Log(z + Sqrt(z * z + one));
    case RealFunction::kAcosh:
      return Log(z + Sqrt(z + one) * Sqrt(z - one));
    case RealFunction::kAtanh:
      return (Log(one + z) - Log(one - z)) / two;
    case RealFunction::kAsin:
      return apply(RealFunction::kAsinh, i * z) / i;
    case RealFunction::kAtan:
      return apply(RealFunction::kAtanh, i * z) / i;
    case RealFunction::kAcos: {
      Mpc half_pi = zero;
      mpfr_const_pi(half_pi.re, MPFR_RNDN);
      mpfr_div_2ui(half_pi.re, half_pi.re, 1, MPFR_RNDN);
      return half_pi - apply(RealFunction::kAsin, z);
    }
    case RealFunction::kErf:
      break;
  }
  return zero;
}

inline Mpc ApplyComplex(RealFunction2 f, const Mpc& a, const Mpc& b) {
  switch (f) {
    case RealFunction2::kMultiply:
      return a * b;
    case RealFunction2::kDivide:
      return a / b;
    case RealFunction2::kPower:
      return Exp(b * Log(a));
    case RealFunction2::kAtan2:
      break;
  }
  const Mpc i = Number(a, 0, 1);
  return Log((b + i * a) / Sqrt(b * b + a * a)) / i;
}

}  // namespace assay::evaluator::testing

#endif  // ASSAY_EVALUATOR_REAL_MPFR_COMPLEX_H_
