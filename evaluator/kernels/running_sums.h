// Sums of f32 side by side, each held as a double beside the magnitudes of the errors of its
// additions (AddRunning of rounded_sum.h). That decides the rounding of almost every sum at little
// more than the cost of a plain addition; the others are open and left to an exact fold.
// Tests: running_sums_test.cc.
#ifndef ASSAY_EVALUATOR_KERNELS_RUNNING_SUMS_H_
#define ASSAY_EVALUATOR_KERNELS_RUNNING_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/recognised_fold.h"
#include "evaluator/real/rounded_sum.h"

namespace assay::evaluator::kernels {

// Returns true if updates of a type are added in this way.
inline bool AddsInDouble(const RecognisedFold& fold, ElementType updates) {
  return fold.is_sum() && fold.type() == ElementType::kF32 && updates == ElementType::kF32;
}

// Sum i begins with the f32 at first + i * step (in elements); 0 begins all with the same.
inline void BeginSums(const std::byte* first, int64_t step, int64_t n, double* s, double* errors) {
  for (int64_t i = 0; i < n; ++i) {
    s[i] = LoadAt<float>(first, i * step);
    errors[i] = 0;
  }
}

// Adds one term to one sum. Where the addition is exact, as most are, `errors` is not touched.
inline void AddToSum(float x, double& s, double& errors) {
  double error = 0;
  AddRunning(x, s, error);
  if (!(error == 0)) errors += error;
}

// s[i] + rows[0][i] + ... + rows[count - 1][i] for each i below n.
void AddRows(const std::byte* const* rows, int64_t count, int64_t n, double* s, double* errors);

// Stores the rounding of every sum that is decided, as f32, and makes the errors of the others
// infinite. Returns how many those are. A sum without terms is stored as it began; where that is
// no finite number it is open.
int64_t DecideSums(const double* s, double* errors, int64_t n, std::byte* out);
// BeginSums (with steps of 1), AddRows and DecideSums in one: of each sum only the errors are kept.
// `out` may be `first`.
int64_t SumRows(const std::byte* first, const std::byte* const* rows, int64_t count, int64_t n,
                double* errors, std::byte* out);
inline bool IsOpen(double errors) { return errors == std::numeric_limits<double>::infinity(); }

}  // namespace assay::evaluator::kernels

#endif  // ASSAY_EVALUATOR_KERNELS_RUNNING_SUMS_H_
