#include "evaluator/facts/statistics_facts.h"

#include <cmath>

#include "evaluator/ops/batch_norm_feature.h"
#include "evaluator/real/exact_sum.h"
#include "runtime/float_environment.h"
#include "spec/element/element.h"
#include "spec/ir/row_major.h"

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
  const AlongDimension along(shape.dimensions(), training.GetInt(Attr::kFeatureIndex));
  std::vector<AccumulationFact> facts;
  for (int64_t feature = 0; feature < along.size; ++feature) {
    Sums sums;
    for (int64_t line = 0; line < along.lines(); ++line) {
      const double x = DecodeFloat(type, operand.Get(along.At(line, feature)).bits);
      sums.values.Add(x);
      sums.magnitudes.Add(std::fabs(x));
      sums.squares.AddProduct(x, x);
    }
    facts.push_back(FactOf(sums, along.lines(), variance));
  }
  return facts;
}

}  // namespace assay::evaluator
