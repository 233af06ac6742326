// Products of complex numbers. Where all factors are finite, each part of the result is the exact
// value of that part of the whole product, rounded once; an exact zero is +0. Otherwise the result
// is that of the written order: one factor after the other, each product rounded.
//
// Three tiers compute the same bits. A part is decided as soon as both ends of its enclosure round
// to one bit pattern: - QuickComplexProduct, for parts of at most 24 bits: products in double; -
// BallComplexProduct: sums of two doubles with bounds for each part (dd_ball.h); -
// ExactComplexProduct: long integers, exact while the odd part of each component has at most 4096
// bits. Wider components are cut there, with a bound. A part that this leaves undecided keeps its
// enclosure. Source: reference ops_structural.md 0.3 (Accumulations). Tests:
// complex_product_test.cc.
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

namespace assay::evaluator {

// The bit patterns of a complex element. If `undecided` is true, some part of the exact product
// lies between the parts of `low` and `high`; otherwise these are not set.
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
// Rounds both parts to the float type `part`. Returns false if a part is not decided.
bool RoundParts(ElementType part, const ScaledComplexBall& value, Element* out);

// Proof. With u = 2^-53, a product of two complex doubles errs by at most sqrt(5) u relative to its
// absolute value (Brent, Percival, Zimmermann 2007). Lanes are scaled by powers of two before
// factors of f32 could take them out of [2^-640, 2^640], so that what components lose to underflow
// is below 2^-380 of the absolute value. N products together err by at most 2.3 N u for N <= 2^40.
class QuickComplexProduct {
 public:
  // Returns true if the range and the precision of the type are below those of f64.
  static bool Suits(ElementType part) { return Info(part).format->precision() <= 24; }

  // Factor i has the parts x[i * stride] and x[i * stride + 1].
  void Multiply(const double* x, int64_t stride, int64_t n);
  ScaledComplexBall Value() const;

 private:
  void Rescale();

  double re_ = 1, im_ = 0;  // NaN or infinite after such a factor
  int64_t exponent_ = 0;
  int64_t count_ = 0;  // products
};

class BallComplexProduct {
 public:
  // The parts must be finite.
  void Multiply(double re, double im);
  const ScaledComplexBall& Value() const { return value_; }

 private:
  ScaledComplexBall value_{{DdBall(1), DdBall()}, 0};
  double error_ = 0;  // the absolute error, in the scale of the ball
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
  // Returns the bound times the absolute value of a complex factor.
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
  // Multiplies by any factor, including infinities and NaN.
  void Multiply(double re, double im);
  RoundedComplex Round() const;

 private:
  struct Component {
    Dyadic value;
    ErrorBound error;
  };
  // Returns a x - b y if `negative`, otherwise a x + b y. Adds the truncated part to `cut`.
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

// A cumulative product whose rounded value can be read after every factor.
class ComplexProduct {
 public:
  using Visit = absl::FunctionRef<void(const double* x, int64_t stride, int64_t n)>;
  // Passes `n` factors from number `first` on to `visit`, in order, in several calls. The factor of
  // the constructor is not among them.
  using Again = absl::FunctionRef<absl::Status(int64_t first, int64_t n, Visit visit)>;

  // Starts with one factor of the float type `part`.
  ComplexProduct(ElementType part, double re, double im);
  void Multiply(const double* x, int64_t stride, int64_t n);
  // Returns the rounded product. If the first tier does not decide it calls `again` for the
  // factors: for all of them the first time, later for those since the last such call.
  absl::StatusOr<RoundedComplex> Round(Again again);

 private:
  bool is_quick() const { return real::QuickComplexProduct::Suits(part_); }
  void MultiplyBall(const double* x, int64_t stride, int64_t n);

  ElementType part_;
  double first_[2];
  int64_t count_ = 0;  // factors after the first
  real::QuickComplexProduct quick_;
  real::BallComplexProduct ball_;
  int64_t ball_count_ = 0;
  bool finite_ = true;  // true if all factors of ball_ are finite
  std::unique_ptr<real::ExactComplexProduct> exact_;
  int64_t exact_count_ = 0;
};

// Returns the product of a first factor and of n others, which are stored as Multiply expects.
RoundedComplex RoundedComplexProduct(ElementType part, const double* first, const double* x,
                                     int64_t stride, int64_t n);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REAL_COMPLEX_PRODUCT_H_
