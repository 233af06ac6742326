// Single elements of an elementwise instruction, on operands of one's choice: the golden value, and
// the exact one to the precision of f64. What the judge needs beyond the golden result it needs of
// few elements; they are put into one array and evaluated together. Tests: allowance_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_GATHERED_ELEMENTS_H_
#define ASSAY_CONFORMANCE_JUDGE_GATHERED_ELEMENTS_H_

#include <vector>

#include "conformance/judge/bounds.h"
#include "conformance/judge/element_rule.h"

namespace assay {

// An element of an operand of the result's shape, or of a scalar one.
inline Element OperandElement(const Literal& operand, int64_t position) {
  return operand.Get(operand.element_count() == 1 ? 0 : position);
}

class GatheredElements {
 public:
  // What the least f8e8m0fnu, 2^-127, is for the exact values: itself or, as where f32 flushes,
  // zero.
  enum class LeastScale : uint8_t { kKept, kZero };

  // `result`: the element type of the instruction's result.
  GatheredElements(const Subject& subject, ElementType result,
                   LeastScale least_scale = LeastScale::kKept);

  int64_t size() const { return size_; }
  // One for each operand; gives the number of the slot.
  int64_t Add(const std::vector<Element>& operands);
  // After the last Add. `exact`: the exact values too.
  absl::Status Evaluate(bool exact);
  Element Golden(int64_t slot) const { return golden_.Get(slot); }
  // None for types that nothing is wider than.
  ExactValue Exact(int64_t slot) const;

 private:
  absl::StatusOr<Literal> Run(bool widened) const;

  const Subject& subject_;
  const ElementType result_;
  const LeastScale least_scale_;
  std::vector<std::vector<Element>> operands_;  // by operand, then by slot
  int64_t size_ = 0;
  Literal golden_;
  std::optional<Literal> exact_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_JUDGE_GATHERED_ELEMENTS_H_
