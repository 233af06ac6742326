// Facts of the means and variances that batch-norm-training computes: see evaluator/facts.h.
// Tests: accumulation_facts_test.cc.
#ifndef ASSAY_EVALUATOR_FACTS_STATISTICS_FACTS_H_
#define ASSAY_EVALUATOR_FACTS_STATISTICS_FACTS_H_

#include <cmath>
#include <limits>
#include <vector>

#include "evaluator/facts.h"

namespace assay {

// An upper bound of a value that was rounded to this: the next double; 0 for 0.
inline double Up(double value) {
  return value == 0 ? 0 : std::nextafter(value, std::numeric_limits<double>::infinity());
}

// Indexed by feature.
std::vector<AccumulationFact> StatisticsFacts(const Instruction& training, const Literal& operand,
                                              bool variance);

}  // namespace assay

#endif  // ASSAY_EVALUATOR_FACTS_STATISTICS_FACTS_H_
