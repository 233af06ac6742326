// Steps: operations on a small value whose attributes tell. A permutation is not the identity, a
// padding has elements, a fold begins with a number that is not neutral, an index may lie outside.
// A wrong simplification of two steps so gives another value. Tests: pairs_test.cc.
#ifndef ASSAY_FUZZ_PROGRAMS_STEPS_H_
#define ASSAY_FUZZ_PROGRAMS_STEPS_H_

#include "absl/types/span.h"
#include "fuzz/programs/sketch.h"

namespace assay::fuzz {

// The most elements of a value that steps take and give.
inline constexpr int64_t kStepElements = 256;

struct Step {
  absl::string_view name;
  // Returns null if the operation does not take the value.
  Instruction* (*write)(Sketch& s, Instruction* x);
};

// Return the steps of a family (steps_*.cc): moves of elements; folds, contractions and sorts;
// elementwise operations and conversions.
absl::Span<const Step> MoveSteps();
absl::Span<const Step> FoldSteps();
absl::Span<const Step> ElementwiseSteps();

// Returns the result of an operation that its row of the grammar writes on the value, the last
// element if it is a tuple. Null if the row writes none.
Instruction* StepByRow(Sketch& s, Opcode opcode, Instruction* x);
// The same for any collective. Null in a program of one device.
Instruction* CollectiveStep(Sketch& s, Instruction* x);

// Returns one of all steps.
const Step& AnyStep(Choices& choices);
// Writes a step that takes the value, now and then a collective in a program of several devices.
// Returns null if several that were drawn do not take it.
Instruction* WriteAnyStep(Sketch& s, Instruction* x);
// Writes the step on the value, or returns null if it does not take it or it has too many elements.
Instruction* WriteStep(Sketch& s, const Step& step, Instruction* x);

// Returns an array with values of which no two are alike as a rule, or with those that tell where
// arithmetic is simplified.
Instruction* ArrayThatTells(Sketch& s, ElementType type, Sizes sizes);
// Returns numbers for indices along a dimension of this size, constants as a rule, of which one in
// four may lie outside.
Instruction* IndicesThatTell(Sketch& s, ElementType type, Sizes sizes, int64_t size);
// Returns sizes of at most 30 elements, mostly different ones.
Dimensions SizesThatTell(Choices& choices);
// Returns a new value to begin with: an array, one number that is repeated, or an iota.
Instruction* ValueThatTells(Sketch& s);

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_PROGRAMS_STEPS_H_
