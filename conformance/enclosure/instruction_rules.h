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

namespace assay {

// Both must outlive it.
class InstructionRules {
 public:
  InstructionRules(const Instruction& instruction, const TargetProfile& profile);

  // Denormals of operands or results may be flushed to zero.
  bool may_flush() const { return may_flush_; }
  // Those of its operands, as they are or in the type that they are kept in, may be.
  bool flushes_operands() const { return flushes_operands_; }
  // Whether these have something to say (unspecified.h): IsUnspecified and LetGoOfOverflows.
  bool may_be_unspecified() const { return may_be_unspecified_; }
  bool may_overflow_to_nan() const { return may_overflow_to_nan_; }
  // The rule of an elementwise function or rounding instruction; null for others.
  const ElementRule* element_rule() const { return rule_ ? &*rule_ : nullptr; }
  // Whether it is a function that types of 8 bits and fewer compute in a wider type and round: what
  // it may be off by is not in Widen.
  bool is_narrow_function() const { return is_narrow_function_; }
  // The decision points of an elementwise instruction that the profile admits.
  absl::Span<const DecisionRule* const> decisions() const { return decisions_; }

  // Takes in what the target may have around golden values, or around their ends: by the budget of
  // an elementwise instruction, and since what is between instructions may be wider, products may
  // be rounded with what is added to them, zeros may have either sign, and denormals be zero.
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
  std::optional<ElementRule> rule_;  // of functions and of what is rounded
  ElementType type_;                 // of a result that is an array
  Slack slack_;                      // around it
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_INSTRUCTION_RULES_H_
