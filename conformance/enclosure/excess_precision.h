// Excess precision of types of at most 8 bits. If a profile permits it, a target may keep their
// values in f32, or in the f16 or bf16 in which it computes them (reference
// ops_elementwise_and_types.md 7, N-4), where values may exceed the largest value of the type. Or
// it may narrow them, and an overflow then gives an infinity, the largest value or NaN. While a
// program is enclosed, boxes of these types are in f32 and contain both the unrounded values and
// the values to which they may be narrowed. The results of the program are narrowed. Tests:
// excess_precision_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_EXCESS_PRECISION_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_EXCESS_PRECISION_H_

#include <memory>
#include <vector>

#include "conformance/enclosure/box.h"
#include "conformance/judge/element_rule.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Returns true if boxes of the type are kept in f32 to model excess precision.
bool IsEnclosedInF32(ElementType type);
// Returns true if an operand or a part of the result has such a type.
bool HasTypesInF32(const Instruction& instruction);

// Returns true if the instruction may be evaluated in f32 to model excess precision.
bool HasF32Form(const Instruction& instruction);
// Returns the instruction in f32, as the root of a module whose parameters are its operands.
std::unique_ptr<Module> F32Form(const Instruction& instruction);

// Returns the box in f32 if its type is narrow, otherwise the box itself.
Box InF32(const Box& box);
// Returns boxes of narrow types as boxes of f32. If a box is not a point, an end that is the type's
// largest value may stand for a larger number.
BoxTree TreeInF32(const BoxTree& tree);
// The smallest box of the narrow type around a box of f32. `holds` is false if none contains it.
struct NarrowBox {
  Box box;
  bool holds = true;
};
NarrowBox Around(ElementType type, const Box& wide);

// Widens by the error of a function before its result is narrowed.
void WidenByNarrowBudget(const ElementRule& rule, Box* wide);
// Joins zeros to elements that may be denormals of the type.
void JoinFlushed(ElementType type, Box* wide);
// Joins the values to which the elements may be narrowed.
void JoinNarrowed(ElementType type, const TargetProfile& profile, Box* wide);
// Joins the ends of `decided` that differ from those of `narrowed`, both of the narrow type.
void JoinDifferences(const Box& narrowed, const Box& decided, Box* wide);
// Joins the values of sums whose partial sums may overflow the type: an overflow or a NaN stays, or
// further terms lead to any value in between.
void JoinOverflows(ElementType type, const std::vector<bool>& overflows, Box* wide);
// Returns the narrow box to which the f32 values of a function are rounded once.
Box RoundedOnce(ElementType type, const TargetProfile& profile, const Box& wide);
// Returns the boxes of a result of this shape, narrowed from f32.
BoxTree Returned(const Shape& shape, const TargetProfile& profile, const BoxTree& wide);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_EXCESS_PRECISION_H_
