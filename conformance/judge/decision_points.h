// The rules of the decision points (decision_points.def) that elementwise operations have: which
// operands leave a value to the implementation, and which values are permitted. A condition serves
// the judge, which knows the operands, and enclosures, which know their intervals. Tests:
// freedoms_test.cc, runner/decision_points_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_DECISION_POINTS_H_
#define ASSAY_CONFORMANCE_JUDGE_DECISION_POINTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The range of a number, as the bit patterns of its least and its greatest value. If both are equal
// it is that value, which may be a NaN.
struct PartRange {
  ElementType type = ElementType::kInvalid;
  uint64_t low = 0, high = 0;
  bool nan = false;  // it may be a NaN as well

  bool MayBeNan() const;
  bool MayBeInfinite() const;
  bool MayBeNonFinite() const { return MayBeNan() || MayBeInfinite(); }
  bool MayBe(double value) const;          // of floats
  bool MayBeInteger(int64_t value) const;  // of integers
};
// Both parts of a complex element; otherwise only the first is used.
struct ElementRange {
  ElementType type = ElementType::kInvalid;
  PartRange real, imag;

  static ElementRange Of(ElementType type, Element element) { return Of(type, element, element); }
  static ElementRange Of(ElementType type, Element low, Element high);
  bool MayBeNonFinite() const;
  bool MayBeZero() const;  // of floats and complex numbers
};

// One element of an elementwise instruction.
struct DecisionPlace {
  const Instruction& instruction;
  ElementType type;  // of the result
  absl::Span<const ElementRange> operands;
};

struct DecisionRule {
  DecisionPoint point;
  // Returns true if the instruction has this decision point.
  bool (*concerns)(const Instruction& instruction, ElementType operand, ElementType result);
  // Returns true if the value may be unspecified for operands in these ranges. Null if it may be
  // for every operand.
  bool (*open)(const DecisionPlace& at);
  // Returns true if the value is permitted in place of golden's, for known operands.
  bool (*gives)(const DecisionPlace& at, Element wanted, Element got);
  // The permitted values if there are few, which rise with the first operand; otherwise null.
  std::vector<uint64_t> (*readings)(const DecisionPlace& at, uint64_t operand);
};
absl::Span<const DecisionRule> DecisionRules();

// Finds the decision point that permits `got` in place of the golden value `wanted`, for
// elementwise instructions with results of this type. A point that the profile admits is preferred,
// then one of a known deviation, then the first rule that applies.
std::optional<DecisionPoint> PointThatGives(const Instruction& instruction,
                                            absl::Span<const Literal> operands, ElementType type,
                                            Element wanted, Element got, int64_t element,
                                            const TargetProfile& profile);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_DECISION_POINTS_H_
