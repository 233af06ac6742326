// The bounds of evaluator/real/sum_bounds.h times a scale, for sum_mutants_test.cc alone: there
// this file stands before it in the order of includes.
#ifndef ASSAY_EVALUATOR_REAL_TESTING_SMALL_BOUNDS_H_
#define ASSAY_EVALUATOR_REAL_TESTING_SMALL_BOUNDS_H_

#define sum_bounds proven_sum_bounds
#include "../../../../sum_bounds.h"
#undef sum_bounds

namespace assay::evaluator::sum_bounds {

inline double quick_scale = 1, running_scale = 1, second_scale = 1, underflow_scale = 1;

inline double QuickReach(double m, int64_t path) {
  return quick_scale * proven_sum_bounds::QuickReach(m, path);
}
inline double RunningReach(double s, double errors) {
  return running_scale * proven_sum_bounds::RunningReach(s, errors);
}
inline double SecondError(double m, int64_t path) {
  return second_scale * proven_sum_bounds::SecondError(m, path);
}
inline double Underflow(int64_t path) {
  return underflow_scale * proven_sum_bounds::Underflow(path);
}

}  // namespace assay::evaluator::sum_bounds

#endif  // ASSAY_EVALUATOR_REAL_TESTING_SMALL_BOUNDS_H_
