// The loops of fast exact sums (rounded_sum.cc), selected for the CPU. They accumulate; the bounds
// of sum_bounds.h decide the rounding of their sums, so that the choice of a loop changes no bit.
// Private to evaluator/real. Tests: rounded_sum_test.cc.
#ifndef ASSAY_EVALUATOR_REAL_SUM_LOOPS_H_
#define ASSAY_EVALUATOR_REAL_SUM_LOOPS_H_

#include <cstdint>

#include "evaluator/real/rounded_sum.h"

namespace assay::evaluator {

// a[0] b[0] + ... , or a[0] + ... without b; of columns, b[0], b[1], ... side by side.
struct Terms {
  const double* a;
  int64_t stride_a;
  const double* b;  // null for a sum
  int64_t stride_b;
  int64_t n;
};

// The sums of the quick phase, with the names of PartialSum.
struct QuickSum {
  double s, m;
  int64_t path;
};

inline constexpr int kColumns = 8, kHalf = 4, kTileRows = 4;
struct SumLoops {
  // What was carried so far comes in registers: short sums would wait for memory.
  using Function = void (*)(const Terms&, double s, double e, double m, PartialSum& out);
  Function sum[2];                                      // [contiguous]
  Function dot[2][2];                                   // [64 bits][contiguous]
  void (*columns[2])(const Terms&, bool, PartialSum*);  // [64 bits]; kColumns of them
  void (*half[2])(const Terms&, bool, PartialSum*);     // kHalf of them
  void (*each)(const double*, int64_t, double*, double*, double*);
  // The quick phase: kColumns or kHalf dots, a sum, a dot.
  void (*quick_columns)(const Terms&, double init, QuickSum* sums);
  void (*quick_half)(const Terms&, double init, QuickSum* sums);
  using Quick = void (*)(const Terms&, double init, QuickSum& sum);
  Quick quick_sum[2], quick_dot[2];  // [contiguous]
  // kTileRows rows, stride_a apart, times kColumns columns, of factors whose products are exact:
  // sums alone, row by row.
  void (*tile)(const Terms&, double* sums);
};

const SumLoops& ChooseSumLoops();

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_REAL_SUM_LOOPS_H_
