// One element of a discrete Fourier transform, the exact value rounded once:
//   X[k] = sum over j of x[j] exp(-2 pi i (j1 k1 / N1 + j2 k2 / N2 + ...)),
// the inverse with the other sign and divided by N1 N2 ...
//
// The sum is computed in long integers with roots of unity to 192, 384, 768 and 1536 bits until its
// enclosure rounds to one pattern. If an enclosure contains zero, or the tie between two
// neighbours, an algebraic test decides first whether the value is equal to it. The value is in a
// cyclotomic field, where equality is decidable. So an undecided value is not a tie but closer to
// one than 1536 bits show. The definition of fft and the last tier of its kernel use it. Tests:
// fourier_test.cc.
#ifndef ASSAY_EVALUATOR_OPS_EXACT_FOURIER_H_
#define ASSAY_EVALUATOR_OPS_EXACT_FOURIER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"

namespace assay::evaluator {

class ExactFourier {
 public:
  // `values` are finite, with interleaved real and imaginary parts, row-major over the lengths,
  // which are positive.
  ExactFourier(absl::Span<const int64_t> lengths, bool inverse, absl::Span<const double> values);
  ~ExactFourier();

  // Returns a part of element `bin`, rounded to the float `type`. `near_zero` makes it test for
  // zero first. Counts the deciding tier in context.real_stats, and sets `enclosure` unless it is
  // null.
  absl::StatusOr<uint64_t> Part(ElementType type, absl::Span<const int64_t> bin, bool imaginary,
                                bool near_zero, EvaluationContext& context,
                                RealEnclosure* enclosure);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The blocks that a transform reads and writes: the last dimensions form a block, one for every
// index of the others. RFFT: real values, the first half of the last axis. IRFFT: the first half of
// a spectrum X, whose other half is X[-k] = conj(X[k]); the result is the real part.
class FourierShape {
 public:
  explicit FourierShape(const Instruction& fft);

  absl::Span<const int64_t> lengths() const { return lengths_; }
  int64_t block_size() const { return rows_ * lengths_.back(); }
  bool inverse() const { return inverse_; }
  bool real_input() const { return kind_ == FftType::kRfft; }
  bool real_output() const { return kind_ == FftType::kIrfft; }
  // Return the number of elements of one block of the operand and of the result.
  int64_t operand_size() const;
  int64_t result_size() const;
  // Returns the index in the whole spectrum of element `i` of a result block.
  Dimensions BinOf(int64_t i) const;
  // Returns the whole block for the elements of an operand block (interleaved parts for complex
  // ones).
  std::vector<double> Whole(absl::Span<const double> operand) const;

 private:
  FftType kind_;
  bool inverse_;
  Dimensions lengths_;
  int64_t rows_;  // product of the lengths but the last
  int64_t half_;  // floor(n / 2) + 1 of the last one
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_OPS_EXACT_FOURIER_H_
