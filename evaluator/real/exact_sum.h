// A sum of doubles, of products of two doubles and of 64-bit integers held exactly, so that it can
// be rounded once: a fixed-point number wide enough for every bit such terms can have.
//
// Non-finite terms and the sign of zero are tracked as an infinitely wide accumulator would treat
// them: any NaN, an infinity times zero, or infinities of both signs give NaN; infinities of one
// sign give it; a zero sum is -0 only if there was a term and every term was -0. Order never
// matters. Source: reference accuracy_design.md 0.10, ops_structural.md 0.3. Tests:
// exact_sum_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_EXACT_SUM_H_
#define ASSAY_EVALUATOR_REAL_EXACT_SUM_H_

#include <array>
#include <cstdint>
#include <vector>

#include "spec/element/element.h"
#include "spec/element/element_type.h"

namespace assay::evaluator {

// At most 2^40 terms. About 1.1 KiB: keep and Clear() one rather than make many.
class ExactSum {
 public:
  void Clear();
  void Add(double term);
  void AddProduct(double a, double b);
  void AddSigned(int64_t term);
  void AddUnsigned(uint64_t term);
  void Merge(const ExactSum& other);

  // Returns the bit pattern of the sum rounded once to the float `type`, or +0 if there are no
  // terms.
  uint64_t Round(ElementType type) const;

  // Returns true if no term was infinite or NaN.
  bool is_finite() const { return !nan_ && !positive_infinity_ && !negative_infinity_; }
  // Returns the digits of a finite sum: |sum| = sum over i of digits[i] * 2^(32 i +
  // kLowestExponent).
  std::vector<uint32_t> Digits(bool& negative) const;
  static constexpr int kLowestExponent = -2176;  // products of subnormals reach down to 2^-2148

 private:
  // Limb i holds a signed multiple of 2^(32 i - kBias); between normalisations a limb may exceed
  // 32 bits, which leaves room for 2^28 terms.
  static constexpr int kBias = -kLowestExponent;
  static constexpr int kLimbs = 136;  // ... and up to 2^2048, plus 40 bits for the count
  static constexpr uint32_t kTermsBetweenCarries = 1u << 28;

  // |sum| in digits of 32 bits, of which those from `first` to `end` have been written.
  struct Magnitude {
    bool negative = false;
    int first = 0;
    int end = 0;
    std::array<uint32_t, kLimbs> digits;
  };

  void AddScaled(bool negative, unsigned __int128 significand, int exponent);
  void NoteSpecial(double term);
  // Makes every limb a digit from 0 to 2^32 - 1, but for the last one in use, which has the sign of
  // the sum and a magnitude below 2^32.
  void Carry();
  void FillMagnitude(Magnitude& magnitude) const;

  std::array<int64_t, kLimbs> limbs_{};
  // The limbs in use; all others are zero. Most sums have terms of few magnitudes.
  int first_ = kLimbs;
  int end_ = 0;
  uint32_t terms_since_carry_ = 0;
  bool any_term_ = false;
  bool only_negative_zeros_ = true;
  bool nan_ = false;
  bool positive_infinity_ = false;
  bool negative_infinity_ = false;
};

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REAL_EXACT_SUM_H_
