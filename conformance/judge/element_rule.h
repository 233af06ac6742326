// How far one element of an elementwise operation may be from the exact value: the ulp budget of
// the profile, or the instruction's own result_accuracy. Measured as reference
// accuracy_requirements.md 1 says: against the exact value where it is known, else by what follows
// from the golden one, which is within half an ulp of it. Tests: allowance_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ELEMENT_RULE_H_
#define ASSAY_CONFORMANCE_JUDGE_ELEMENT_RULE_H_

#include <complex>
#include <optional>
#include <string>

#include "conformance/judge/bounds.h"
#include "conformance/profiles/profile.h"
#include "spec/element/element.h"

namespace assay {

// The exact value to the precision of f64 (relative error 2^-53); of a real one the imaginary part
// is 0. None where no wider type has it.
using ExactValue = std::optional<std::complex<double>>;

struct Measure {
  enum class Answer : uint8_t { kInside, kOutside, kUnknown };  // the last: the exact value decides
  Answer answer = Answer::kOutside;
  double bound = 0, distance = 0;
};

// Whether the exact value is in every type and no budget counts: f(0), and 1 for logarithms and
// roots (accuracy_requirements.md 3, "exact results at the special points").
bool IsSpecialPoint(Opcode opcode, double operand);
inline bool HasSpecialPoint(Opcode opcode) {
  return IsSpecialPoint(opcode, 0) || IsSpecialPoint(opcode, 1);
}

// The least and the greatest value that a real function may give in a type, whatever its budget.
struct FunctionRange {
  double low = -kInfinity, high = kInfinity;
  bool bounded() const { return low > -kInfinity || high < kInfinity; }
};
FunctionRange RangeOf(Opcode opcode, ElementType type);

class ElementRule {
 public:
  ElementRule(const Instruction& instruction, ElementType result, const TargetProfile& profile);

  // What the instruction asks for itself, in place of a budget: BoundAt has it.
  bool has_tolerance() const { return tolerance_.has_value(); }
  const UlpBudget& budget() const { return budget_; }
  // Nothing but the golden value is right.
  bool strict() const { return !tolerance_ && budget_.exact(); }
  std::string text() const;  // "4 ulp", "correctly rounded", "exact"

  // Of elements that differ, and not only in the sign of zeros or as NaNs do.
  Measure Test(Element golden, Element actual, const ExactValue& exact) const;

  // Whether the value lies outside of what the function can give: |sin| <= 1.
  bool OutOfRange(Element actual) const;
  bool is_of_complex() const { return of_complex_; }

  // The largest distance from an exact value of that magnitude.
  double BoundAt(double magnitude) const;

 private:
  Measure TestReal(uint64_t golden, uint64_t actual, const std::optional<double>& exact) const;
  Measure TestNarrow(uint64_t actual, const std::optional<double>& exact) const;
  Measure TestComplex(Element golden, Element actual, const ExactValue& exact) const;

  const Opcode opcode_;
  const ElementType type_, part_;
  const bool narrow_, of_complex_, rounds_;
  UlpBudget budget_;
  std::optional<ResultAccuracy> tolerance_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_ELEMENT_RULE_H_
