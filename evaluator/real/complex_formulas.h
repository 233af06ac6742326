// The complex functions in ball arithmetic, finite arguments off the axes (complex_special.h
// decides the rest). Source: reference accuracy_design.md 8. Tests: complex_functions_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_COMPLEX_FORMULAS_H_
#define ASSAY_EVALUATOR_REAL_COMPLEX_FORMULAS_H_

#include <cmath>

#include "evaluator/real/ball.h"
#include "evaluator/real/complex_tiers.h"
#include "evaluator/real/exact_sum.h"
#include "evaluator/real/real_functions.h"

namespace assay::evaluator::real {

template <class Math>
struct ComplexBall {
  Ball<Math> re, im;

  friend ComplexBall operator+(const ComplexBall& a, const ComplexBall& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend ComplexBall operator*(const ComplexBall& a, const ComplexBall& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend ComplexBall operator/(const ComplexBall& a, const ComplexBall& b) {
    const Ball<Math> square = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
  }
};

template <class Math>
class ComplexFormulas {
 public:
  using B = Ball<Math>;
  using C = ComplexBall<Math>;
  using Float = typename Math::Float;

  static C Evaluate(RealFunction function, double a, double b) {
    switch (function) {
      case RealFunction::kAbs:
        return {Hypot(a, b), B()};
      case RealFunction::kAcos: {
        const Arc arc = InverseSine(std::fabs(a), std::fabs(b));
        return {Atan2(arc.root, B(a)), Signed(arc.imag, -b)};
      }
      case RealFunction::kAcosh: {
        const C acos = Evaluate(RealFunction::kAcos, a, b);
        return std::signbit(b) ? C{acos.im, -acos.re} : C{-acos.im, acos.re};
      }
      case RealFunction::kAsin: {
        const Arc arc = InverseSine(std::fabs(a), std::fabs(b));
        return {Atan2(B(a), arc.root), Signed(arc.imag, b)};
      }
      case RealFunction::kAsinh: {
        const C asin = Evaluate(RealFunction::kAsin, b, -a);
        return {-asin.im, asin.re};
      }
      case RealFunction::kAtan: {
        const C atanh = InverseTanh(-b, a);
        return {atanh.im, -atanh.re};
      }
      case RealFunction::kAtanh:
        return InverseTanh(a, b);
      case RealFunction::kCbrt: {
        const C log = Logarithm({B(a), B(b)});
        return Cis(Exp(log.re / B(3)), log.im / B(3));
      }
      case RealFunction::kCos: {
        const Trigonometric t(a), h = Hyperbolic(b);
        return {t.cosine * h.cosine, -(t.sine * h.sine)};
      }
      case RealFunction::kCosh: {
        const Trigonometric t(b), h = Hyperbolic(a);
        return {h.cosine * t.cosine, h.sine * t.sine};
      }
      case RealFunction::kExp: {
        const Trigonometric t(b);
        const B modulus = ExpOf(a);
        return {modulus * t.cosine, modulus * t.sine};
      }
      case RealFunction::kExpm1:
        return ExpMinusOne(a, b);
      case RealFunction::kLog:
        return Logarithm({B(a), B(b)});
      case RealFunction::kLog1p:
        return LogPlusOne(a, b);
      case RealFunction::kLogistic:
        return Logistic(a, b);
      case RealFunction::kRsqrt: {
        const C root = Root(a, b);
        const B modulus = Hypot(a, b);
        return {root.re / modulus, -(root.im / modulus)};
      }
      case RealFunction::kSign: {
        const B modulus = Hypot(a, b);
        return {B(a) / modulus, B(b) / modulus};
      }
      case RealFunction::kSin: {
        const Trigonometric t(a), h = Hyperbolic(b);
        return {t.sine * h.cosine, t.cosine * h.sine};
      }
      case RealFunction::kSinh: {
        const Trigonometric t(b), h = Hyperbolic(a);
        return {h.sine * t.cosine, h.cosine * t.sine};
      }
      case RealFunction::kSqrt:
        return Root(a, b);
      case RealFunction::kTan: {
        const C tanh = HyperbolicTangent(-b, a);
        return {tanh.im, -tanh.re};
      }
      case RealFunction::kTanh:
        return HyperbolicTangent(a, b);
      case RealFunction::kErf:
        break;  // real only
    }
    return {B::Unknown(), B::Unknown()};
  }

  // exp(w log z), z not zero.
  static C Power(double a, double b, double c, double d) {
    const C exponent = C{B(c), B(d)} * Logarithm({B(a), B(b)});
    return Cis(Exp(exponent.re), exponent.im);
  }

  // -i log(n / d) with n = x + i y, m = x - i y and d the root of n m. The imaginary part is minus
  // a quarter of log(|n|^2 / |m|^2), and that ratio 1 + 4 (x_im y_re - x_re y_im) / |m|^2.
  static C ArcTangent2(double y_re, double y_im, double x_re, double x_im) {
    const C y = {B(y_re), B(y_im)}, x = {B(x_re), B(x_im)};
    const C n = {x.re - y.im, x.im + y.re}, m = {x.re + y.im, x.im - y.re};
    // The imaginary part is written as two products of the operands: those of n and m are larger by
    // any factor where they cancel.
    C product = {(n * m).re, (x.re * x.im + y.re * y.im).Scaled(1)};
    // On the axis the signs of the squares' zeros tell the side, as a sum of them would have it.
    bool below = false;
    if (SumIsZero(x_re, x_im, y_re, y_im)) {
      product.im = B();
      below = (x_re == 0 || x_im == 0) && std::signbit(x_re) != std::signbit(x_im) &&
              std::signbit(y_re) != std::signbit(y_im);
    }
    C direction = n / Root(product, below);
    if (SumIsZero(x_re, y_re, x_im, y_im)) {  // n / m is real: n / d lies on an axis
      (Math::Abs(direction.re.mid) < Math::Abs(direction.im.mid) ? direction.re : direction.im) =
          B();
    }
    B log;
    if (!SumIsZero(x_im, y_re, -x_re, y_im)) {
      const B square = m.re * m.re + m.im * m.im;
      const B excess = (x.im * y.re - x.re * y.im).Scaled(2) / square;
      log = Math::Abs(excess.mid) < 0.5 ? Log1p(excess) : Log((n.re * n.re + n.im * n.im) / square);
    }
    return {Atan2(direction.im, direction.re), -log.Scaled(-2)};
  }

 private:
  // Whether a b + c d is exactly zero.
  static bool SumIsZero(double a, double b, double c, double d) {
    ExactSum sum;
    sum.AddProduct(a, b);
    sum.AddProduct(c, d);
    bool negative = false;
    for (uint32_t digit : sum.Digits(negative)) {
      if (digit != 0) return false;
    }
    return true;
  }

  struct Trigonometric {
    B sine, cosine;
    Trigonometric() = default;
    explicit Trigonometric(double x, int scale = 0) {
      Float s, c;
      Math::SinCos(x, scale, s, c);
      sine = B::OfFunction(s);
      cosine = B::OfFunction(c);
    }
  };
  static Trigonometric Hyperbolic(double x) {
    Trigonometric result;
    result.sine = B::OfFunction(Math::Sinh(Float(Clamp(x))));
    result.cosine = B::OfFunction(Math::Cosh(Float(Clamp(x))));
    return result;
  }
  // Far beyond the range of every type, and the same limit for every factor of a formula.
  static double Clamp(double x) { return std::fmax(-16000, std::fmin(x, 16000)); }
  static B ExpOf(double x) { return Exp(B(Clamp(x))); }

  static B Signed(const B& magnitude, double sign) {
    return std::signbit(sign) ? -magnitude : magnitude;
  }
  static C Cis(const B& modulus, const B& angle) {
    B sine, cosine;
    SinCos(angle, sine, cosine);
    return {modulus * cosine, modulus * sine};
  }
  static B Hypot(double a, double b) { return Sqrt(B(a) * B(a) + B(b) * B(b)); }

  // expm1(a) cos b - 2 sin^2(b/2).
  static C ExpMinusOne(double a, double b) {
    const Trigonometric t(b), half(b, -1);
    const B e = B::OfFunction(Math::Expm1(Float(Clamp(a))));
    return {e * t.cosine - (half.sine * half.sine).Scaled(1), ExpOf(a) * t.sine};
  }

  // log |z|; `square_minus_one` is re^2 - 1. Near the unit circle the logarithm of 1 plus the rest.
  static B LogModulus(const B& re, const B& im, const B& square_minus_one) {
    const B square = re * re + im * im;
    if (square.mid > 0.25 && square.mid < 4) {
      return Log1p(square_minus_one + im * im).Scaled(-1);
    }
    return Log(square).Scaled(-1);
  }
  static C Logarithm(const C& z) {
    const B one(1);
    return {LogModulus(z.re, z.im, (z.re - one) * (z.re + one)), Atan2(z.im, z.re)};
  }
  static C LogPlusOne(double a, double b) {
    const B re = B(1) + B(a), im(b);
    return {LogModulus(re, im, B(a) * (B(a) + B(2))), Atan2(im, re)};
  }

  // (e^a + cos b, sin b) / (4 (sinh^2(a/2) + cos^2(b/2))).
  static C Logistic(double a, double b) {
    const Trigonometric t(b), half(b, -1);
    const B h = B::OfFunction(Math::Sinh(Math::Scale(Float(Clamp(a)), -1)));
    const B denominator = (h * h + half.cosine * half.cosine).Scaled(2);
    return {(ExpOf(a) + t.cosine) / denominator, t.sine / denominator};
  }

  static C Root(double a, double b) {
    const B size = Sqrt((Hypot(a, b) + B(std::fabs(a))).Scaled(-1));
    const B other = B(std::fabs(b)) / size.Scaled(1);
    return a >= 0 ? C{size, Signed(other, b)} : C{other, Signed(size, b)};
  }
  // The principal root of a ball off the cut; an exact zero imaginary part counts as -0 where
  // `negative_zero`, else as +0.
  static C Root(const C& z, bool negative_zero) {
    const B modulus = Sqrt(z.re * z.re + z.im * z.im);
    if (z.im.IsZero()) {
      if (z.re.IsPositive()) return {Sqrt(z.re), B()};
      const B size = Sqrt(-z.re);
      return {B(), negative_zero ? -size : size};
    }
    if (z.re.mid >= 0) {
      const B size = Sqrt((modulus + z.re).Scaled(-1));
      return {size, z.im / size.Scaled(1)};
    }
    const B size = Sqrt((modulus - z.re).Scaled(-1));
    const bool below = z.im.mid < 0;
    if (!((below ? -z.im : z.im).IsPositive())) return {B::Unknown(), B::Unknown()};
    const B other = z.im / size.Scaled(1);
    return below ? C{-other, -size} : C{other, size};
  }

  // (sinh a cosh a + i sin b cos b) / (cos^2 b + sinh^2 a).
  static C HyperbolicTangent(double a, double b) {
    const Trigonometric t(b), h = Hyperbolic(a);
    const B denominator = t.cosine * t.cosine + h.sine * h.sine;
    return {h.sine * h.cosine / denominator, t.sine * t.cosine / denominator};
  }

  // Hull, Fairgrieve and Tang: for a, b >= 0, r = |z + 1|, s = |z - 1|, A = (r + s) / 2:
  // re asin = atan2(a, root), root = sqrt((A + a)(A - a)), im asin = log(A + sqrt(A^2 - 1)), with A
  // - a and A - 1 written without cancellation.
  struct Arc {
    B root, imag;
  };
  static Arc InverseSine(double a, double b) {
    const B x(a), y(b), one(1);
    const B square = y * y;
    const B r = Sqrt((x + one) * (x + one) + square);
    const B s = Sqrt((x - one) * (x - one) + square);
    const B mean = (r + s).Scaled(-1);
    const B outer = square / (r + x + one);
    B less_x, less_one;
    if (a <= 1) {
      const B inner = square / (s + (one - x));
      less_x = (outer + (s + (one - x))).Scaled(-1);
      less_one = (outer + inner).Scaled(-1);
    } else {
      less_x = (outer + square / (s + (x - one))).Scaled(-1);
      less_one = (outer + (s + (x - one))).Scaled(-1);
    }
    return {Sqrt((mean + x) * less_x), Log1p(less_one + Sqrt(less_one * (mean + one)))};
  }

  // log1p(4 a / ((1 - a)^2 + b^2)) / 4 and atan2(2 b, (1 - a)(1 + a) - b^2) / 2, the first for a >=
  // 0.
  static C InverseTanh(double a, double b) {
    const B x(std::fabs(a)), y(b), one(1);
    const B square = y * y;
    const B re = Log1p(x.Scaled(2) / ((one - x) * (one - x) + square)).Scaled(-2);
    const B im = Atan2(y.Scaled(1), (one - x) * (one + x) - square).Scaled(-1);
    return {Signed(re, a), im};
  }
};

template <class Math>
ComplexBall<Math> EvaluateCall(const ComplexCall& call) {
  using Formulas = ComplexFormulas<Math>;
  if (!call.binary) return Formulas::Evaluate(call.unary_function, call.a, call.b);
  if (call.binary_function == RealFunction2::kAtan2) {
    return Formulas::ArcTangent2(call.a, call.b, call.c, call.d);
  }
  return Formulas::Power(call.a, call.b, call.c, call.d);
}

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_COMPLEX_FORMULAS_H_
