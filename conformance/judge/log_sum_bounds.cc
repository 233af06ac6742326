// Bounds of log(sum exp(x)), folded in any order by log(exp(a) + exp(b)).
//
// With exact arithmetic the order does not matter, and the result moves by no more than its
// elements do: the derivatives by a and b are positive and sum to 1. So what each step errs by adds
// up, whatever the tree: n steps err by no more than n times the most that one may. A step computes
// max(a, b) + log-plus-one(exponential(-|a - b|)), with d = |a - b| and t = exp(-d) <= 1:
//  - the difference errs by u d, which makes u d t / (1 + t) <= 0.28 u of the result;
//  - the exponential errs by e t, which makes e t / (1 + t) <= e / 2;
//  - the logarithm, at most log 2, errs by l log 2;
//  - the sum errs by u |v|, and |v| <= max|x| + log n + 1 while all these errors come to less.
// e and l are the relative budgets of the functions. What is a denormal may be lost in each.
// Tests: bounds_test.cc.
#include <algorithm>
#include <optional>

#include "conformance/judge/bounds.h"
#include "evaluator/facts/widened_fold.h"

namespace assay {
namespace {

bool Is(const Instruction* step, Opcode opcode) {
  return step->opcode() == opcode && !step->HasAttribute(Attr::kResultAccuracy);
}

// Of the two parameters, in either order.
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

// The exponential and the logarithm of select(d != d, a + b, max(a, b) + log1p(exp(-|d|))).
struct Functions {
  const Instruction* exponential = nullptr;
  const Instruction* logarithm = nullptr;
};
std::optional<Functions> FunctionsOf(const Computation& region) {
  const Instruction* const root = region.root();
  if (!Is(root, Opcode::kSelect) || !IsNanTest(root->operand(0)) ||
      !IsOfBoth(root->operand(1), Opcode::kAdd) || !Is(root->operand(2), Opcode::kAdd)) {
    return std::nullopt;
  }
  const Instruction* const sum = root->operand(2);
  const Instruction* const logarithm = Beside(sum, Opcode::kMaximum);
  if (logarithm == nullptr || logarithm->opcode() != Opcode::kLog1p) return std::nullopt;
  const Instruction* const largest = sum->operand(sum->operand(0) == logarithm ? 1 : 0);
  const Instruction* const exponential = logarithm->operand(0);
  if (exponential->opcode() != Opcode::kExp) return std::nullopt;
  const Instruction* const minus = exponential->operand(0);
  const bool fits = IsOfBoth(largest, Opcode::kMaximum) && Is(minus, Opcode::kNegate) &&
                    Is(minus->operand(0), Opcode::kAbs) &&
                    IsOfBoth(minus->operand(0)->operand(0), Opcode::kSubtract) &&
                    !exponential->HasAttribute(Attr::kResultAccuracy) &&
                    !logarithm->HasAttribute(Attr::kResultAccuracy);
  if (!fits) return std::nullopt;
  return Functions{exponential, logarithm};
}

constexpr double kLog2 = 0.6931471805599454;
// Products of the errors above, which are below 1/16 each.
constexpr double kSecondOrder = 1.1;

// What one step may err by where the largest element is `size`, with a unit roundoff and the
// budgets of the functions, in ulps of the type.
double StepError(ElementType type, double size, const UlpBudget& exponential,
                 const UlpBudget& logarithm) {
  const double u = UnitRoundoff(type);
  const double e = 2 * u * std::max(0.5, exponential.ulps) + 2 * exponential.absolute;
  const double l = 2 * u * std::max(0.5, logarithm.ulps) + 2 * logarithm.absolute;
  if (!(e < 1.0 / 16 && l < 1.0 / 16)) return kInfinity;
  const double lost = 4 * SmallestNormal(type) * (1 + exponential.ulps + logarithm.ulps);
  return kSecondOrder * (0.28 * u + e / 2 + l * kLog2 + u * size) + lost;
}

}  // namespace

absl::StatusOr<std::optional<Bounds>> LogSumBounds(const Subject& subject, const Literal& golden) {
  const Instruction& fold = subject.instruction;
  const ElementType type = golden.element_type();
  const bool folds = fold.opcode() == Opcode::kReduce || fold.opcode() == Opcode::kReduceWindow;
  if (!folds || fold.operand_count() != 2 || !IsFloat(type) || Info(type).bits < 16) {
    return std::nullopt;
  }
  const std::optional<Functions> functions = FunctionsOf(*fold.to_apply());
  if (!functions || functions->exponential->shape().element_type() != type ||
      subject.operands[0].element_type() != type || subject.operands[1].element_type() != type) {
    return std::nullopt;
  }
  // An infinite start value changes nothing, however often it counts. Of NaNs and positive
  // infinities golden's order is judged alone.
  if (DecodeFloat(type, subject.operands[1].Get(0).bits) != -kInfinity) return std::nullopt;
  for (int64_t i = 0; i < subject.operands[0].element_count(); ++i) {
    if (!(DecodeFloat(type, subject.operands[0].Get(i).bits) < kInfinity)) return std::nullopt;
  }
  const auto steps =
      FoldTerms(subject, Opcode::kAdd, [](double, bool init) { return init ? 0.0 : 1.0; });
  if (!steps.ok()) return steps.status();
  const auto sizes = FoldTerms(subject, Opcode::kMaximum, [](double value, bool) {
    return std::isinf(value) ? 0.0 : std::fabs(value);
  });
  if (!sizes.ok()) return sizes.status();

  const UlpBudget exponential = subject.profile.FindBudget(Opcode::kExp, type);
  const UlpBudget logarithm = subject.profile.FindBudget(Opcode::kLog1p, type);
  Bounds bounds;
  bounds.rule = "n steps of log(exp + exp)";
  bounds.needs = Freedom::kReassociation;
  bounds.is_freedom = true;
  bounds.has_exact = type != ElementType::kF64;
  for (int64_t i = 0; i < golden.element_count(); ++i) {
    const double n = (*steps)[i], size = (*sizes)[i] + std::log(std::max(1.0, n)) + 1;
    const double own = n * StepError(type, size, exponential, logarithm);
    const double of_golden = n * StepError(type, size, {}, {});
    // What is known of the values on the way ends where they err by one.
    const bool known = own < 1 && size < DecodeFloat(type, MaxFinite(type)) / 4;
    bounds.absolute.push_back(known ? own + of_golden : kInfinity);
    if (bounds.has_exact) {
      bounds.from_exact.push_back(own + n * StepError(ElementType::kF64, size, {}, {}));
    }
  }
  return bounds;
}

}  // namespace assay
