// Ball arithmetic: a number with an absolute bound on its error, carried through every operation.
// Cancellation then needs no analysis: the bound shows it, and a more precise tier runs.
//
// `Math` supplies Float, functions of it with relative error below kFunctionError(), operations
// below kRoundoff(), kUnderflow(), the absolute error of a product that underflows, and
// SinCosOf(x, sine, cosine, absolute error).
// Radii are computed in Float too and inflated by 2^-30 for their own roundings.
#ifndef ASSAY_EVALUATOR_REAL_BALL_H_
#define ASSAY_EVALUATOR_REAL_BALL_H_

namespace assay::evaluator::real {

template <class Math>
struct Ball {
  using Float = typename Math::Float;

  Float mid = 0;
  Float rad = 0;

  Ball() = default;
  Ball(double exact) : mid(exact) {}  // NOLINT: numbers are balls
  Ball(const Float& middle, const Float& radius) : mid(middle), rad(radius) {}

  // Returns the ball of a function value at an exact argument.
  static Ball OfFunction(const Float& value) {
    return Ball(value, Up(Math::Abs(value) * Math::kFunctionError()));
  }
  static Ball Unknown() { return Ball(0, Math::Infinity()); }

  static Float Up(const Float& radius) { return radius * (1 + 0x1p-30); }
  bool IsZero() const { return mid == 0 && rad == 0; }
  // Returns true if every number of the ball is positive.
  bool IsPositive() const { return mid > rad; }

  Ball operator-() const { return Ball(-mid, rad); }
  friend Ball operator+(const Ball& a, const Ball& b) {
    if (a.IsZero()) return b;
    if (b.IsZero()) return a;
    const Float mid = a.mid + b.mid;
    return Ball(mid, Up(a.rad + b.rad + Math::Abs(mid) * Math::kRoundoff()));
  }
  friend Ball operator-(const Ball& a, const Ball& b) { return a + -b; }
  friend Ball operator*(const Ball& a, const Ball& b) {
    if (a.IsZero() || b.IsZero()) return Ball();
    const Float mid = a.mid * b.mid;
    return Ball(mid, Up(Math::Abs(a.mid) * b.rad + a.rad * (Math::Abs(b.mid) + b.rad) +
                        Math::Abs(mid) * Math::kRoundoff() + Math::kUnderflow()));
  }
  friend Ball operator/(const Ball& a, const Ball& b) {
    if (!(Math::Abs(b.mid) > 2 * b.rad)) return Unknown();
    if (a.IsZero()) return Ball();
    const Float mid = a.mid / b.mid;
    // |a/b - mid| <= (rad a + |mid| rad b) / (|b| - rad b), and |b| - rad b > |b| / 2.
    return Ball(mid, Up((a.rad + Math::Abs(mid) * b.rad) / (Math::Abs(b.mid) / 2) +
                        Math::Abs(mid) * Math::kRoundoff() + Math::kUnderflow()));
  }
  // Returns the ball times 2^exponent.
  Ball Scaled(int exponent) const {
    return Ball(Math::Scale(mid, exponent), Math::Scale(rad, exponent));
  }
};

// |sqrt(x + d) - sqrt(x)| <= |d| / sqrt(x), x + d >= 0.
template <class Math>
Ball<Math> Sqrt(const Ball<Math>& x) {
  if (x.IsZero()) return x;
  if (!x.IsPositive()) return Ball<Math>::Unknown();
  const auto root = Math::Sqrt(x.mid);
  return {root, Ball<Math>::Up(x.rad / root + root * Math::kRoundoff())};
}

// |exp(x + d) - exp(x)| <= 2 |d| exp(x) for |d| < 1/2.
template <class Math>
Ball<Math> Exp(const Ball<Math>& x) {
  if (!(x.rad < 0.5)) return Ball<Math>::Unknown();
  const auto value = Math::Exp(x.mid);
  // A value that underflows is not an exact zero: the sign of products with it matters.
  return {value, Ball<Math>::Up(value * (Math::kFunctionError() + 2 * x.rad) + Math::kUnderflow())};
}

// |log(x + d) - log(x)| <= 2 |d| / x for |d| < x / 2.
template <class Math>
Ball<Math> Log(const Ball<Math>& x) {
  if (!(x.mid > 2 * x.rad)) return Ball<Math>::Unknown();
  const auto value = Math::Log(x.mid);
  return {value, Ball<Math>::Up(Math::Abs(value) * Math::kFunctionError() + 2 * x.rad / x.mid)};
}

template <class Math>
Ball<Math> Log1p(const Ball<Math>& x) {
  const auto one_plus = 1 + x.mid;
  if (!(one_plus > 2.5 * x.rad)) return Ball<Math>::Unknown();
  const auto value = Math::Log1p(x.mid);
  return {value, Ball<Math>::Up(Math::Abs(value) * Math::kFunctionError() +
                                (2 + 0x1p-20) * x.rad / one_plus)};
}

// The angle of (x, y). Its gradient is (-y, x) / |(x, y)|^2; inside a ball that stays away from the
// origin by half of its distance the denominator is at least a quarter. The ball must not cross the
// cut.
template <class Math>
Ball<Math> Atan2(const Ball<Math>& y, const Ball<Math>& x) {
  const auto size_x = Math::Abs(x.mid), size_y = Math::Abs(y.mid);
  const auto size = size_x > size_y ? size_x : size_y;
  if (!(size > 2 * (x.rad + y.rad))) return Ball<Math>::Unknown();
  if (y.rad != 0 && !(size_y > y.rad) && !x.IsPositive()) return Ball<Math>::Unknown();
  const auto value = Math::Atan2(y.mid, x.mid);
  const auto moved = ((size_x + x.rad) * y.rad + (size_y + y.rad) * x.rad) / size / size * 4;
  return {value, Ball<Math>::Up(Math::Abs(value) * Math::kFunctionError() + moved)};
}

template <class Math>
void SinCos(const Ball<Math>& x, Ball<Math>& sine, Ball<Math>& cosine) {
  typename Math::Float s, c, error;
  Math::SinCosOf(x.mid, s, c, error);
  const auto rad = Ball<Math>::Up(x.rad + error);
  sine = Ball<Math>(s, rad);
  cosine = Ball<Math>(c, rad);
}

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_BALL_H_
