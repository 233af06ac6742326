// Values of types of 8 bits and fewer where a profile grants excess precision: a target may keep
// them in f32, or in the f16 or bf16 that it computes them in (reference
// ops_elementwise_and_types.md 7, N-4), where they go on beyond the largest value of their type, or
// narrow them: which makes an infinity, the largest value or a NaN of those. While a program is
// enclosed their boxes are of f32 and hold both, with every number that is kept those that it may
// be narrowed to. What the program returns has been narrowed. Tests: kept_types_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_KEPT_TYPES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_KEPT_TYPES_H_

#include <memory>
#include <vector>

#include "conformance/enclosure/box.h"
#include "conformance/judge/element_rule.h"
#include "conformance/profiles/profile.h"
#include "spec/ir/module.h"

namespace assay {

// Returns true if boxes of the type are kept in f32 to model excess precision.
bool IsKept(ElementType type);
// Returns true if an operand or a part of the result has such a type.
bool HasKeptTypes(const Instruction& instruction);

// Returns true if the instruction may be evaluated in f32 to model excess precision.
bool HasKeptForm(const Instruction& instruction);
// The instruction in f32, as the root of a module whose parameters are its operands.
std::unique_ptr<Module> KeptForm(const Instruction& instruction);

// The same intervals of narrow types in f32; others stay.
Box InF32(const Box& box);
// Boxes of the type as boxes of f32. An end that is the type's largest value, of a box that is no
// point, may have been more.
BoxTree Kept(const BoxTree& tree);
// The least box of the type that holds all; the other way round, `holds` is false if there is none.
struct NarrowBox {
  Box box;
  bool holds = true;
};
NarrowBox Around(ElementType type, const Box& kept);

// By what a function may be off before its result is narrowed.
void WidenByNarrowBudget(const ElementRule& rule, Box* kept);
// Joins zeros to elements that may be denormals of the type.
void TakeInFlushed(ElementType type, Box* kept);
// Joins the values to which the elements may be narrowed.
void TakeInNarrowed(ElementType type, const TargetProfile& profile, Box* kept);
// Joins the ends of `decided` that differ from those of `narrowed`, both of the narrow type.
void TakeInDifferences(const Box& narrowed, const Box& decided, Box* kept);
// Of sums some of whose partial sums may be beyond the type: those stay there or are a NaN, after
// which further terms lead anywhere between.
void TakeInOverflows(ElementType type, const std::vector<bool>& overflows, Box* kept);
// Returns the narrow box to which the f32 values of a function are rounded once.
Box RoundedOnce(ElementType type, const TargetProfile& profile, const Box& kept);
// Returns the boxes of a result of this shape, narrowed from f32.
BoxTree Returned(const Shape& shape, const TargetProfile& profile, const BoxTree& kept);

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_KEPT_TYPES_H_
