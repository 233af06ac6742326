#include "evaluator/facts/statistics_facts.h"

#include <cmath>

#include "evaluator/ops/batch_norm_feature.h"
#include "evaluator/real/exact_sum.h"
#include "runtime/float_environment.h"
#include "spec/element/element.h"

namespace assay::evaluator {
namespace {

// Of the cells of one feature.
struct Sums {
  ExactSum values, magnitudes, squares;
};

AccumulationFact FactOf(const Sums& sums, int64_t count, bool variance) {
  AccumulationFact fact;
  fact.terms = static_cast<double>(count);
  if (count == 0) return fact;
  const auto rounded = [](const ExactSum& sum) {
    return DecodeFloat(ElementType::kF64, sum.Round(ElementType::kF64));
  };
  if (variance) {
    const BatchNormStatistics statistics(sums.values, sums.squares, count, 0);
    fact.magnitudes = Up(DecodeFloat(ElementType::kF64, statistics.Variance(ElementType::kF64)));
    return fact;
  }
  const double magnitudes = Up(rounded(sums.magnitudes));
  fact.magnitudes = Up(magnitudes / fact.terms);
  if (magnitudes == 0) return fact;
  const double condition = magnitudes / std::fabs(rounded(sums.values));
  fact.condition = condition < 1 ? 1 : condition;
  return fact;
}

}  // namespace

std::vector<AccumulationFact> StatisticsFacts(const Instruction& training, const Literal& operand,
                                              bool variance) {
  const runtime::FloatEnvironmentGuard guard;
  const Shape& shape = operand.shape();
  const ElementType type = shape.element_type();
  const int64_t axis = training.GetInt(Attr::kFeatureIndex), features = shape.dimension(axis);
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d < axis) outer *= shape.dimension(d);
    if (d > axis) inner *= shape.dimension(d);
  }
  std::vector<AccumulationFact> facts;
  for (int64_t feature = 0; feature < features; ++feature) {
    Sums sums;
    for (int64_t i = 0; i < outer; ++i) {
      for (int64_t j = 0; j < inner; ++j) {
        const double x = DecodeFloat(type, operand.Get((i * features + feature) * inner + j).bits);
        sums.values.Add(x);
        sums.magnitudes.Add(std::fabs(x));
        sums.squares.AddProduct(x, x);
      }
    }
    facts.push_back(FactOf(sums, outer * inner, variance));
  }
  return facts;
}

}  // namespace assay::evaluator
