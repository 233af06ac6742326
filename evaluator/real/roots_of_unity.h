// The roots of unity e^(2 pi i t / order) for integers t, as long fixed-point numbers with a proven
// error bound and as balls of two doubles. Tests: fourier_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_ROOTS_OF_UNITY_H_
#define ASSAY_EVALUATOR_REAL_ROOTS_OF_UNITY_H_

#include <cstdint>
#include <vector>

#include "evaluator/real/dd_ball.h"
#include "evaluator/real/dyadic.h"

namespace assay::evaluator::real {

// A root times 2^bits: each part is less than kUnits off; exact for the powers of i.
struct FixedRoot {
  static constexpr int kUnits = 2;
  Dyadic::Integer re, im;
};

// The roots of one order to a given number of fraction bits, at most 1664. Stores all of them for
// orders up to kLargestTable. For larger orders it stores about 2 sqrt(order) of them and computes
// the others as products.
class FixedRoots {
 public:
  static constexpr int64_t kLargestTable = 1 << 12;

  FixedRoots(int64_t order, int bits);
  // 0 <= t < order. Returns a stored root, or computes it in `room`.
  const FixedRoot& At(int64_t t, FixedRoot& room) const;
  int bits() const { return bits_; }

 private:
  FixedRoot Multiplied(int64_t t) const;

  int64_t order_;
  int bits_;
  int64_t step_;                   // t = step_ * a + b
  std::vector<FixedRoot> coarse_;  // with kGuardBits more
  std::vector<FixedRoot> fine_;
  std::vector<FixedRoot> table_;  // all roots, or none
};

// Returns all roots of an order, from t = 0 on. Radii are below 2^-101; parts that are 0, 1 or 1/2
// are exact.
std::vector<ComplexOf<DdBall>> DdRoots(int64_t order);

}  // namespace assay::evaluator::real

#endif  // ASSAY_EVALUATOR_REAL_ROOTS_OF_UNITY_H_
