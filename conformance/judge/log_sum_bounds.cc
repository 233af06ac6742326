// Bounds of log(sum exp(x)), folded in any order by log(exp(a) + exp(b)).
//
// With exact arithmetic the order does not matter, and the result moves by no more than its
// elements do: the derivatives by a and b are positive and sum to 1. So what each step errs by adds
// up, whatever the tree: the steps err by no more than their number times the most that one may. A
// step computes
// max(a, b) + log-plus-one(exponential(-|a - b|)), with d = |a - b| and t = exp(-d) <= 1:
//  - the difference errs by u d, which makes u d t / (1 + t) <= 0.28 u of the result;
//  - the exponential errs by e t, which makes e t / (1 + t) <= e / 2;
//  - the logarithm, at most log 2, errs by l log 2;
//  - the sum errs by u |v|, and |v| <= max|x| + log n and all these errors.
// Or max(a, b) + log(exponential(a - max) + exponential(b - max)), whose exponentials make e, their
// sum u, and the difference 0.37 u. Or log(exponential(a) + exponential(b)), as far as exponentials
// are normal: e, u, and l |v|.
// e and l are the relative budgets of the functions. What is a denormal may be lost in each.
// Tests: bounds_test.cc.
#include <algorithm>
#include <optional>

#include "conformance/judge/bounds.h"
#include "conformance/judge/region_steps.h"
#include "evaluator/facts/widened_fold.h"

namespace assay::conformance {
namespace {

// Returns true if the step applies the operation to the two parameters, in either order.
bool IsOfBoth(const Instruction* step, Opcode opcode) {
  return Is(step, opcode) && step->operand(0)->opcode() == Opcode::kParameter &&
         step->operand(1)->opcode() == Opcode::kParameter && step->operand(0) != step->operand(1);
}

// a != a of the difference, which is a NaN where both are the same infinity.
bool IsNanTest(const Instruction* step) {
  return step->opcode() == Opcode::kCompare && step->operand(0) == step->operand(1) &&
         step->GetEnum<ComparisonDirection>(Attr::kDirection) == ComparisonDirection::kNe &&
         IsOfBoth(step->operand(0), Opcode::kSubtract);
}

// The other operand of one that has an operand of that opcode; null: it has none.
const Instruction* Beside(const Instruction* step, Opcode opcode) {
  for (const int k : {0, 1}) {
    if (step->operand(k)->opcode() == opcode) return step->operand(1 - k);
  }
  return nullptr;
}

// The parameter of exponential(parameter - max(a, b)), or of exponential(parameter); -1: neither.
int64_t ExponentOf(const Instruction* exponential, bool scaled) {
  if (!Is(exponential, Opcode::kExp)) return -1;
  const Instruction* exponent = exponential->operand(0);
  if (scaled) {
    if (!Is(exponent, Opcode::kSubtract) || !IsOfBoth(exponent->operand(1), Opcode::kMaximum)) {
      return -1;
    }
    exponent = exponent->operand(0);
  }
  return exponent->opcode() == Opcode::kParameter ? exponent->parameter_number() : -1;
}

// Returns true for the sum of the exponentials of both parameters.
bool SumsExponentials(const Instruction* sum, bool scaled) {
  if (!Is(sum, Opcode::kAdd)) return false;
  const int64_t one = ExponentOf(sum->operand(0), scaled);
  const int64_t other = ExponentOf(sum->operand(1), scaled);
  return one >= 0 && other >= 0 && one != other;
}

// -|a - b|, or min(a, b) - max(a, b).
bool IsMinusDistance(const Instruction* step) {
  if (Is(step, Opcode::kSubtract)) {
    return IsOfBoth(step->operand(0), Opcode::kMinimum) &&
           IsOfBoth(step->operand(1), Opcode::kMaximum);
  }
  return Is(step, Opcode::kNegate) && Is(step->operand(0), Opcode::kAbs) &&
         IsOfBoth(step->operand(0)->operand(0), Opcode::kSubtract);
}

// The formula that a step of the fold computes.
struct Step {
  enum class Form { kDistance, kScaled, kPlain } form = Form::kDistance;
  // True if the step returns the sum of two infinities and not the NaN of their difference.
  bool guarded = false;
  const Instruction* logarithm = nullptr;
};
std::optional<Step> StepOf(const Computation& region) {
  Step step;
  const Instruction* value = region.root();
  if (Is(value, Opcode::kSelect)) {
    if (!IsNanTest(value->operand(0)) || !IsOfBoth(value->operand(1), Opcode::kAdd)) {
      return std::nullopt;
    }
    step.guarded = true;
    value = value->operand(2);
  }
  if (Is(value, Opcode::kLog)) {
    step = {Step::Form::kPlain, true, value};
    if (!SumsExponentials(value->operand(0), /*scaled=*/false)) return std::nullopt;
    return step;
  }
  if (!Is(value, Opcode::kAdd)) return std::nullopt;
  const Instruction* const largest =
      Beside(value, Opcode::kMaximum) == value->operand(0) ? value->operand(1) : value->operand(0);
  step.logarithm = Beside(value, Opcode::kMaximum);
  if (step.logarithm == nullptr || !IsOfBoth(largest, Opcode::kMaximum)) return std::nullopt;
  if (Is(step.logarithm, Opcode::kLog)) {
    step.form = Step::Form::kScaled;
    if (!SumsExponentials(step.logarithm->operand(0), /*scaled=*/true)) return std::nullopt;
    return step;
  }
  if (!Is(step.logarithm, Opcode::kLog1p) || !Is(step.logarithm->operand(0), Opcode::kExp) ||
      !IsMinusDistance(step.logarithm->operand(0)->operand(0))) {
    return std::nullopt;
  }
  return step;
}

std::optional<Step> StepOf(const Instruction& fold) {
  const bool folds = fold.opcode() == Opcode::kReduce || fold.opcode() == Opcode::kReduceWindow;
  if (!folds || fold.operand_count() != 2) return std::nullopt;
  return StepOf(*fold.to_apply());
}

constexpr double kLog2 = 0.6931471805599454;
// Products of the errors above, which are below 1/16 each.
constexpr double kSecondOrder = 1.1;

// Returns the largest error of one step if the largest element has the magnitude `size`, for a unit
// roundoff and budgets of the functions in ulps of the type.
double StepError(Step::Form form, ElementType type, double size, const UlpBudget& exponential,
                 const UlpBudget& logarithm) {
  const double u = UnitRoundoff(type);
  const double e = 2 * u * std::max(0.5, exponential.ulps) + 2 * exponential.absolute;
  const double l = 2 * u * std::max(0.5, logarithm.ulps) + 2 * logarithm.absolute;
  if (!(e < 1.0 / 16 && l < 1.0 / 16)) return kInfinity;
  const double lost = 4 * SmallestNormal(type) * (1 + exponential.ulps + logarithm.ulps);
  switch (form) {
    case Step::Form::kDistance:
      return kSecondOrder * (0.28 * u + e / 2 + l * kLog2 + u * size) + lost;
    case Step::Form::kScaled:
      return kSecondOrder * (1.37 * u + e + l * kLog2 + u * size) + lost;
    case Step::Form::kPlain:
      return kSecondOrder * (u + e + l * size) + lost;
  }
  return kInfinity;
}

// The largest size for which nothing leaves the range of the type on the way.
double LargestSize(Step::Form form, ElementType type) {
  const double largest = DecodeFloat(type, MaxFinite(type));
  if (form != Step::Form::kPlain) return largest / 4;
  return std::min(std::log(largest), -std::log(SmallestNormal(type))) - 1;
}

}  // namespace

bool FoldsLogSums(const Instruction& fold) {
  const std::optional<Step> step = StepOf(fold);
  return step && step->guarded;
}

absl::StatusOr<std::optional<Bounds>> LogSumBounds(const Subject& subject, const Literal& golden) {
  const Instruction& fold = subject.instruction;
  const ElementType type = golden.element_type();
  const std::optional<Step> step = StepOf(fold);
  if (!step || !IsFloat(type) || Info(type).bits < 16 ||
      step->logarithm->shape().element_type() != type ||
      subject.operands[0].element_type() != type || subject.operands[1].element_type() != type) {
    return std::nullopt;
  }
  // An infinite start value changes nothing, however often it counts, but for its NaN with itself.
  // Of NaNs and positive infinities golden's order is judged alone.
  if (DecodeFloat(type, subject.operands[1].Get(0).bits) != -kInfinity) return std::nullopt;
  for (int64_t i = 0; i < subject.operands[0].element_count(); ++i) {
    const double value = DecodeFloat(type, subject.operands[0].Get(i).bits);
    if (!(value < kInfinity) || (!step->guarded && value == -kInfinity)) return std::nullopt;
  }
  const auto steps =
      FoldTerms(subject, Opcode::kAdd, [](double, bool init) { return init ? 0.0 : 1.0; });
  if (!steps.ok()) return steps.status();
  const auto sizes = FoldTerms(subject, Opcode::kMaximum, [](double value, bool) {
    return std::isinf(value) ? 0.0 : std::fabs(value);
  });
  if (!sizes.ok()) return sizes.status();

  const UlpBudget exponential = subject.profile.FindBudget(Opcode::kExp, type);
  const UlpBudget logarithm = subject.profile.FindBudget(step->logarithm->opcode(), type);
  Bounds bounds;
  bounds.rule = "n steps of log(exp + exp)";
  // Without another order the functions still have their budgets.
  const bool budgets = !exponential.exact() || !logarithm.exact();
  if (!budgets || subject.profile.Grants(Freedom::kReassociation)) {
    bounds.needs = Freedom::kReassociation;
    bounds.is_freedom = true;
  }
  bounds.has_exact = type != ElementType::kF64;
  bounds.start_makes_nan = !step->guarded;
  for (int64_t i = 0; i < golden.element_count(); ++i) {
    const double n = (*steps)[i], largest = (*sizes)[i] + std::log(std::max(1.0, n));
    // The start value changes nothing, but in the plain form: log(1) and log-plus-one(0) are exact.
    const double count = step->form == Step::Form::kPlain ? n : std::max(0.0, n - 1);
    const auto error = [&](ElementType of, double size, const UlpBudget& e, const UlpBudget& l) {
      return count * StepError(step->form, of, size, e, l);
    };
    // While all errors come to less than one they come to less than this.
    const double most = error(type, largest + 1, exponential, logarithm);
    // Intermediate values are no longer known if they may be wrong by one.
    const bool known = most < 1 && largest + 1 < LargestSize(step->form, type);
    const double size = largest + std::min(1.0, most);
    const double own = error(type, size, exponential, logarithm);
    const double of_golden = error(type, size, {}, {});
    // The errors decide whether a sum of exponentials overflows.
    if (step->form == Step::Form::kPlain && !known) return std::nullopt;
    bounds.absolute.push_back(known ? own + of_golden : kInfinity);
    if (bounds.has_exact) bounds.from_exact.push_back(own + error(ElementType::kF64, size, {}, {}));
  }
  return bounds;
}

}  // namespace assay::conformance
