// The three batch normalisations of all features of two or three cells of a few values, infinities
// and NaNs among them. The model is the formula of the reference (ops_structural.md 9): in Boost's
// floats of 200 digits where operands are finite and the root is positive, else in doubles, where a
// finite factor counts by its sign alone. All features are one operand, one behind the other.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "evaluator/kernels/small_worlds.h"
#include "evaluator/kernels/wide_oracle.h"

namespace assay::evaluator {
namespace {

using Ints = std::vector<int64_t>;
using Doubles = std::vector<double>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr ElementType kType = ElementType::kF32;

bool AllFinite(const Doubles& values) {
  for (const double value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

// A zero loses its sign.
uint64_t Pattern(double value) {
  return std::isnan(value) ? CanonicalNan(kType) : EncodeFloat(kType, value + 0.0);
}
uint64_t Pattern(const Wide& value) { return RoundWide(kType, value, 1); }

// scale (x - mean) / sqrt(variance + epsilon) + offset.
template <typename Real>
Real Normalized(Real x, Real scale, Real offset, Real mean, Real square) {
  return scale * (x - mean) / sqrt(square) + offset;
}

// Arrays with a column for each choice of one of `values[k]` for each k: rows of the list are the
// operands, in which feature f has the choices of column f.
struct Features {
  explicit Features(const std::vector<Doubles>& values) {
    Ints counts;
    for (const Doubles& list : values) counts.push_back(static_cast<int64_t>(list.size()));
    ForEach(counts, [&](const Ints& choice) {
      Doubles column;
      for (size_t k = 0; k < choice.size(); ++k) column.push_back(values[k][choice[k]]);
      columns.push_back(column);
    });
  }
  // Rows first to first + count of all columns, as an operand.
  SmallArray Cells(size_t first, size_t count) const {
    SmallArray cells{kType, {static_cast<int64_t>(count), Count()}, {}};
    for (size_t k = first; k < first + count; ++k) {
      for (const Doubles& column : columns) {
        cells.values.push_back(EncodeFloat(kType, column[k]));
      }
    }
    return cells;
  }
  SmallArray Vector(size_t k) const {
    SmallArray vector = Cells(k, 1);
    vector.sizes = {Count()};
    return vector;
  }
  int64_t Count() const { return static_cast<int64_t>(columns.size()); }

  std::vector<Doubles> columns;
};

std::vector<SmallWorlds::Attribute> Attributes(double epsilon) {
  return {{Attr::kEpsilon, epsilon}, {Attr::kFeatureIndex, int64_t{1}}};
}

// Results, filled feature by feature: cells, then vectors.
std::vector<SmallArray> Results(const Features& features, size_t cells, size_t vectors) {
  std::vector<SmallArray> results = {features.Cells(0, cells)};
  for (size_t k = 0; k < vectors; ++k) results.push_back(features.Vector(0));
  return results;
}

constexpr double kEpsilons[] = {0, 1, -1, kInf, -kInf};

TEST(SmallWorlds, BatchNormInference) {
  SmallWorlds worlds;
  const Doubles all = {-1, 0, 3, kInf, kNan};
  const Features features({all, {-3, 0, 1, kInf}, {-0.0, 5, -kInf}, all, {-1, 0, 2, kInf, kNan}});
  for (const double epsilon : kEpsilons) {
    if (worlds.Skips()) continue;
    SmallArray expected = features.Cells(0, 1);
    for (int64_t f = 0; f < features.Count(); ++f) {
      const Doubles& of = features.columns[f];
      const double x = of[0], scale = of[1], offset = of[2], mean = of[3];
      const double square = of[4] + epsilon;
      expected.values[f] = AllFinite(of) && std::isfinite(epsilon) && square > 0
                               ? Pattern(Normalized<Wide>(x, scale, offset, mean, square))
                               : Pattern(Normalized<double>(x, scale, offset, mean, square));
    }
    const SmallArray x = features.Cells(0, 1), scale = features.Vector(1),
                     offset = features.Vector(2), mean = features.Vector(3),
                     variance = features.Vector(4);
    worlds.Check(Opcode::kBatchNormInference, {&x, &scale, &offset, &mean, &variance},
                 Attributes(epsilon), expected);
  }
  worlds.Report("batch-norm-inference");
}

// Mean and variance of the first `m` numbers.
template <typename Real>
void FindStatistics(const Doubles& cells, size_t m, Real& mean, Real& variance) {
  mean = cells[0];
  for (size_t i = 1; i < m; ++i) mean += cells[i];
  mean /= static_cast<double>(m);
  variance = 0;
  for (size_t i = 0; i < m; ++i) variance += (cells[i] - mean) * (cells[i] - mean);
  variance /= static_cast<double>(m);
}

TEST(SmallWorlds, BatchNormTraining) {
  SmallWorlds worlds;
  const Doubles cell = {-1, -0.0, 2, 7, kInf, kNan};
  const size_t m = 3;
  const Features features({cell, cell, cell, {-3, 0, 1, kInf}, {-0.0, 5, kInf}});
  for (const double epsilon : kEpsilons) {
    if (worlds.Skips()) continue;
    std::vector<SmallArray> expected = Results(features, m, 2);
    for (int64_t f = 0; f < features.Count(); ++f) {
      const Doubles& of = features.columns[f];
      const double scale = of[m], offset = of[m + 1];
      double mean, variance;
      FindStatistics(of, m, mean, variance);
      const bool finite = AllFinite({of.begin(), of.begin() + m});
      Wide wide_mean, wide_variance;
      if (finite) {
        FindStatistics(of, m, wide_mean, wide_variance);
        // A mean of negative zeros keeps their sign.
        expected[1].values[f] = mean == 0 ? EncodeFloat(kType, mean) : Pattern(wide_mean);
        expected[2].values[f] = Pattern(wide_variance);
      } else {
        expected[1].values[f] = Pattern(mean);
        expected[2].values[f] = Pattern(kNan);
      }
      // The double is exact enough to say whether it is positive, and zero where all are equal.
      const double square = variance + epsilon;
      for (size_t i = 0; i < m; ++i) {
        expected[0].values[i * features.Count() + f] =
            AllFinite(of) && std::isfinite(epsilon) && square > 0
                ? Pattern(
                      Normalized<Wide>(of[i], scale, offset, wide_mean, wide_variance + epsilon))
                : Pattern(Normalized<double>(of[i], scale, offset, mean, square));
      }
    }
    const SmallArray x = features.Cells(0, m), scale = features.Vector(m),
                     offset = features.Vector(m + 1);
    worlds.CheckLeaves(Opcode::kBatchNormTraining, {&x, &scale, &offset}, Attributes(epsilon),
                       expected);
  }
  worlds.Report("batch-norm-training");
}

// Two cells x, their gradients dy; scale, mean, variance.
template <typename Real>
void Gradients(const Doubles& of, Real square, Real& first, Real& second, Real& scale,
               Real& offset) {
  const Real x[] = {of[0], of[1]}, dy[] = {of[2], of[3]}, gamma = of[4], mean = of[5];
  const Real root = sqrt(square), p = dy[0] + dy[1];
  const Real q = dy[0] * (x[0] - mean) + dy[1] * (x[1] - mean);
  const auto gradient = [&](int i) -> Real {
    return gamma / (root * 2) * (2 * dy[i] - p - (x[i] - mean) * q / square);
  };
  first = gradient(0);
  second = gradient(1);
  scale = q / root;
  offset = p;
}

TEST(SmallWorlds, BatchNormGradients) {
  SmallWorlds worlds;
  const Doubles x = {-1, 0, 3, kInf}, dy = {0, 1, -2, -kInf};
  const Features features({x, x, dy, dy, {0, 3, -kInf}, {0, 1, kInf, kNan}, {0, 3, kInf, kNan}});
  for (const double epsilon : {0.0, 1.0}) {
    if (worlds.Skips()) continue;
    std::vector<SmallArray> expected = Results(features, 2, 2);
    for (int64_t f = 0; f < features.Count(); ++f) {
      const Doubles& of = features.columns[f];
      const double square = of[6] + epsilon;
      uint64_t* const to[] = {&expected[0].values[f], &expected[0].values[features.Count() + f],
                              &expected[1].values[f], &expected[2].values[f]};
      if (AllFinite(of) && square > 0) {
        Wide results[4];
        Gradients<Wide>(of, square, results[0], results[1], results[2], results[3]);
        for (int k = 0; k < 4; ++k) *to[k] = Pattern(results[k]);
      } else {
        double results[4];
        Gradients<double>(of, square, results[0], results[1], results[2], results[3]);
        for (int k = 0; k < 4; ++k) *to[k] = Pattern(results[k]);
      }
    }
    const SmallArray cells = features.Cells(0, 2), gradients = features.Cells(2, 2),
                     scale = features.Vector(4), mean = features.Vector(5),
                     variance = features.Vector(6);
    worlds.CheckLeaves(Opcode::kBatchNormGrad, {&cells, &scale, &mean, &variance, &gradients},
                       Attributes(epsilon), expected);
  }
  worlds.Report("batch-norm-grad");
}

}  // namespace
}  // namespace assay::evaluator
