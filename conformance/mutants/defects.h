// The kinds of defects that the rows of the families are made of. Tests: mutants_test.cc.
#ifndef ASSAY_CONFORMANCE_MUTANTS_DEFECTS_H_
#define ASSAY_CONFORMANCE_MUTANTS_DEFECTS_H_

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "conformance/mutants/site.h"
#include "evaluator/evaluator.h"
#include "spec/element/element.h"

namespace assay::conformance {

// One element of a result, for a defect that makes another of it.
struct ElementSite {
  const Instruction& instruction;
  ElementType type;
  Element golden;
  int64_t position;  // row major
  absl::InlinedVector<ElementType, 3> types;
  // The elements of the operands at the same place; of scalars and operands of another number of
  // elements the first.
  absl::InlinedVector<Element, 3> x;

  // Of operand k, as a number; of a complex one the real part.
  double f(int k) const;
  int64_t i(int k) const { return DecodeSigned(types[k], x[k].bits); }
  uint64_t u(int k) const { return DecodeUnsigned(types[k], x[k].bits); }
  bool nan(int k) const { return IsFloat(types[k]) && IsNan(types[k], x[k].bits); }
  double result() const { return DecodeFloat(type, golden.bits); }
  int bits() const { return Info(type).bits; }
  // An element of the result's type.
  Element Float(double value) const { return {EncodeFloat(type, value), 0}; }
  Element Integer(int64_t value) const {
    return {EncodeInteger(type, static_cast<uint64_t>(value)), 0};
  }
};
using ElementDefect = std::function<Element(const ElementSite&)>;
using Where = std::function<bool(const Instruction&)>;

// Other attributes (or operands).
Defect Edit(std::function<void(Instruction&)> edit);
// A list of integers, or a window, with other entries.
Defect EditInts(Attr attr, std::function<void(std::vector<int64_t>&)> edit);
Defect EditWindow(std::function<void(WindowDimension&)> edit);
// The called computation with other instructions in it.
Defect EditRegion(Attr attr, std::function<void(Instruction&)> edit);
// A comparison with its parameters exchanged two by two: (a, b) becomes (b, a).
Defect SwapParameters(Attr attr);
// The operands in another order.
Defect Reorder(std::function<void(std::vector<Instruction*>&)> reorder);

// Another value for each element of the (static) result, where the instruction is such a one.
Defect OnElements(ElementDefect defect, Where where = nullptr);
// Another value for the leaves of the result, given the operands as well.
using ResultDefect =
    std::function<void(const Instruction& instruction, absl::Span<const Literal> operands,
                       std::vector<Literal>* leaves, const CustomCall& call)>;
Defect OnResult(ResultDefect defect, Where where = nullptr);
// Other values of operand k, or of all (-1).
using OperandDefect = std::function<Element(ElementType type, Element element)>;
Defect OnOperand(int64_t k, OperandDefect defect, Where where = nullptr);
// A value computed from the operands alone.
Defect Instead(HostFunction function, Where where = nullptr);
// Operand k in the place of the result.
Defect Forward(int64_t k);

// Where.
Where TypeIs(std::initializer_list<ElementType> types);
Where OperandTypeIs(int64_t k, std::initializer_list<ElementType> types);
Where FloatResult();
Where IntegerResult();
Where SignedResult();
Where ComplexResult();
bool IsIntegerOperand(const Instruction& instruction, int64_t k);

// Values.
Element NegativeZeroLost(ElementType type, Element element);
Element Flushed(ElementType type, Element element);  // denormals to zeros of their sign
// Towards zero with that many bits of significand less.
double TruncatedTo(double value, int significand_bits);
double RoundedTo(ElementType type, double value);
// The next value of the type, away from zero.
Element NextAfter(ElementType type, Element element, int64_t ulps);
int64_t SaturatedTo(ElementType type, __int128 value);

// The golden result of an instruction, or of one that differs from it, on other operands of the
// same shapes.
absl::StatusOr<Literal> Golden(const Instruction& instruction, absl::Span<const Literal> operands,
                               evaluator::EvaluationContext& context);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_MUTANTS_DEFECTS_H_
