// Discrete Fourier transforms of lines of any length, several lines side by side: a line's element
// i and lane l are at i * lanes + l of two arrays, real and imaginary parts. Lengths are factored
// into small primes (Stockham's form, which needs no reordering); a length with a large prime
// factor is a convolution of a smooth length (Bluestein). Tests: kernels_test.cc.
#ifndef ASSAY_BACKENDS_CPU_FOURIER_H_
#define ASSAY_BACKENDS_CPU_FOURIER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/processor.h"

namespace assay::cpu {

constexpr int64_t kLargestFourierRadix = 13;

// One pass over a line, whose length is stride * radix * rest.
template <typename T>
struct FourierStage {
  int64_t radix, rest, stride;
  std::vector<T> cos, sin;  // of p * k, by p < rest and 0 < k < radix
  T root_cos[kLargestFourierRadix], root_sin[kLargestFourierRadix];  // of j / radix
};
template <typename T>
using RunFourierStage = void(const FourierStage<T>& stage, const T* re, const T* im, T* out_re,
                             T* out_im, int64_t lanes);

// A transform of one length. Immutable and thread-safe.
template <typename T>
class Fourier {
 public:
  // Uses vectors of at most the instruction set `most`. All give the same bits.
  explicit Fourier(int64_t length, runtime::InstructionSet most = runtime::InstructionSet::kAvx512);

  int64_t length() const { return length_; }
  // The number of values of T that Run needs at `work`, for each lane.
  int64_t work_size() const { return work_size_; }
  // Computes X[k] = sum over j of x[j] exp(-2 pi i j k / length) in place. With `re` and `im`
  // exchanged it computes the inverse without its factor 1 / length.
  void Run(T* re, T* im, T* work, int64_t lanes) const;

 private:
  struct Bluestein {
    std::unique_ptr<Fourier> inner;
    std::vector<T> chirp_re, chirp_im;    // exp(-pi i j^2 / length)
    std::vector<T> filter_re, filter_im;  // transform of the conjugate chirp, over the inner length
  };

  void RunStages(T* re, T* im, T* work, int64_t lanes) const;
  void RunBluestein(T* re, T* im, T* work, int64_t lanes) const;

  int64_t length_;
  RunFourierStage<T>* run_stage_;
  int64_t work_size_ = 0;
  std::vector<FourierStage<T>> stages_;
  std::unique_ptr<Bluestein> bluestein_;
};

extern template class Fourier<float>;
extern template class Fourier<double>;

}  // namespace assay::cpu

#endif  // ASSAY_BACKENDS_CPU_FOURIER_H_
