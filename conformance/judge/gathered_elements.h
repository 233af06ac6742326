// Evaluates single elements of an elementwise instruction on given operands: the golden value, and
// the exact value to the precision of f64. The judge needs few such elements, so they are gathered
// into one array and evaluated together. Tests: allowance_test.cc.
#ifndef ASSAY_CONFORMANCE_JUDGE_GATHERED_ELEMENTS_H_
#define ASSAY_CONFORMANCE_JUDGE_GATHERED_ELEMENTS_H_

#include <vector>

#include "conformance/judge/bounds.h"
#include "conformance/judge/element_rule.h"

namespace assay::conformance {

// Returns an element of an operand, which has the shape of the result or is a scalar.
inline Element OperandElement(const Literal& operand, int64_t position) {
  return operand.Get(operand.element_count() == 1 ? 0 : position);
}

class GatheredElements {
 public:
  // How the exact evaluation treats the least f8e8m0fnu, 2^-127: as itself or, like a target that
  // flushes f32 denormals, as zero.
  enum class LeastScale : uint8_t { kKept, kZero };

  // `result` is the element type of the instruction's result.
  GatheredElements(const Subject& subject, ElementType result,
                   LeastScale least_scale = LeastScale::kKept);

  int64_t size() const { return size_; }
  // Adds a set of operand elements, one for each operand. Returns its slot.
  int64_t Add(const std::vector<Element>& operands);
  // Evaluates all slots. Must be called once, after the last Add. Exact() requires `exact`.
  absl::Status Evaluate(bool exact);
  Element Golden(int64_t slot) const { return golden_.Get(slot); }
  // Returns nothing if no wider type exists.
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

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_JUDGE_GATHERED_ELEMENTS_H_
