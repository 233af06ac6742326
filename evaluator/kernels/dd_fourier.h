// Discrete Fourier transforms of any length in n log n operations on balls of two doubles: every
// element comes with a bound on its error.
//
// Mixed radix, one pass for every prime factor (for 4, one). A factor p takes p^2 / 2 products, one
// above kLargestPlain a convolution (Bluestein). A pass combines elements that lie far apart before
// it multiplies by roots of unity, and an odd factor works on differences from its first element:
// sums that vanish because data are periodic or constant stay exactly zero.
//
// Bounds are those that the balls carry, except in the convolution, whose inner transforms carry
// none: there the error is bounded in the 2-norm. Proof: dd_fourier.cc. Tests: fourier_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_DD_FOURIER_H_
#define ASSAY_EVALUATOR_KERNELS_DD_FOURIER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/real/dd_ball.h"

namespace assay::evaluator::kernels {

class DdFourier {
 public:
  using Number = real::ComplexOf<real::DdBall>;
  static constexpr int64_t kLargestPlain = 61;

  // `length` is positive. Holds Bytes(length), and takes the time of a few transforms to make.
  DdFourier(int64_t length, bool inverse);
  ~DdFourier();
  static int64_t Bytes(int64_t length);

  int64_t length() const { return length_; }
  // line[k] = sum over j of line[j] e^(-2 pi i j k / length), + for the inverse, which does not
  // divide. `room` is for `length` numbers too. Values are below 2^400.
  absl::Status Run(Number* line, Number* room, Meter& meter) const;

 private:
  class Convolution;

  // One pass of factor p: x as [p][m][s] to y as [m][p][s].
  void OddPass(int64_t p, int64_t m, int64_t s, const Number* x, Number* y) const;
  absl::Status ConvolutionPass(int64_t p, int64_t m, int64_t s, const Number* x, Number* y,
                               Meter& meter) const;

  int64_t length_;
  bool inverse_;
  std::vector<int64_t> factors_;
  std::vector<Number> roots_;                                     // e^(-+2 pi i t / length)
  std::map<int64_t, std::unique_ptr<Convolution>> convolutions_;  // by factor
};

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_DD_FOURIER_H_
