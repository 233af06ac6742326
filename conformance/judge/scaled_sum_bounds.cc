// Bounds of sums that are scaled by the largest exponent so far: pairs (m, s) folded to
//   m = max(m1, m2), s = s1 exponential(m1 - m) + s2 exponential(m2 - m),
// as a softmax is computed in one pass. The maximum is exact.
//
// With exact arithmetic s is the sum of s_i exp(m_i - M), M the largest of all, whatever the order.
// On its way into the result each term is multiplied by one factor exp(-d) a step, whose d add up
// to M - m_i. A step errs by e for the exponential, u d for the rounding of the difference before
// it, u for the product and u for the sum, relative to the term: n steps by no more than n (e + 2
// u) + u (M - m_i). e is the relative budget of the exponential. What is a denormal may be lost in
// each. Tests: bounds_test.cc.
#include <algorithm>
#include <optional>
#include <vector>

#include "conformance/judge/bounds.h"
#include "conformance/judge/order_freedoms.h"
#include "conformance/judge/region_steps.h"

namespace assay::conformance {
namespace {

bool IsParameter(const Instruction* step, int64_t number) {
  return step->opcode() == Opcode::kParameter && step->parameter_number() == number;
}

// Returns true for the maximum of parameters k and k + 2.
bool IsLargest(const Instruction* step, int64_t k) {
  return Is(step, Opcode::kMaximum) &&
         ((IsParameter(step->operand(0), k) && IsParameter(step->operand(1), k + 2)) ||
          (IsParameter(step->operand(0), k + 2) && IsParameter(step->operand(1), k)));
}

// Returns true for parameter `sum` times exponential(parameter `exponent` - largest).
bool IsScaled(const Instruction* product, int64_t sum, int64_t exponent, int64_t largest) {
  if (!Is(product, Opcode::kMultiply)) return false;
  for (const int k : {0, 1}) {
    const Instruction* factor = product->operand(1 - k);
    if (!IsParameter(product->operand(k), sum) || !Is(factor, Opcode::kExp)) continue;
    const Instruction* minus = factor->operand(0);
    return Is(minus, Opcode::kSubtract) && IsParameter(minus->operand(0), exponent) &&
           IsLargest(minus->operand(1), largest);
  }
  return false;
}

// Returns the index of the array that has the exponents, or nullopt for other folds.
std::optional<int64_t> ExponentsOf(const Instruction& fold) {
  if (fold.opcode() != Opcode::kReduce || fold.operand_count() != 4) return std::nullopt;
  const Instruction& root = *fold.to_apply()->root();
  if (root.opcode() != Opcode::kTuple || root.operand_count() != 2) return std::nullopt;
  for (const int64_t m : {0, 1}) {
    const int64_t s = 1 - m;
    const Instruction* sum = root.operand(s);
    if (!IsLargest(root.operand(m), m) || !Is(sum, Opcode::kAdd)) continue;
    for (const int k : {0, 1}) {
      if (IsScaled(sum->operand(k), s, m, m) && IsScaled(sum->operand(1 - k), s + 2, m + 2, m)) {
        return m;
      }
    }
  }
  return std::nullopt;
}

// What a cell folds: its number of terms, their sum and the sum of each times the distance of its
// exponent from the largest one, and the sum of the magnitudes before they are scaled.
struct ScaledSums {
  explicit ScaledSums(int64_t cells)
      : terms(cells, 0.0), sums(cells, 0.0), spreads(cells, 0.0), sizes(cells, 0.0) {}
  std::vector<double> terms, sums, spreads, sizes;
};

ScaledSums SumsOf(const Subject& subject, const Literal& m, const Literal& s,
                  const Literal& golden) {
  const auto value = [](const Literal& literal, int64_t i) {
    return DecodeFloat(literal.element_type(), literal.Get(i).bits);
  };
  const auto each = [&](auto see) {
    ForEachFolded(subject.instruction, m.shape(), golden.shape(), see);
  };
  ScaledSums folded(golden.element_count());
  std::vector<double> largest(golden.element_count(), -kInfinity);
  each([&](int64_t cell, int64_t i) {
    largest[cell] = std::max(largest[cell], value(m, i));
    ++folded.terms[cell];
    folded.sizes[cell] += std::fabs(value(s, i));
  });
  each([&](int64_t cell, int64_t i) {
    const double below = largest[cell] - value(m, i);
    const double term = std::fabs(value(s, i)) * std::exp(-below) * (1 + 0x1p-40);
    folded.sums[cell] += term;
    folded.spreads[cell] += term * below;
  });
  return folded;
}

}  // namespace

absl::StatusOr<std::optional<Bounds>> ScaledSumBounds(const Subject& subject, size_t leaf,
                                                      const Literal& golden) {
  const std::optional<int64_t> exponents = ExponentsOf(subject.instruction);
  const ElementType type = golden.element_type();
  if (!exponents || !IsFloat(type) || Info(type).bits < 16) return std::nullopt;
  const auto value = [type](const Literal& literal, int64_t i) {
    return DecodeFloat(type, literal.Get(i).bits);
  };
  for (const Literal& operand : subject.operands) {
    if (operand.element_type() != type) return std::nullopt;
  }
  const Literal& m = subject.operands[*exponents];
  const Literal& s = subject.operands[1 - *exponents];
  // The start value (-inf, 0) changes nothing however often it is used. Only its exponent gives NaN
  // with itself.
  const double start = value(subject.operands[2 + *exponents], 0);
  if (start != -kInfinity || value(subject.operands[3 - *exponents], 0) != 0 ||
      !AllFinite({m, s})) {
    return std::nullopt;
  }
  Bounds bounds;
  bounds.rule = "exact";
  if (leaf == static_cast<size_t>(*exponents)) return bounds;

  const ScaledSums folded = SumsOf(subject, m, s, golden);
  const UlpBudget exponential = subject.profile.FindBudget(Opcode::kExp, type);
  bounds.rule = "n steps of sums scaled by exp";
  bounds.start_makes_nan = true;
  if (exponential.exact() || subject.profile.Grants(Freedom::kReassociation)) {
    bounds.needs = Freedom::kReassociation;
    bounds.is_freedom = true;
  }
  const double u = UnitRoundoff(type), kept = DecodeFloat(type, MaxFinite(type)) / 4;
  // A factor for the products of these errors, which are below 1/16 together.
  constexpr double kSecondOrder = 1.1;
  for (int64_t cell = 0; cell < golden.element_count(); ++cell) {
    const double terms = folded.terms[cell], sizes = folded.sizes[cell];
    const auto error = [&](const UlpBudget& budget) {
      const double e = 2 * u * std::max(0.5, budget.ulps) + 2 * budget.absolute;
      const double step = e + 2 * u, spread = u * folded.spreads[cell];
      const double share = (terms + 1) * step;
      const double lost = 4 * (terms + 1) * SmallestNormal(type) * (1 + sizes) * (1 + budget.ulps);
      return kSecondOrder * (share * folded.sums[cell] + spread) + lost;
    };
    // The largest share of any term that is no denormal.
    const double most = error(exponential);
    const double worst = (terms + 1) * 2 * u * (2 + std::max(0.5, exponential.ulps)) +
                         u * (-std::log(SmallestNormal(type)));
    const bool known = worst < 1.0 / 16 && sizes < kept && exponential.absolute == 0;
    bounds.absolute.push_back(known ? most + error({}) : kInfinity);
  }
  return bounds;
}

}  // namespace assay::conformance
