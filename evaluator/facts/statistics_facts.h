// Facts (evaluator/facts.h) of the means and variances that batch-norm-training computes. Tests:
// accumulation_facts_test.cc.
#ifndef ASSAY_EVALUATOR_FACTS_STATISTICS_FACTS_H_
#define ASSAY_EVALUATOR_FACTS_STATISTICS_FACTS_H_

#include <cmath>
#include <limits>
#include <vector>

#include "evaluator/facts.h"

namespace assay::evaluator {

// Returns an upper bound of a number that was rounded to `value`: the next double, or 0 for 0.
inline double Up(double value) {
  return value == 0 ? 0 : std::nextafter(value, std::numeric_limits<double>::infinity());
}

// Returns the facts of the means or, if `variance` is true, of the variances, by feature.
std::vector<AccumulationFact> StatisticsFacts(const Instruction& training, const Literal& operand,
                                              bool variance);

}  // namespace assay::evaluator

#endif  // ASSAY_EVALUATOR_FACTS_STATISTICS_FACTS_H_
