// Facts of the means and variances that batch-norm-training computes: see evaluator/facts.h.
// Tests: accumulation_facts_test.cc.
#ifndef ASSAY_EVALUATOR_FACTS_STATISTICS_FACTS_H_
#define ASSAY_EVALUATOR_FACTS_STATISTICS_FACTS_H_

#include <cmath>
#include <limits>
#include <vector>

#include "evaluator/facts.h"

namespace assay {

// A bound of what was rounded to this: the next double, but of 0 itself.
inline double Up(double value) {
  return value == 0 ? 0 : std::nextafter(value, std::numeric_limits<double>::infinity());
}

// By feature.
std::vector<AccumulationFact> StatisticsFacts(const Instruction& training, const Literal& operand,
                                              bool variance);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_FACTS_STATISTICS_FACTS_H_
