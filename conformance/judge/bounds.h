// The largest permitted distance of an element from the golden value, derived from the terms that
// its operation adds up or from the budgets of its functions (reference ops_structural.md 14,
// accuracy_requirements.md 3 and 4). Tests: bounds_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_BOUNDS_H_
#define ASSAY_CONFORMANCE_JUDGE_BOUNDS_H_

#include <array>
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

namespace assay::conformance {

using Evaluate = evaluator::EvaluateModule;  // the golden interpreter, given by the caller

// An instruction with its operands, as run by a target of the profile.
struct Subject {
  const Instruction& instruction;
  absl::Span<const Literal> operands;
  const Evaluate& evaluate;
  const TargetProfile& profile;
};

// The finite values that an element may have after an overflow, in addition to those near the
// golden value.
struct OverflowValues {
  // The interval around the exact value if the golden value is infinite. It is empty otherwise.
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  // the value that an infinite intermediate result leads to; NaN if there is none
  double after = std::numeric_limits<double>::quiet_NaN();

  bool Hold(double value) const { return (low <= value && value <= high) || value == after; }
};

// The bounds of one result array: for each element an absolute distance from the golden value.
struct Bounds {
  std::vector<double> absolute;  // empty: nothing but the golden value
  // What partial results may become beyond the range: infinities, and a NaN where they meet.
  struct Sides {
    bool positive = true, negative = true, nan = true;
  };
  // The sum of the magnitudes of terms, value * 2^exponent.
  struct Magnitudes {
    double value = std::numeric_limits<double>::infinity();
    int exponent = 0;
  };
  // Of sums of complex numbers: `absolute`, `vacuous`, `beyond`, `may_overflow`, `sides`,
  // `meets_infinity` and `magnitudes` of both parts, which are added up on their own. Empty: those
  // of the element hold for both.
  struct OfPart {
    double absolute = 0, vacuous = 0, beyond = std::numeric_limits<double>::infinity();
    bool may_overflow = false;
    Sides sides;
    bool meets_infinity = false;
    Magnitudes magnitudes;
  };
  std::vector<std::array<OfPart, 2>> parts;
  // The distance from the exact sum, which is less since golden is rounded. Empty: not known.
  std::vector<double> from_exact;
  // The bound of the distance between a sum and the exact sum before the sum is rounded to a result
  // type that is narrower than the accumulator. A conforming element is the rounding of a number
  // within this distance. Empty if the element itself must lie within `from_exact`.
  std::vector<double> unrounded;
  // True if EvaluateWidened returns the exact values that `from_exact` is measured from. Sums,
  // products and transforms have them even if this is false.
  bool has_exact = false;
  // The bound of an accumulation whose type is too narrow for the number of terms or for the
  // partial products. A value beyond it is wrong; a value inside is inconclusive. Empty if there is
  // none.
  std::vector<double> vacuous;
  // Elements whose partial sums may exceed the largest finite value in some order. Empty: none.
  std::vector<bool> may_overflow;
  // How they overflow. Empty: any way.
  std::vector<Sides> sides;
  // the finite values of elements that may overflow. Empty if there are none
  std::vector<OverflowValues> others;
  // Elements with an infinite term whose finite terms may overflow to the opposite infinity in some
  // order. They may be NaN. Empty if there are none.
  std::vector<bool> meets_infinity;
  // For types that have positive values only: the largest value that an element may have if zero
  // and less, which are NaN, are within its bound as well; negative for other elements. Empty:
  // none.
  std::vector<double> beside_no_value;
  // Elements whose divisor may cancel to zero; their value is unconstrained. Empty: none.
  std::vector<bool> anything;
  // The bound of the distance to the exact sum, times 2^-BeyondExponent, where `absolute` is
  // infinite because terms exceed the largest double. Empty if there is no such element.
  std::vector<double> beyond;
  // The magnitudes of the terms of sums, beside an infinite term those of the finite terms of the
  // other sign. Empty: not known.
  std::vector<Magnitudes> magnitudes;
  // True if terms are not finite and it is not specified which non-finite result they give.
  bool opens_non_finite = false;
  // True if a start value that is used more than once (W-12) gives a NaN with itself.
  bool start_makes_nan = false;
  // The permitted deviation that a value inside the bounds needs, if any.
  std::optional<Freedom> needs;
  // True if a value inside the bounds has the verdict kAllowed by that deviation, not kWithinBound.
  bool is_freedom = false;
  std::string rule = "exact";
  // The reason why elements that differ from the golden value are inconclusive. Empty if the bounds
  // above hold.
  std::string unknown;
};

// Returns the bounds of leaf `leaf` of the result, whose golden value is `golden`. The instruction
// must not be elementwise.
absl::StatusOr<Bounds> FindBounds(const Subject& subject, size_t leaf, const Literal& golden);
// Returns true if a select-and-scatter may select another cell than golden, because its selection
// computes or narrows values that may have excess precision.
bool SelectionMayDiffer(const Instruction& instruction, const TargetProfile& profile);
// Returns kAdd or kMultiply if the leaf is a sum or product of floats or complex numbers in a fold
// or scan, otherwise kOther (product_bounds.cc).
analysis::ReducerKind KindOfLeaf(const Instruction& instruction, size_t leaf);
// Returns the bounds of products, including cumulative ones (product_bounds.cc).
absl::StatusOr<Bounds> ProductBounds(const Subject& subject, size_t leaf, const Literal& golden);
// Returns how many units of roundoff one factor adds to the relative error of a product. Complex
// products have a budget in ulp of their absolute value; one ulp is at most two units.
double RoundingsOfFactor(const TargetProfile& profile, ElementType type);
// Returns the bounds of sums, including cumulative ones, dots and convolutions (sum_bounds.cc).
absl::StatusOr<Bounds> SumBounds(const Subject& subject, size_t leaf, const Literal& golden);
// The same of real sums of these terms, whatever the operands.
Bounds SumBoundsOfFacts(const Subject& subject, const Literal& golden,
                        absl::Span<const evaluator::AccumulationFact> facts);
// The error bounds of sums whose terms are known. No operand has a denormal that the target may
// flush.
struct SumReach {
  // The largest distance of each element to the golden value, the vacuous one included; infinite
  // where it may overflow.
  std::vector<double> from_golden;
  // The largest distance of a real sum from the exact sum before it is rounded to the type of the
  // result.
  std::vector<double> unrounded;
};
SumReach SumReachOfFacts(const Subject& subject, const Literal& golden,
                         absl::Span<const double> terms, absl::Span<const double> magnitudes);
// Returns the bounds of folds by log(exp(a) + exp(b)), or nullopt for other folds
// (log_sum_bounds.cc).
absl::StatusOr<std::optional<Bounds>> LogSumBounds(const Subject& subject, const Literal& golden);
// Returns true if the instruction is such a fold and returns no NaN for infinities. Its result is
// then monotonic in every element.
bool FoldsLogSums(const Instruction& fold);
// Returns the bounds of folds of pairs, a maximum and a sum scaled by its exponential, or nullopt
// for other folds (scaled_sum_bounds.cc).
absl::StatusOr<std::optional<Bounds>> ScaledSumBounds(const Subject& subject, size_t leaf,
                                                      const Literal& golden);
// Returns the bounds of batch normalisation (batch_norm_bounds.cc).
Bounds BatchNormBounds(const Subject& subject, size_t leaf, const Literal& golden);

// Returns the widened fold of mapped operands, by element of the result.
absl::StatusOr<std::vector<double>> FoldTerms(const Subject& subject, Opcode fold,
                                              const evaluator::TermMap& map);

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Operands are multiplied by 2^-600 if sums of them exceed the largest double.
inline constexpr int kBeyondScale = 600;
// The exponent of the scale of the terms. Products of two operands have the scale twice.
inline int BeyondExponent(const Instruction& instruction) {
  return kBeyondScale * (instruction.info().family == Family::kContraction ? 2 : 1);
}

inline ElementType PartType(const Literal& literal) {
  return Info(literal.element_type()).component;
}

// Return the unit roundoff and the smallest normal value of a type.
inline double UnitRoundoff(ElementType type) {
  return std::ldexp(1.0, -Info(type).format->precision());
}
inline double SmallestNormal(ElementType type) {
  return std::ldexp(1.0, Info(type).format->min_exponent());
}
// Returns ulp_T(v) of accuracy_requirements.md 1.
double UlpOf(ElementType type, double value);
// Returns gam(k) of ops_structural.md 14: k u / (1 - k u), or infinity if k u >= 1.
inline double Gamma(double k, double u) { return k * u < 1 ? k * u / (1 - k * u) : kInfinity; }
// Returns true if no operand has a NaN or an infinity.
bool AllFinite(absl::Span<const Literal> operands);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_BOUNDS_H_
