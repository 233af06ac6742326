// The widths of the rules of batch normalisation, against the bounds of ops_structural.md 14.6 on
// enumerated operands, and what its usual forms give: width_testing.h.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "conformance/enclosure/width_testing.h"

namespace assay::conformance {
namespace {

using enum ElementType;

constexpr Real kEpsilon = 0.5L;

Real SquareRootOf(Real x) { return std::sqrt(x); }
Real InverseRootOf(Real x) { return 1 / std::sqrt(x); }

// gam(k) of a type.
struct Gammas {
  explicit Gammas(ElementType type) : unit(std::ldexp(Real{1}, -Info(type).format->precision())) {}
  Real operator()(Real k) const { return GammaOf(k, unit); }
  Real unit;
};

// The errors of mean and variance of m cells: the larger one of both forms of the variance.
struct Statistics {
  Statistics(const Reals& x, const Gammas& gamma) {
    const auto m = static_cast<Real>(x.size());
    Real sizes = 0, squares = 0;
    for (const Real each : x) {
      mean += each / m;
      sizes += std::fabs(each) / m;
      squares += each * each / m;
    }
    for (const Real each : x) variance += (each - mean) * (each - mean) / m;
    mean_error = gamma(m + 1) * sizes;
    const Real e = mean_error, size = std::fabs(mean) + e;
    variance_error =
        std::max(gamma(m + 4) * (variance + e * e) + e * e,
                 gamma(m + 3) * squares + gamma(2) * size * size + 2 * std::fabs(mean) * e + e * e);
  }
  Real mean = 0, variance = 0, mean_error = 0, variance_error = 0;
};

// scale (x - mean) / sqrt(variance + epsilon) + offset and its bound; the larger one of the scaled
// distance's and that of x k + (offset - mean k).
PlaceRange Normalized(const Places& places, const Gammas& gamma, const Statistics& s, Real x,
                      Real scale, Real offset) {
  const Real w = s.variance + kEpsilon, root = std::sqrt(w), e = s.mean_error;
  const Real rho = s.variance_error / w, distance = std::fabs(x - s.mean);
  const Real factor = std::fabs(scale) / root, y = scale * (x - s.mean) / root + offset;
  const Real error = factor * (e + (distance + e) * rho) +
                     std::max(gamma(9) * factor * (distance + e),
                              gamma(9) * factor * (std::fabs(x) + std::fabs(s.mean) + e) +
                                  gamma(2) * std::fabs(offset));
  return Within(places, y, error + gamma.unit * (std::fabs(y) + error));
}

// The same by an inverse root, a quotient, and by a factor and a term for each feature.
Reals NormalizedForms(const RoundedArithmetic& own, const Reals& x, const Reals& mean,
                      const Reals& variance, const Reals& scale, const Reals& offset) {
  const Reals w = own.Add(variance, {kEpsilon}), distance = own.Subtract(x, mean);
  const Reals inverse = own.Apply(Opcode::kRsqrt, InverseRootOf, w);
  const Reals factor = own.Multiply(inverse, scale);
  const Reals quotient = own.Divide(distance, own.Apply(Opcode::kSqrt, SquareRootOf, w));
  Reals forms = own.Add(own.Multiply(quotient, scale), offset);
  forms = Union(std::move(forms), own.Add(own.Multiply(distance, factor), offset));
  forms = Union(std::move(forms), own.MultiplyAdd(distance, factor, offset));
  const Reals shift = own.Subtract(offset, own.Multiply(mean, factor));
  return Union(std::move(forms), own.MultiplyAdd(x, factor, shift));
}

Real OfVariance(Real value) { return std::fabs(value); }

TEST_F(WidthsTest, BatchNormInference) {
  for (const ElementType type : kWideWidthTypes) {
    const Places places(type);
    const Gammas gamma(type);
    const RoundedArithmetic own(type);
    MeasuredRule rule{"batch-norm-inference",
                      type,
                      "T[3,40]",
                      "batch-norm-inference(x0, x1, x2, x3, x4), epsilon=0.5, feature_index=1",
                      {"T[3,40]", "T[40]", "T[40]", "T[40]", "T[40]"},
                      "",
                      [](int64_t i) {
                        const int64_t k = i % 40;
                        return std::vector<OperandPart>{{0, i}, {1, k}, {2, k}, {3, k}, {4, k}};
                      },
                      [&](int64_t, const Reals& v) {
                        Statistics given({v[3]}, gamma);
                        given.mean_error = given.variance_error = 0;
                        given.variance = v[4];
                        return Normalized(places, gamma, given, v[0], v[1], v[2]);
                      }};
    rule.attains = [&](int64_t, const Reals& v) {
      return RangeOfValues(places, NormalizedForms(own, {v[0]}, {v[3]}, {v[4]}, {v[1]}, {v[2]}));
    };
    rule.least = 0.25;
    rule.largest = 4;
    rule.adjust = [](int operand, int64_t, Real value) {
      return operand == 4 ? OfVariance(value) : value;
    };
    MeasureTimes(rule, 1, 1.8, 1.8);
  }
}

// Three cells to a feature.
TEST_F(WidthsTest, BatchNormTraining) {
  for (const ElementType type : kWideWidthTypes) {
    const Places places(type);
    const Gammas gamma(type);
    const RoundedArithmetic own(type);
    const auto cells_of = [](int64_t k) {
      return std::vector<OperandPart>{{0, k}, {0, 40 + k}, {0, 80 + k}};
    };
    const auto statistic = [&](int64_t, const Reals& v) { return Statistics(v, gamma); };
    MeasuredRule rule{"batch-norm-training, output",
                      type,
                      "T[3,40]",
                      "get-tuple-element(n), index=0",
                      {"T[3,40]", "T[40]", "T[40]"},
                      "",
                      [cells_of](int64_t i) {
                        std::vector<OperandPart> parts = cells_of(i % 40);
                        parts.push_back({1, i % 40});
                        parts.push_back({2, i % 40});
                        return parts;
                      },
                      [&](int64_t i, const Reals& v) {
                        return Normalized(places, gamma, Statistics({v[0], v[1], v[2]}, gamma),
                                          v[i / 40], v[3], v[4]);
                      }};
    const auto mean_of = [&](const Reals& v) {
      const Reals sum = InAnyOrder({{v[0]}, {v[1]}, {v[2]}},
                                   [&](const Reals& a, const Reals& b) { return own.Add(a, b); });
      return own.Divide(sum, {3});
    };
    const auto variance_of = [&](const Reals& v) {
      Reals variances;
      for (const Real mean : mean_of(v)) {
        std::vector<Reals> squares;
        for (const Real x : {v[0], v[1], v[2]}) {
          const Reals distance = own.Subtract({x}, {mean});
          squares.push_back(own.Multiply(distance, distance));
        }
        const Reals sum =
            InAnyOrder(squares, [&](const Reals& a, const Reals& b) { return own.Add(a, b); });
        variances = Union(std::move(variances), own.Divide(sum, {3}));
        // E[x^2] - E[x]^2.
        for (Reals& square : squares) square.clear();
        for (int k = 0; k < 3; ++k) squares[k] = own.Multiply({v[k]}, {v[k]});
        const Reals mean_square = own.Divide(
            InAnyOrder(squares, [&](const Reals& a, const Reals& b) { return own.Add(a, b); }),
            {3});
        variances =
            Union(std::move(variances), own.Subtract(mean_square, own.Multiply({mean}, {mean})));
      }
      return variances;
    };
    rule.before =
        " n = (T[3,40], T[40], T[40]) batch-norm-training(x0, x1, x2), epsilon=0.5,"
        " feature_index=1\n";
    rule.least = 0.25;
    rule.largest = 4;
    MeasureTimes(rule, 1, 1.5, 1.5);

    rule.rule = "batch-norm-training, mean";
    rule.result = "T[40]";
    rule.operation = "get-tuple-element(n), index=1";
    rule.parts = cells_of;
    rule.admits = [&](int64_t i, const Reals& v) {
      const Statistics s = statistic(i, v);
      return Within(places, s.mean, s.mean_error);
    };
    rule.attains = [&](int64_t, const Reals& v) { return RangeOfValues(places, mean_of(v)); };
    MeasureTimes(rule, 1, 1.8, 1.8);

    rule.rule = "batch-norm-training, variance";
    rule.operation = "get-tuple-element(n), index=2";
    rule.admits = [&](int64_t i, const Reals& v) {
      const Statistics s = statistic(i, v);
      return Within(places, s.variance, s.variance_error);
    };
    rule.attains = [&](int64_t, const Reals& v) { return RangeOfValues(places, variance_of(v)); };
    MeasureTimes(rule, 1, 1.5, 1.5);
  }
}

// Two cells to a feature.
TEST_F(WidthsTest, BatchNormGradients) {
  for (const ElementType type : kWideWidthTypes) {
    const Places places(type);
    const Gammas gamma(type);
    // v: both cells of x and of dy, scale, mean, variance.
    const auto parts_of = [](int64_t k) {
      return std::vector<OperandPart>{{0, k}, {0, 40 + k}, {4, k}, {4, 40 + k},
                                      {1, k}, {2, k},      {3, k}};
    };
    const auto within = [&](Real exact, Real error) {
      return Within(places, exact, error + gamma.unit * (std::fabs(exact) + error));
    };
    MeasuredRule rule{
        "batch-norm-grad, operand",
        type,
        "T[2,40]",
        "get-tuple-element(n), index=0",
        {"T[2,40]", "T[40]", "T[40]", "T[40]", "T[2,40]"},
        "",
        [parts_of](int64_t i) { return parts_of(i % 40); },
        [&](int64_t i, const Reals& v) {
          const Real w = v[6] + kEpsilon, root = std::sqrt(w), x = v[i / 40] - v[5],
                     dy = v[2 + i / 40];
          const Real sum = v[2] + v[3], products = v[2] * (v[0] - v[5]) + v[3] * (v[1] - v[5]);
          const Real sizes = std::fabs(v[2]) + std::fabs(v[3]),
                     product_sizes =
                         std::fabs(v[2] * (v[0] - v[5])) + std::fabs(v[3] * (v[1] - v[5]));
          const Real exact = v[4] / (root * 2) * (2 * dy - sum - x * products / w);
          return within(exact, std::fabs(v[4]) / (root * 2) * gamma(2 + 16) *
                                   (2 * std::fabs(dy) + sizes + std::fabs(x) * product_sizes / w));
        }};
    rule.before =
        " n = (T[2,40], T[40], T[40]) batch-norm-grad(x0, x1, x2, x3, x4), epsilon=0.5,"
        " feature_index=1\n";
    rule.least = 0.25;
    rule.largest = 4;
    rule.adjust = [](int operand, int64_t, Real value) {
      return operand == 3 ? OfVariance(value) : value;
    };
    MeasureTimes(rule, 1, 1.5, 1.5);

    rule.rule = "batch-norm-grad, scale";
    rule.result = "T[40]";
    rule.operation = "get-tuple-element(n), index=1";
    rule.parts = parts_of;
    rule.admits = [&](int64_t, const Reals& v) {
      const Real one = v[2] * (v[0] - v[5]), other = v[3] * (v[1] - v[5]);
      const Real root = std::sqrt(v[6] + kEpsilon);
      return within((one + other) / root,
                    gamma(2 + 6) * (std::fabs(one) + std::fabs(other)) / root);
    };
    MeasureTimes(rule, 1, 1.8, 1.8);

    rule.rule = "batch-norm-grad, offset";
    rule.operation = "get-tuple-element(n), index=2";
    rule.admits = [&](int64_t, const Reals& v) {
      return Within(places, v[2] + v[3], gamma(1) * (std::fabs(v[2]) + std::fabs(v[3])));
    };
    rule.most = 3;
    rule.positive = true;
    Measure(rule, 0);
    Measure(rule, 1);
  }
}

}  // namespace
}  // namespace assay::conformance
