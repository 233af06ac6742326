// The largest permitted distance of an element from the golden value, derived from the terms that
// its operation adds up or from the budgets of its functions (reference ops_structural.md 14,
// accuracy_requirements.md 3 and 4). Tests: bounds_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_BOUNDS_H_
#define ASSAY_CONFORMANCE_JUDGE_BOUNDS_H_

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/profiles/profile.h"
#include "evaluator/facts.h"
#include "evaluator/facts/widened_fold.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

using Evaluate = EvaluateModule;  // the golden interpreter, given by the caller

// An instruction with its operands, as run by a target of the profile.
struct Subject {
  const Instruction& instruction;
  absl::Span<const Literal> operands;
  const Evaluate& evaluate;
  const TargetProfile& profile;
};

// The finite values that an element may have after an overflow, beside those near the golden one.
struct OverflowValues {
  // Where the golden one is infinite: near the exact one. Empty: none.
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double after = std::numeric_limits<double>::quiet_NaN();  // what an infinity may have made of it

  bool Hold(double value) const { return (low <= value && value <= high) || value == after; }
};

// The bounds of one result array: for each element an absolute distance from the golden value.
struct Bounds {
  std::vector<double> absolute;  // empty: nothing but the golden value
  // The distance from the exact sum, which is less since golden is rounded. Empty: not known.
  std::vector<double> from_exact;
  // Of the distance of a sum to the exact one before it is rounded to the type of the result, where
  // that is narrower than the accumulator: a conforming element is what a number within this
  // distance rounds to. Empty: the element itself is within `from_exact`.
  std::vector<double> unrounded;
  // EvaluateWidened gives the exact values that `from_exact` counts from; it does of sums, products
  // and transforms without being asked.
  bool has_exact = false;
  // The bound of an accumulation in a type too narrow for the number of terms, or of partial
  // products out of its range: beyond it a value is wrong, inside nothing follows. Empty: none.
  std::vector<double> vacuous;
  // Elements whose partial sums may exceed the largest finite value in some order. Empty: none.
  std::vector<bool> may_overflow;
  std::vector<OverflowValues> others;  // of these. Empty: none
  // Elements with an infinite term, whose finite ones some order takes to the other infinity: they
  // may be NaN. Empty: none.
  std::vector<bool> meets_infinity;
  // Elements whose divisor may cancel to zero; their value is unconstrained. Empty: none.
  std::vector<bool> anything;
  // Where `absolute` is infinite because terms are beyond the largest double: the bound of the
  // distance to the exact sum, times 2^-BeyondExponent. Empty: nowhere.
  std::vector<double> beyond;
  // Terms are not finite, and the result is not finite in an unspecified way.
  bool opens_non_finite = false;
  // A start value that counts more often than once (W-12) makes a NaN with itself.
  bool start_makes_nan = false;
  // The permitted deviation that a value inside the bounds needs, if any.
  std::optional<Freedom> needs;
  // A value inside counts as allowed by that deviation, not as within the operation's bound.
  bool is_freedom = false;
  std::string rule = "exact";
  // Why nothing is known of elements that are not the golden ones. Empty: the above is.
  std::string unknown;
};

// Finds the bounds of leaf `leaf` with this golden value; not for elementwise operations.
absl::StatusOr<Bounds> FindBounds(const Subject& subject, size_t leaf, const Literal& golden);
// Returns true if a select-and-scatter may select another cell than golden, because its selection
// computes or narrows values that may have excess precision.
bool SelectionMayDiffer(const Instruction& instruction, const TargetProfile& profile);
// What a leaf of the result is: kAdd or kMultiply of floats or complex numbers, in a fold or in a
// scan, else kOther: product_bounds.cc.
analysis::ReducerKind KindOfLeaf(const Instruction& instruction, size_t leaf);
// Those of products, running ones among them: product_bounds.cc.
absl::StatusOr<Bounds> ProductBounds(const Subject& subject, size_t leaf, const Literal& golden);
// How many units roundoff one factor adds to the relative error of a product: products of complex
// numbers have a budget in ulp of their absolute value, which are two units at most.
double RoundingsOfFactor(const TargetProfile& profile, ElementType type);
// Those of sums, running ones among them, dots and convolutions: sum_bounds.cc.
absl::StatusOr<Bounds> SumBounds(const Subject& subject, size_t leaf, const Literal& golden);
// The same where the facts are known and no operand's denormals are flushed, or they are zero in
// the operands already.
struct SumReach {
  // The largest distance of each element to the golden value, the vacuous one included; infinite
  // where it may overflow.
  std::vector<double> from_golden;
  // The same of a real sum to the exact one, before the sum is rounded to the type of the result.
  std::vector<double> unrounded;
};
SumReach SumReachOfFacts(const Subject& subject, const Literal& golden,
                         absl::Span<const double> terms, absl::Span<const double> magnitudes);
// Bounds of folds by log(exp(a) + exp(b)): log_sum_bounds.cc. Nullopt for other folds.
absl::StatusOr<std::optional<Bounds>> LogSumBounds(const Subject& subject, const Literal& golden);
// Whether it is such a fold that makes no NaN of infinities: it rises with every element.
bool FoldsLogSums(const Instruction& fold);
// Those of folds of pairs, a maximum and a sum scaled by its exponential: scaled_sum_bounds.cc.
// Nullopt: it is none.
absl::StatusOr<std::optional<Bounds>> ScaledSumBounds(const Subject& subject, size_t leaf,
                                                      const Literal& golden);
// Those of batch normalisation: batch_norm_bounds.cc.
Bounds BatchNormBounds(const Subject& subject, size_t leaf, const Literal& golden);

// Returns the widened fold of mapped operands, by element of the result.
absl::StatusOr<std::vector<double>> FoldTerms(const Subject& subject, Opcode fold,
                                              const TermMap& map);

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Operands are taken times 2^-600 where sums of them are beyond the largest double.
inline constexpr int kBeyondScale = 600;
// What that does to the terms: products have it twice.
inline int BeyondExponent(const Instruction& instruction) {
  return kBeyondScale * (instruction.info().family == Family::kContraction ? 2 : 1);
}

inline ElementType PartType(const Literal& literal) {
  return Info(literal.element_type()).component;
}

// The unit roundoff and the smallest normal value of a type.
inline double UnitRoundoff(ElementType type) {
  return std::ldexp(1.0, -Info(type).format->precision());
}
inline double SmallestNormal(ElementType type) {
  return std::ldexp(1.0, Info(type).format->min_exponent());
}
// ulp_T(v) of accuracy_requirements.md 1.
double UlpOf(ElementType type, double value);
// gam(k) of ops_structural.md 14: k u / (1 - k u), infinite from k u = 1 on.
inline double Gamma(double k, double u) { return k * u < 1 ? k * u / (1 - k * u) : kInfinity; }
// No operand has a NaN or an infinity.
bool AllFinite(absl::Span<const Literal> operands);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_BOUNDS_H_
