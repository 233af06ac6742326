// One element of a discrete Fourier transform, the exact value rounded once:
//   X[k] = sum over j of x[j] exp(-2 pi i (j1 k1 / N1 + j2 k2 / N2 + ...)),
// the inverse with the other sign and divided by N1 N2 ...
//
// The sum is computed in long integers with roots of unity to 192, 384, 768 and 1536 bits until its
// enclosure rounds to one pattern. An enclosure that holds zero, or the tie between two neighbours,
// asks algebra first: whether the value is just that. It is a number of a cyclotomic field, where
// equality is decided exactly. So what stays undecided is no tie, only closer to one than 1536 bits
// show. The definition of fft, and the last tier of its kernel. Tests: fourier_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_EXACT_FOURIER_H_
#define ASSAY_EVALUATOR_OPS_EXACT_FOURIER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"

namespace assay {

class ExactFourier {
 public:
  // Finite `values`, real and imaginary parts in turn, row-major over the lengths, all of which are
  // positive.
  ExactFourier(absl::Span<const int64_t> lengths, bool inverse, absl::Span<const double> values);
  ~ExactFourier();

  // A part of element `bin` in the float `type`. `near_zero`: ask whether it is zero before
  // anything else. Counts the deciding tier in context.real_stats; `enclosure`, unless null, is
  // set.
  absl::StatusOr<uint64_t> Part(ElementType type, absl::Span<const int64_t> bin, bool imaginary,
                                bool near_zero, EvaluationContext& context,
                                RealEnclosure* enclosure);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// What a transform reads and writes: the block of the last dimensions, one for every index of the
// others. RFFT: real values, the first half of the last axis. IRFFT: the first half of a spectrum
// X, whose other half is X[-k] = conj(X[k]); the result is the real part.
class FourierShape {
 public:
  explicit FourierShape(const Instruction& fft);

  absl::Span<const int64_t> lengths() const { return lengths_; }
  int64_t block_size() const { return rows_ * lengths_.back(); }
  bool inverse() const { return inverse_; }
  bool real_input() const { return kind_ == FftType::kRfft; }
  bool real_output() const { return kind_ == FftType::kIrfft; }
  // Elements of one block of the operand, and of the result.
  int64_t operand_size() const;
  int64_t result_size() const;
  // Index in the block of the whole spectrum for element `i` of a result block.
  Dimensions BinOf(int64_t i) const;
  // The whole block from the elements of an operand block (interleaved parts for complex ones).
  std::vector<double> Whole(absl::Span<const double> operand) const;

 private:
  FftType kind_;
  bool inverse_;
  Dimensions lengths_;
  int64_t rows_;  // product of the lengths but the last
  int64_t half_;  // floor(n / 2) + 1 of the last one
};

}  // namespace assay

#endif  // ASSAY_EVALUATOR_OPS_EXACT_FOURIER_H_
