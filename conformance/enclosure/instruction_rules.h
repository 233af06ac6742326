// The rules of a profile for one instruction, independent of its operands and found once for all
// evaluations. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_INSTRUCTION_RULES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_INSTRUCTION_RULES_H_

#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "conformance/enclosure/box.h"
#include "conformance/judge/decision_points.h"
#include "conformance/judge/element_rule.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// The rules of one instruction. The instruction and the profile must outlive the object.
class InstructionRules {
 public:
  InstructionRules(const Instruction& instruction, const TargetProfile& profile);

  // Returns true if denormals of operands or results may be flushed to zero.
  bool may_flush() const { return may_flush_; }
  // Returns true if denormals of operands, in their own type or in their excess precision, may be
  // flushed.
  bool flushes_operands() const { return flushes_operands_; }
  // Return true if IsUnspecified and UnconstrainOverflows (unspecified.h) may apply to the
  // instruction.
  bool may_be_unspecified() const { return may_be_unspecified_; }
  bool may_overflow_to_nan() const { return may_overflow_to_nan_; }
  // The rule of an elementwise function or rounding instruction; null for others.
  const ElementRule* element_rule() const { return rule_ ? &*rule_ : nullptr; }
  // Returns true for a function of a type of at most 8 bits, which targets compute in a wider type
  // and round. Widen does not apply its budget.
  bool is_narrow_function() const { return is_narrow_function_; }
  // The decision points of an elementwise instruction that the profile admits.
  absl::Span<const DecisionRule* const> decisions() const { return decisions_; }

  // Joins the values that the profile permits around golden values or interval ends: the budget of
  // an elementwise instruction, excess precision between instructions, contraction of products and
  // sums, zeros of either sign, and flushed denormals.
  void Widen(Box* box) const;
  // Returns true if the instruction is a function and an operand is at a special point, where no
  // budget applies.
  bool HasSpecialPoints(Boxes operands) const;
  // Undoes Widen at special points; `exact` is the box before it.
  void KeepSpecialPoints(Boxes operands, const Box& exact, Box* box) const;
  // Undoes Widen for exact values that are infinite, and for exponentials whose exact value is so
  // far beyond the largest one that nothing finite is within the budget.
  void KeepInfinities(Boxes operands, Box* box) const;
  // Undoes Widen for values outside the range of the function.
  void KeepRange(Box* box) const;

 private:
  Slack FindSlack(ElementType type) const;
  bool HasBudgetInUnits() const;
  void WidenByRule(Box* box) const;

  const Instruction& instruction_;
  const TargetProfile& profile_;
  const bool may_flush_;
  bool flushes_operands_ = false, may_be_unspecified_, may_overflow_to_nan_ = false,
       is_narrow_function_ = false, keeps_infinities_ = false;
  std::vector<const DecisionRule*> decisions_;
  std::optional<ElementRule> rule_;  // set for functions and for instructions that round
  ElementType type_;                 // the element type of an array result
  Slack slack_;                      // the slack around an array result
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_INSTRUCTION_RULES_H_
