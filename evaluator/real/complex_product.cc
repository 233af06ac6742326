#include "evaluator/real/complex_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "evaluator/real/complex_exact.h"

namespace assay::evaluator {
namespace real {
namespace {

// The exponent of the leading bit of a finite number that is not zero; of subnormal numbers too.
int64_t LeadingExponent(double value) { return std::ilogb(value); }

// ball * 2^by.
DdBall Scaled(const DdBall& ball, int by) {
  const double hi = std::ldexp(ball.hi, by), lo = std::ldexp(ball.lo, by);
  const bool exact = std::ldexp(hi, -by) == ball.hi && std::ldexp(lo, -by) == ball.lo;
  if (exact && ball.rad == 0) return {hi, lo, 0};
  return {hi, lo, DdBall::Up(std::ldexp(ball.rad, by))};
}

// ball * 2^exponent, rounded.
bool RoundPart(ElementType part, const DdBall& ball, int64_t exponent, uint64_t* out) {
  if (!std::isfinite(ball.hi) || !std::isfinite(ball.rad)) return false;
  if (ball.IsZero()) {
    *out = EncodeFloat(part, 0.0);
    return true;
  }
  if (ball.MayBeZero()) return false;
  const FloatFormat& format = *Info(part).format;
  const int64_t top = exponent + LeadingExponent(ball.hi);
  const bool negative = ball.hi < 0;
  // The magnitude lies between half and twice that of `hi`.
  if (ball.rad < std::fabs(ball.hi) / 4) {
    if (top > format.max_exponent() + 2) {
      *out = Infinity(part, negative);
      return true;
    }
    if (top < format.min_exponent() - format.significand_bits - 4) {
      *out = EncodeFloat(part, negative ? -0.0 : 0.0);
      return true;
    }
  }
  if (std::llabs(exponent) > 4000 || top < -900 || top > 1000) return false;
  const Ends ends =
      RoundBall(part, exponent == 0 ? ball : Scaled(ball, static_cast<int>(exponent)));
  *out = ends.low;
  return ends.decided();
}

}  // namespace

bool RoundParts(ElementType part, const ScaledComplexBall& value, Element* out) {
  return RoundPart(part, value.ball.re, value.exponent, &out->bits) &&
         RoundPart(part, value.ball.im, value.exponent, &out->imag);
}

namespace {

// One lane of a product in double. At most kTogether factors of f32, below 2^129 and, unless they
// are zero, not below 2^-149, come between two calls of Scale.
struct Lane {
  static constexpr int kTogether = 4;
  double re = 1, im = 0;

  void Multiply(double a, double b) {
    const double x = re * a - im * b;
    im = re * b + im * a;
    re = x;
  }
  // To an absolute value of about 1. Returns the exponent that was taken off.
  int64_t Scale() {
    const double size = std::max(std::fabs(re), std::fabs(im));
    const auto biased = static_cast<int64_t>(std::bit_cast<uint64_t>(size) >> 52);
    if (biased == 0 || biased >= 2046) return 0;  // zero, or not finite
    const double scale = std::bit_cast<double>(static_cast<uint64_t>(2046 - biased) << 52);
    re *= scale;
    im *= scale;
    return biased - 1023;
  }
};

}  // namespace

void QuickComplexProduct::Rescale() {
  Lane lane{re_, im_};
  exponent_ += lane.Scale();
  re_ = lane.re;
  im_ = lane.im;
}

void QuickComplexProduct::Multiply(const double* x, int64_t stride, int64_t n) {
  constexpr int64_t kLanes = 4, kBlock = kLanes * Lane::kTogether;
  int64_t i = 0;
  if (n >= 2 * kBlock) {
    Lane lanes[kLanes];
    for (; i + kBlock <= n; i += kBlock) {
      for (int64_t k = 0; k < Lane::kTogether; ++k) {
        for (int64_t j = 0; j < kLanes; ++j) {
          const double* factor = x + (i + k * kLanes + j) * stride;
          lanes[j].Multiply(factor[0], factor[1]);
        }
      }
      for (Lane& lane : lanes) exponent_ += lane.Scale();
    }
    Lane all{re_, im_};
    for (const Lane& lane : lanes) all.Multiply(lane.re, lane.im);
    re_ = all.re;
    im_ = all.im;
    count_ += kLanes;
    Rescale();
  }
  Lane lane{re_, im_};
  for (int64_t k = 0; i < n; ++i) {
    lane.Multiply(x[i * stride], x[i * stride + 1]);
    if (++k == Lane::kTogether) {
      exponent_ += lane.Scale();
      k = 0;
    }
  }
  re_ = lane.re;
  im_ = lane.im;
  Rescale();
  count_ += n;
}

ScaledComplexBall QuickComplexProduct::Value() const {
  if (count_ > int64_t{1} << 40 || !std::isfinite(re_) || !std::isfinite(im_)) {
    return {{DdBall::Unknown(), DdBall::Unknown()}, 0};
  }
  if (re_ == 0 && im_ == 0) return {{DdBall(), DdBall()}, 0};
  // The first product, by one, is exact.
  const double rad = DdBall::Up(static_cast<double>(count_ - 1) * (2.3 * 0x1p-53) *
                                (std::fabs(re_) + std::fabs(im_)));
  return {{DdBall(re_, 0, rad), DdBall(im_, 0, rad)}, exponent_};
}

void BallComplexProduct::Multiply(double re, double im) {
  constexpr double kLarge = 0x1p300, kSmall = 0x1p-300;
  const double size = std::max(std::fabs(re), std::fabs(im));
  if (size == 0) {
    value_ = {{DdBall(), DdBall()}, 0};
    error_ = 0;
    return;
  }
  ComplexOf<DdBall> factor{DdBall(re), DdBall(im)};
  if (size > kLarge || size < kSmall) {
    const auto exponent = static_cast<int>(LeadingExponent(size));
    factor = {Scaled(factor.re, -exponent), Scaled(factor.im, -exponent)};
    value_.exponent += exponent;
  }
  ComplexOf<DdBall>& z = value_.ball;
  const auto up = [](double bound) { return bound == 0 ? 0 : DdBall::Up(bound); };
  const double a = std::fabs(factor.re.hi), b = std::fabs(factor.im.hi);  // exact, without lo
  const double x = std::exchange(z.re.rad, 0), y = std::exchange(z.im.rad, 0);
  z = z * factor;  // the radii are what this product loses
  error_ = up(error_ * std::sqrt(a * a + b * b) + z.re.rad + z.im.rad);
  z.re.rad = std::min(error_, up(z.re.rad + x * a + y * b));
  z.im.rad = std::min(error_, up(z.im.rad + x * b + y * a));
  const double now = std::max(std::fabs(z.re.hi), std::fabs(z.im.hi));
  if (now == 0 || !std::isfinite(now) || (now < kLarge && now > kSmall)) return;
  const auto exponent = static_cast<int>(LeadingExponent(now));
  z = {Scaled(z.re, -exponent), Scaled(z.im, -exponent)};
  error_ = up(std::ldexp(error_, -exponent));
  value_.exponent += exponent;
}

ErrorBound::ErrorBound(double mantissa, int64_t exponent) : exponent_(exponent) {
  int shift;
  mantissa_ = std::frexp(mantissa, &shift);
  exponent_ = mantissa_ == 0 ? 0 : exponent_ + shift;
}

Dyadic ErrorBound::Value() const {
  const Dyadic mantissa(mantissa_);
  return IsZero() ? Dyadic() : Dyadic(mantissa.significand(), mantissa.exponent() + exponent_);
}

ErrorBound ErrorBound::Times(double factor) const {
  if (IsZero() || factor == 0) return {};
  int shift;
  const double mantissa = std::frexp(std::fabs(factor), &shift);
  return {mantissa_ * mantissa * (1 + 0x1p-50), exponent_ + shift};
}

ErrorBound ErrorBound::Times(double re, double im) const {
  const double size = std::max(std::fabs(re), std::fabs(im));
  if (IsZero() || size == 0) return {};
  const int shift = std::ilogb(size);
  const double a = std::ldexp(re, -shift), b = std::ldexp(im, -shift);
  return {mantissa_ * std::sqrt(a * a + b * b) * (1 + 0x1p-50), exponent_ + shift};
}

bool operator<(const ErrorBound& a, const ErrorBound& b) {
  if (a.IsZero() || b.IsZero()) return a.IsZero() && !b.IsZero();
  return a.exponent_ != b.exponent_ ? a.exponent_ < b.exponent_ : a.mantissa_ < b.mantissa_;
}

ErrorBound operator+(const ErrorBound& a, const ErrorBound& b) {
  if (a.IsZero()) return b;
  if (b.IsZero()) return a;
  if (a.exponent_ < b.exponent_) return b + a;
  const int64_t below = std::min<int64_t>(a.exponent_ - b.exponent_, 200);
  return {(a.mantissa_ + std::ldexp(b.mantissa_, -static_cast<int>(below))) * (1 + 0x1p-50),
          a.exponent_};
}

namespace {

// Cuts the significand of a component to the leading bits, with the error.
void Cut(Dyadic& value, ErrorBound& error) {
  if (value.limbs() * 64 <= ExactComplexProduct::kBits) return;
  const int64_t surplus = value.top() - value.exponent() - ExactComplexProduct::kBits;
  if (surplus <= 0) return;
  const Dyadic::Integer magnitude = abs(value.significand()) >> surplus;
  const int64_t exponent = value.exponent() + surplus;
  value = Dyadic(value.Sign() < 0 ? Dyadic::Integer(-magnitude) : magnitude, exponent);
  error = error + ErrorBound(1, exponent);
}

}  // namespace

ExactComplexProduct::Component ExactComplexProduct::Combine(const Component& x, double a,
                                                            const Component& y, double b,
                                                            bool negative, ErrorBound& cut) {
  Component sum;
  ErrorBound lost;
  Dyadic left = x.value * Dyadic(a), right = y.value * Dyadic(b);
  // Of numbers so far apart the lesser one is all cut off.
  constexpr int64_t kFar = 2 * kBits;
  if (!left.IsZero() && !right.IsZero() && std::llabs(left.top() - right.top()) > kFar) {
    Dyadic& lesser = left.top() < right.top() ? left : right;
    lost = ErrorBound(1, lesser.top());
    lesser = Dyadic();
  }
  sum.value = negative ? left - right : left + right;
  Cut(sum.value, lost);
  sum.error = x.error.Times(a) + y.error.Times(b) + lost;
  cut = cut + lost;
  return sum;
}

void ExactComplexProduct::Multiply(double re, double im) {
  if (!begun_) {
    begun_ = true;
    written_ = {EncodeFloat(part_, re), EncodeFloat(part_, im)};
  } else {
    const PartPatterns product = real::ComplexProduct(part_, DecodeFloat(part_, written_.bits),
                                                      DecodeFloat(part_, written_.imag), re, im);
    written_ = {product.real, product.imag};
  }
  finite_ = finite_ && std::isfinite(re) && std::isfinite(im);
  if (!finite_) return;
  ErrorBound error = error_.Times(re, im);
  Component real = Combine(re_, re, im_, im, true, error);
  im_ = Combine(re_, im, im_, re, false, error);
  re_ = std::move(real);
  error_ = error;
  for (Component* part : {&re_, &im_}) {
    if (error_ < part->error) part->error = error_;
  }
}

uint64_t ExactComplexProduct::RoundComponent(const Component& component, uint64_t* low,
                                             uint64_t* high) const {
  const Dyadic& value = component.value;
  if (component.error.IsZero()) return *low = *high = RoundDyadic(part_, value);
  // Of an error far below the last bit a larger one is the bound, so that the sums stay short.
  const int64_t least = value.IsZero() ? component.error.exponent() : value.top() - 2 * kBits;
  const Dyadic error =
      component.error.exponent() < least ? ErrorBound(1, least).Value() : component.error.Value();
  const Dyadic lower = value - error, upper = value + error;
  *low = RoundDyadic(part_, lower);
  *high = RoundDyadic(part_, upper);
  if (*low == *high) return *low;
  // Whatever the order of the factors has made of it.
  if (lower.Sign() <= 0 && upper.Sign() >= 0) return EncodeFloat(part_, 0.0);
  return RoundDyadic(part_, value);
}

RoundedComplex ExactComplexProduct::Round() const {
  RoundedComplex rounded;
  if (!finite_) {
    rounded.value = written_;
    return rounded;
  }
  rounded.value.bits = RoundComponent(re_, &rounded.low.bits, &rounded.high.bits);
  rounded.value.imag = RoundComponent(im_, &rounded.low.imag, &rounded.high.imag);
  rounded.undecided = !(rounded.low == rounded.high);
  return rounded;
}

}  // namespace real

ComplexProduct::ComplexProduct(ElementType part, double re, double im)
    : part_(part), first_{re, im} {
  if (is_quick()) {
    quick_.Multiply(first_, 2, 1);
  } else {
    MultiplyBall(first_, 2, 1);
  }
}

void ComplexProduct::MultiplyBall(const double* x, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n && finite_; ++i) {
    const double re = x[i * stride], im = x[i * stride + 1];
    finite_ = std::isfinite(re) && std::isfinite(im);
    if (finite_) ball_.Multiply(re, im);
  }
}

void ComplexProduct::Multiply(const double* x, int64_t stride, int64_t n) {
  count_ += n;
  if (is_quick()) return quick_.Multiply(x, stride, n);
  MultiplyBall(x, stride, n);
  ball_count_ = count_;
}

absl::StatusOr<RoundedComplex> ComplexProduct::Round(Again again) {
  RoundedComplex rounded;
  if (is_quick()) {
    if (real::RoundParts(part_, quick_.Value(), &rounded.value)) return rounded;
    if (finite_) {
      if (ball_count_ == 0) {
        ball_ = {};
        MultiplyBall(first_, 2, 1);
      }
      absl::Status status =
          again(ball_count_, count_ - ball_count_,
                [&](const double* x, int64_t stride, int64_t n) { MultiplyBall(x, stride, n); });
      if (!status.ok()) return status;
      ball_count_ = count_;
    }
  }
  if (finite_ && real::RoundParts(part_, ball_.Value(), &rounded.value)) return rounded;
  if (exact_ == nullptr) {
    exact_ = std::make_unique<real::ExactComplexProduct>(part_);
    exact_->Multiply(first_[0], first_[1]);
  }
  absl::Status status =
      again(exact_count_, count_ - exact_count_, [&](const double* x, int64_t stride, int64_t n) {
        for (int64_t i = 0; i < n; ++i) exact_->Multiply(x[i * stride], x[i * stride + 1]);
      });
  if (!status.ok()) return status;
  exact_count_ = count_;
  return exact_->Round();
}

RoundedComplex RoundedComplexProduct(ElementType part, const double* first, const double* x,
                                     int64_t stride, int64_t n) {
  ComplexProduct product(part, first[0], first[1]);
  product.Multiply(x, stride, n);
  return *product.Round([&](int64_t from, int64_t count, ComplexProduct::Visit visit) {
    visit(x + from * stride, stride, count);
    return absl::OkStatus();
  });
}

}  // namespace assay::evaluator
