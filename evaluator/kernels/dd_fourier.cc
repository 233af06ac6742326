// Passes in the order of Stockham, which leave elements in their natural order: for a factor p of
// the length n = p m of what is left, s transforms side by side, element [q][r][j] of the result is
//   (sum over t of x[t][q][j] e^(2 pi i t r / p)) e^(2 pi i q r / n).
//
// The convolution of a prime p. With w = e^(-pi i / p), t r = (t^2 + r^2 - (r - t)^2) / 2, so
//   sum over t >= 1 of d[t] w^(2 t r) = w^(r^2) sum over t of (d[t] w^(t^2)) w^(-(r - t)^2),
// for d[t] = x[t] - x[0] the element r > 0 of the transform. The sum is a cyclic convolution of a
// length M = 2^T >= 2 p - 1: three transforms, that of the filter w^(-j^2) made once.
//
// Its error. Plain operations on pairs of doubles: a sum errs by less than 2^-103.5 (|a| + |b|), a
// product by 2^-103 |a b|, a complex product by 2^-101.5 |a b|; roots err by less than 2^-100.5. So
// a pass of a transform, which multiplies the 2-norm by sqrt(p), errs by less than e = 2^-99 of it,
// and one of T passes by T e; so does a multiplication by roots. Let |d| be the 2-norm of d, B the
// largest element of the transformed filter and D its largest error. The filter has the 2-norm
// sqrt(2 p - 1), so D <= T e sqrt(M (2 p - 1)), the 2-norm of all errors. Then the errors are
//   of the transformed data:     sqrt(M) |d| (T + 1) e                    in the 2-norm
//   of the products:             sqrt(M) |d| ((T + 2) e B + D)
//   of the result, divided by M: |d| ((T + 2) e B + D) + T e B |d|, and e B |d| for w^(r^2)
// which is below |d| ((2 T + 4) e B + 2 D) together; every element errs by less than the norm does.
// What the balls x bring in adds at most the sum of their radii. Tests: fourier_test.cc.
#include "evaluator/kernels/dd_fourier.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "evaluator/real/roots_of_unity.h"

namespace assay::evaluator::kernels {
namespace {

using real::ComplexOf;
using real::DdBall;

// A number of two doubles without a bound.
struct Pair {
  double hi = 0, lo = 0;

  Pair() = default;
  Pair(double high, double low = 0) : hi(high), lo(low) {}  // NOLINT: numbers are pairs
  explicit Pair(const DdBall& ball) : hi(ball.hi), lo(ball.lo) {}

  bool IsZero() const { return hi == 0; }
  Pair operator-() const { return {-hi, -lo}; }
  static Pair Joined(double high, double low) {
    const double sum = high + low;
    return {sum, low - (sum - high)};
  }
  friend Pair operator+(const Pair& a, const Pair& b) {
    double error;
    const double sum = real::TwoSum(a.hi, b.hi, error);
    return Joined(sum, error + (a.lo + b.lo));
  }
  friend Pair operator-(const Pair& a, const Pair& b) { return a + -b; }
  friend Pair operator*(const Pair& a, const Pair& b) {
    double error;
    const double product = real::TwoProduct(a.hi, b.hi, error);
    return Joined(product, error + (a.hi * b.lo + a.lo * b.hi));
  }
};

template <class Real>
ComplexOf<Real> TimesI(const ComplexOf<Real>& z) {
  return {-z.im, z.re};
}

ComplexOf<DdBall> Times(const ComplexOf<DdBall>& z, const DdBall& real) {
  return {z.re * real, z.im * real};
}

// The roots of one order, for the twiddle factors of all passes.
template <class Real>
class Twiddles {
 public:
  using Number = ComplexOf<Real>;

  Twiddles(const Number* roots, int64_t order, bool inverse)
      : roots_(roots), quarter_(order % 4 == 0 ? order / 4 : order), inverse_(inverse) {}

  // value * root[index], 0 <= index < order: turns by quarters are exact.
  Number Apply(const Number& value, int64_t index) const {
    if (index == 0) return value;
    if (index == quarter_) return Quarter(value);
    if (index == 2 * quarter_) return -value;
    if (index == 3 * quarter_) return -Quarter(value);
    return value * roots_[index];
  }
  // value * root[order / 4].
  Number Quarter(const Number& value) const { return inverse_ ? TimesI(value) : -TimesI(value); }

 private:
  const Number* roots_;
  int64_t quarter_;
  bool inverse_;
};

template <class Real>
void Pass2(const Twiddles<Real>& twiddles, int64_t m, int64_t s, const ComplexOf<Real>* x,
           ComplexOf<Real>* y) {
  for (int64_t q = 0; q < m; ++q) {
    const ComplexOf<Real>* in = x + q * s;
    ComplexOf<Real>* out = y + 2 * q * s;
    for (int64_t j = 0; j < s; ++j) {
      const ComplexOf<Real>& a = in[j];
      const ComplexOf<Real>& b = in[j + m * s];
      out[j] = a + b;
      out[j + s] = twiddles.Apply(a - b, q * s);
    }
  }
}

template <class Real>
void Pass4(const Twiddles<Real>& twiddles, int64_t m, int64_t s, const ComplexOf<Real>* x,
           ComplexOf<Real>* y) {
  using Number = ComplexOf<Real>;
  const int64_t step = m * s;
  for (int64_t q = 0; q < m; ++q) {
    const Number* in = x + q * s;
    Number* out = y + 4 * q * s;
    for (int64_t j = 0; j < s; ++j) {
      const Number even = in[j] + in[j + 2 * step], even_less = in[j] - in[j + 2 * step];
      const Number odd = in[j + step] + in[j + 3 * step];
      const Number odd_less = twiddles.Quarter(in[j + step] - in[j + 3 * step]);
      out[j] = even + odd;
      out[j + s] = twiddles.Apply(even_less + odd_less, q * s);
      out[j + 2 * s] = twiddles.Apply(even - odd, 2 * q * s);
      out[j + 3 * s] = twiddles.Apply(even_less - odd_less, 3 * q * s);
    }
  }
}

// Ascending: 4 as often as it divides, one 2 at most, odd primes.
std::vector<int64_t> Factors(int64_t n) {
  std::vector<int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// Magnitudes, rounded up.
double SizeOf(const DdBall& x) { return (std::fabs(x.hi) + x.rad) * (1 + 0x1p-40); }
double SizeOf(const ComplexOf<DdBall>& z) {
  return std::hypot(SizeOf(z.re), SizeOf(z.im)) * (1 + 0x1p-40);
}
double RadiusOf(const ComplexOf<DdBall>& z) { return (z.re.rad + z.im.rad) * (1 + 0x1p-40); }

int64_t ConvolutionLength(int64_t p) {
  int64_t length = 1;
  while (length < 2 * p - 1) length *= 2;
  return length;
}

}  // namespace

// The transform of a prime length by convolution, for r > 0.
class DdFourier::Convolution {
 public:
  using PairNumber = ComplexOf<Pair>;

  Convolution(int64_t p, bool inverse) : p_(p), length_(ConvolutionLength(p)) {
    for (int64_t n = length_; n > 1; n /= 4) factors_.push_back(n == 2 ? 2 : 4);
    for (const Number& root : real::DdRoots(length_)) {
      forward_.push_back({Pair(root.re), Pair(-root.im)});
      backward_.push_back({Pair(root.re), Pair(root.im)});
    }
    const std::vector<Number> roots = real::DdRoots(2 * p);
    std::vector<PairNumber> room(length_);
    filter_.resize(length_);
    for (int64_t t = 0; t < p; ++t) {
      const Number& root = roots[static_cast<int64_t>(static_cast<__int128>(t) * t % (2 * p))];
      const Number chirp = inverse ? root : Conjugate(root);
      chirp_.push_back({Pair(chirp.re), Pair(chirp.im)});
      filter_[t] = Conjugate(chirp_[t]);
      if (t > 0) filter_[length_ - t] = filter_[t];
    }
    Transform(filter_, room, Twiddles<Pair>(forward_.data(), length_, false));
    double largest = 0;
    const double scale = 1.0 / static_cast<double>(length_);  // of the inverse; a power of two
    for (PairNumber& value : filter_) {
      largest = std::max(largest, std::hypot(value.re.hi, value.im.hi));
      value = {Pair(value.re.hi * scale, value.re.lo * scale),
               Pair(value.im.hi * scale, value.im.lo * scale)};
    }
    const auto passes = static_cast<double>(factors_.size());
    const double filter_error =
        passes * 0x1p-99 * std::sqrt(static_cast<double>(length_) * static_cast<double>(2 * p));
    error_ = ((2 * passes + 4) * 0x1p-99 * largest + 2 * filter_error) * (1 + 0x1p-20);
  }

  // x and y have a stride.
  absl::Status Run(const Number* x, int64_t stride_x, Number* y, int64_t stride_y,
                   Meter& meter) const {
    Number sum = x[0];
    std::vector<PairNumber> data(length_), room(length_);
    double square = 0, radius = 0;
    bool zero = true;
    for (int64_t t = 1; t < p_; ++t) {
      sum = sum + x[t * stride_x];
      const Number difference = x[t * stride_x] - x[0];
      zero = zero && difference.IsZero();
      square += SizeOf(difference) * SizeOf(difference);
      radius += RadiusOf(difference);
      data[t] = PairNumber{Pair(difference.re), Pair(difference.im)} * chirp_[t];
    }
    y[0] = sum;
    if (!zero) {
      Transform(data, room, Twiddles<Pair>(forward_.data(), length_, false));
      for (int64_t k = 0; k < length_; ++k) data[k] = data[k] * filter_[k];
      Transform(data, room, Twiddles<Pair>(backward_.data(), length_, true));
    }
    const double error =
        zero ? 0 : (error_ * std::sqrt(square) + radius) * (1 + 0x1p-20) + 0x1p-900;
    for (int64_t r = 1; r < p_; ++r) {
      const PairNumber value = zero ? PairNumber() : data[r] * chirp_[r];
      y[r * stride_y] = {DdBall(value.re.hi, value.re.lo, error),
                         DdBall(value.im.hi, value.im.lo, error)};
    }
    return meter.Add(3 * length_ * static_cast<int64_t>(factors_.size()));
  }

  static int64_t Bytes(int64_t p) {
    const int64_t length = ConvolutionLength(p);
    // The tables, the roots while they are made, and the data of a run.
    return length * static_cast<int64_t>(5 * sizeof(PairNumber) + sizeof(Number)) +
           2 * p * static_cast<int64_t>(sizeof(Number));
  }

 private:
  void Transform(std::vector<PairNumber>& data, std::vector<PairNumber>& room,
                 const Twiddles<Pair>& twiddles) const {
    int64_t s = 1;
    for (const int64_t p : factors_) {
      const int64_t m = length_ / s / p;
      p == 4 ? Pass4(twiddles, m, s, data.data(), room.data())
             : Pass2(twiddles, m, s, data.data(), room.data());
      std::swap(data, room);
      s *= p;
    }
  }

  const int64_t p_;
  const int64_t length_;
  std::vector<int64_t> factors_;
  std::vector<PairNumber> forward_, backward_, chirp_, filter_;
  double error_;
};

DdFourier::DdFourier(int64_t length, bool inverse)
    : length_(length), inverse_(inverse), factors_(Factors(length)) {
  roots_ = real::DdRoots(length);
  if (!inverse) {
    for (Number& root : roots_) root = Conjugate(root);
  }
  for (const int64_t p : factors_) {
    if (p > kLargestPlain && convolutions_[p] == nullptr) {
      convolutions_[p] = std::make_unique<Convolution>(p, inverse);
    }
  }
}

DdFourier::~DdFourier() = default;

int64_t DdFourier::Bytes(int64_t length) {
  int64_t bytes = length * static_cast<int64_t>(sizeof(Number));
  int64_t last = 0;
  for (const int64_t p : Factors(length)) {
    if (p > kLargestPlain && p != last) bytes += Convolution::Bytes(p);
    last = p;
  }
  return bytes;
}

absl::Status DdFourier::Run(Number* line, Number* room, Meter& meter) const {
  const Twiddles<DdBall> twiddles(roots_.data(), length_, inverse_);
  Number *from = line, *to = room;
  int64_t s = 1;
  for (const int64_t p : factors_) {
    const int64_t m = length_ / s / p;
    absl::Status status = meter.Add(length_ * std::min(p, kLargestPlain) / 2);
    if (!status.ok()) return status;
    if (p == 2) {
      Pass2(twiddles, m, s, from, to);
    } else if (p == 4) {
      Pass4(twiddles, m, s, from, to);
    } else if (p <= kLargestPlain) {
      OddPass(p, m, s, from, to);
    } else {
      status = ConvolutionPass(p, m, s, from, to, meter);
    }
    if (!status.ok()) return status;
    std::swap(from, to);
    s *= p;
  }
  if (from != line) std::copy(from, from + length_, line);
  return absl::OkStatus();
}

// With c + i d the root of t r: elements r and p - r are P +- i Q, where, because all the roots but
// 1 sum to -1, P = sum over t <= p/2 of (x[t] + x[p-t] - 2 x[0]) c and Q = sum of (x[t] - x[p-t])
// d.
void DdFourier::OddPass(int64_t p, int64_t m, int64_t s, const Number* x, Number* y) const {
  const Twiddles<DdBall> twiddles(roots_.data(), length_, inverse_);
  const int64_t half = p / 2, step = m * s, turn = length_ / p;
  Number sums[kLargestPlain / 2 + 1], differences[kLargestPlain / 2 + 1];
  for (int64_t q = 0; q < m; ++q) {
    for (int64_t j = 0; j < s; ++j) {
      const Number* in = x + q * s + j;
      Number* out = y + p * q * s + j;
      Number total = in[0];
      for (int64_t t = 1; t <= half; ++t) {
        const Number &a = in[t * step], &b = in[(p - t) * step];
        total = total + (a + b);
        sums[t] = (a - in[0]) + (b - in[0]);
        differences[t] = a - b;
      }
      out[0] = total;
      for (int64_t r = 1; r <= half; ++r) {
        Number even = Times(sums[1], roots_[r * turn].re);
        Number odd = Times(differences[1], roots_[r * turn].im);
        for (int64_t t = 2; t <= half; ++t) {
          const Number& root = roots_[t * r % p * turn];
          even = even + Times(sums[t], root.re);
          odd = odd + Times(differences[t], root.im);
        }
        odd = TimesI(odd);
        out[r * s] = twiddles.Apply(even + odd, q * r * s);
        out[(p - r) * s] = twiddles.Apply(even - odd, q * (p - r) * s);
      }
    }
  }
}

absl::Status DdFourier::ConvolutionPass(int64_t p, int64_t m, int64_t s, const Number* x, Number* y,
                                        Meter& meter) const {
  const Twiddles<DdBall> twiddles(roots_.data(), length_, inverse_);
  const Convolution& convolution = *convolutions_.at(p);
  for (int64_t q = 0; q < m; ++q) {
    for (int64_t j = 0; j < s; ++j) {
      Number* out = y + p * q * s + j;
      absl::Status status = convolution.Run(x + q * s + j, m * s, out, s, meter);
      if (!status.ok()) return status;
      for (int64_t r = 1; r < p; ++r) out[r * s] = twiddles.Apply(out[r * s], q * r * s);
    }
  }
  return absl::OkStatus();
}

}  // namespace assay::evaluator::kernels
