// Products of complex numbers. Where all factors are finite, each part of the result is the exact
// value of that part of the whole product, rounded once; an exact zero is +0. Otherwise the result
// is that of the written order: one factor after the other, each product rounded.
//
// Three tiers lead to the same bits. A part counts as soon as both ends of its enclosure round to
// one pattern:
//  - QuickComplexProduct, for parts of at most 24 bits: products in double;
//  - BallComplexProduct: sums of two doubles with bounds for each part (dd_ball.h);
//  - ExactComplexProduct: long integers, exact while the odd part of each component has at most
//    4096 bits. Wider components are cut there, with a bound. A part that this leaves undecided
//    keeps its enclosure.
// Source: reference ops_structural.md 0.3 (Accumulations). Tests: complex_product_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_COMPLEX_PRODUCT_H_
#define ASSAY_EVALUATOR_REAL_COMPLEX_PRODUCT_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/real/dd_ball.h"
#include "evaluator/real/dyadic.h"
#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay {

// Patterns of a complex element. Where `undecided`, some part of the exact product lies between the
// parts of `low` and `high`; elsewhere these are not set.
struct RoundedComplex {
  Element value;
  bool undecided = false;
  Element low, high;
};

namespace real {

// ball * 2^exponent.
struct ScaledComplexBall {
  ComplexOf<DdBall> ball;
  int64_t exponent = 0;
};
// Rounds both parts to the float type `part`. False: some part is not decided.
bool RoundParts(ElementType part, const ScaledComplexBall& value, Element* out);

// Proof. With u = 2^-53, a product of two complex doubles errs by at most sqrt(5) u relative to its
// absolute value (Brent, Percival, Zimmermann 2007). Lanes are scaled by powers of two before
// factors of f32 could take them out of [2^-640, 2^640], so that what components lose to underflow
// is below 2^-380 of the absolute value. N products together err by at most 2.3 N u for N <= 2^40.
class QuickComplexProduct {
 public:
  // Whether parts of this type suit: neither their range nor their precision is that of f64.
  static bool Suits(ElementType part) { return Info(part).format->precision() <= 24; }

  // Factor i has the parts x[i * stride] and x[i * stride + 1].
  void Multiply(const double* x, int64_t stride, int64_t n);
  ScaledComplexBall Value() const;

 private:
  void Rescale();

  double re_ = 1, im_ = 0;  // NaN or infinite once a factor was
  int64_t exponent_ = 0;
  int64_t count_ = 0;  // products
};

class BallComplexProduct {
 public:
  // The parts are finite.
  void Multiply(double re, double im);
  const ScaledComplexBall& Value() const { return value_; }

 private:
  ScaledComplexBall value_{{DdBall(1), DdBall()}, 0};
  double error_ = 0;  // of the absolute value, in the scale of the ball
};

// An upper bound mantissa * 2^exponent.
class ErrorBound {
 public:
  ErrorBound() = default;
  ErrorBound(double mantissa, int64_t exponent);
  bool IsZero() const { return mantissa_ == 0; }
  int64_t exponent() const { return exponent_; }
  Dyadic Value() const;
  ErrorBound Times(double factor) const;
  // Times the absolute value of a complex factor.
  ErrorBound Times(double re, double im) const;
  friend ErrorBound operator+(const ErrorBound& a, const ErrorBound& b);
  friend bool operator<(const ErrorBound& a, const ErrorBound& b);

 private:
  double mantissa_ = 0;  // 0, or in [1/2, 1]
  int64_t exponent_ = 0;
};

class ExactComplexProduct {
 public:
  static constexpr int64_t kBits = 4096;

  explicit ExactComplexProduct(ElementType part) : part_(part) {}
  // Any factor, infinities and NaN included.
  void Multiply(double re, double im);
  RoundedComplex Round() const;

 private:
  struct Component {
    Dyadic value;
    ErrorBound error;
  };
  // a x - b y with negative = true, else a x + b y. Adds what is cut off to `cut`.
  static Component Combine(const Component& x, double a, const Component& y, double b,
                           bool negative, ErrorBound& cut);
  uint64_t RoundComponent(const Component& component, uint64_t* low, uint64_t* high) const;

  ElementType part_;
  Component re_{Dyadic(1.0), {}}, im_;
  ErrorBound error_;  // of the absolute value: bounds of the parts grow by |a| + |b| a factor
  bool finite_ = true;
  bool begun_ = false;
  Element written_;  // the product in the written order
};

}  // namespace real

// A product that grows, and its rounded value whenever one is wanted.
class ComplexProduct {
 public:
  using Visit = absl::FunctionRef<void(const double* x, int64_t stride, int64_t n)>;
  // Shows `n` factors from number `first` on to `visit`, in order, in parts. The first factor of
  // the constructor is not among them.
  using Again = absl::FunctionRef<absl::Status(int64_t first, int64_t n, Visit visit)>;

  // Starts with one factor.
  ComplexProduct(ElementType part, double re, double im);
  void Multiply(const double* x, int64_t stride, int64_t n);
  // What the first tier does not decide asks for the factors again: for all of them the first time,
  // later for those since the last such case.
  absl::StatusOr<RoundedComplex> Round(Again again);

 private:
  bool is_quick() const { return real::QuickComplexProduct::Suits(part_); }
  void MultiplyBall(const double* x, int64_t stride, int64_t n);

  ElementType part_;
  double first_[2];
  int64_t count_ = 0;  // beside the first
  real::QuickComplexProduct quick_;
  real::BallComplexProduct ball_;
  int64_t ball_count_ = 0;
  bool finite_ = true;  // the factors of ball_
  std::unique_ptr<real::ExactComplexProduct> exact_;
  int64_t exact_count_ = 0;
};

// The product of a first factor and of n others, which lie as Multiply takes them.
RoundedComplex RoundedComplexProduct(ElementType part, const double* first, const double* x,
                                     int64_t stride, int64_t n);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_REAL_COMPLEX_PRODUCT_H_
