// The largest permitted distance of one element of an elementwise operation from the exact value:
// the ulp budget of the profile, or the instruction's own result_accuracy. It is measured as
// reference accuracy_requirements.md 1 says: from the exact value if that is known, otherwise from
// the golden value, which is within half an ulp of it. Tests: allowance_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_ELEMENT_RULE_H_
#define ASSAY_CONFORMANCE_JUDGE_ELEMENT_RULE_H_

#include <complex>
#include <optional>
#include <string>

#include "absl/types/span.h"
#include "conformance/judge/bounds.h"
#include "conformance/profiles/profile.h"
#include "spec/element/element.h"

namespace assay::conformance {

// The exact value with a relative error of at most 2^-53. The imaginary part of a real value is 0.
// It is empty if no wider type holds the value.
using ExactValue = std::optional<std::complex<double>>;

struct Measure {
  enum class Answer : uint8_t { kInside, kOutside, kUnknown };  // the last: the exact value decides
  Answer answer = Answer::kOutside;
  double bound = 0, distance = 0;
};

// Returns true if the exact value belongs to every type, so that no budget applies: f(0), and 1 for
// logarithms and roots (accuracy_requirements.md 3, "exact results at the special points").
bool IsSpecialPoint(Opcode opcode, double operand);
inline bool HasSpecialPoint(Opcode opcode) {
  return IsSpecialPoint(opcode, 0) || IsSpecialPoint(opcode, 1);
}

// Returns true if an infinite part of the function's complex value is no pole, so that it stands
// for a number beyond the range. `operands` are complex numbers of `type`.
bool IsInfiniteByOverflow(Opcode opcode, ElementType type, absl::Span<const Element> operands);

// The least and the greatest value that a real function may give in a type, whatever its budget.
struct FunctionRange {
  double low = -kInfinity, high = kInfinity;
  bool bounded() const { return low > -kInfinity || high < kInfinity; }
};
FunctionRange RangeOf(Opcode opcode, ElementType type);

class ElementRule {
 public:
  ElementRule(const Instruction& instruction, ElementType result, const TargetProfile& profile);

  // The accuracy that the instruction demands in place of the budget; BoundAt evaluates it.
  bool has_tolerance() const { return tolerance_.has_value(); }
  const UlpBudget& budget() const { return budget_; }
  // Returns true if only the golden value is permitted.
  bool strict() const { return !tolerance_ && budget_.exact(); }
  std::string text() const;  // "4 ulp", "correctly rounded", "exact"

  // Judges elements that differ in more than the sign of a zero or the payload of a NaN. If
  // `overflows`, infinite parts of a complex number stand for numbers beyond the range, whose size
  // the other part may err by as well.
  Measure Test(Element golden, Element actual, const ExactValue& exact, bool overflows) const;

  // Returns true if the value lies outside the range of the function, such as |sin| <= 1.
  bool OutOfRange(Element actual) const;
  bool is_of_complex() const { return of_complex_; }

  // Returns the largest permitted distance from an exact value of this magnitude.
  double BoundAt(double magnitude) const;

 private:
  Measure TestReal(uint64_t golden, uint64_t actual, const std::optional<double>& exact) const;
  Measure TestNarrow(uint64_t actual, const std::optional<double>& exact) const;
  Measure TestComplex(Element golden, Element actual, const ExactValue& exact,
                      bool overflows) const;

  const Opcode opcode_;
  const ElementType type_, part_;
  const bool narrow_, of_complex_, rounds_;
  UlpBudget budget_;
  std::optional<ResultAccuracy> tolerance_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_ELEMENT_RULE_H_
