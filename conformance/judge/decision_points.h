// Which operands leave a value to the implementation, and which values these are: a rule for each
// point of decision_points.def that elementwise operations have. Its condition is one for the judge
// of instructions, whose operands are known, and for enclosures, of whose operands intervals are.
// Tests: freedoms_test.cc, runner/decision_points_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_DECISION_POINTS_H_
#define ASSAY_CONFORMANCE_JUDGE_DECISION_POINTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// What is known of a number: patterns of the least and the greatest value. Of equal patterns it is
// the value itself, which may be a NaN.
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
// Of complex elements both parts, of others the first.
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
  // Whether the instruction has such a point at all.
  bool (*concerns)(const Instruction& instruction, ElementType operand, ElementType result);
  // Whether operands in the ranges may leave the value open. Null: any may.
  bool (*open)(const DecisionPlace& at);
  // Whether a value may stand there in place of golden's, if the operands are known and do.
  bool (*gives)(const DecisionPlace& at, Element wanted, Element got);
  // Where that is one of a few, which rise with the first operand: those. Else null.
  std::vector<uint64_t> (*readings)(const DecisionPlace& at, uint64_t operand);
};
absl::Span<const DecisionRule> DecisionRules();

// The decision point at which `got` may stand in place of the golden value `wanted`: one that the
// profile leaves open, else one of a known deviation, else the first of the rules that has it. Of
// elementwise instructions; `type` is that of the result.
std::optional<DecisionPoint> PointThatGives(const Instruction& instruction,
                                            absl::Span<const Literal> operands, ElementType type,
                                            Element wanted, Element got, int64_t element,
                                            const TargetProfile& profile);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_DECISION_POINTS_H_
