// Moves of arrays of several float types: pad, concatenate and dynamic-update-slice take operands
// of another precision than their result, to which their elements are converted. Reductions and
// scatters take elements that their computation rounds. Tests: mixed_move_test.cc.
#ifndef ASSAY_SPEC_ANALYSIS_MIXED_MOVE_H_
#define ASSAY_SPEC_ANALYSIS_MIXED_MOVE_H_

#include <memory>
#include <vector>

#include "spec/ir/module.h"

namespace assay::analysis {

// Such an operation as conversions of its operands and an operation of one type. The parameters
// stand for the operands of the original.
struct MixedMove {
  std::vector<std::unique_ptr<Instruction>> parameters;
  // The conversion of each operand; null for an operand that is taken as it is.
  std::vector<std::unique_ptr<Instruction>> converts;
  std::unique_ptr<Instruction> move;
};

// Returns true if `to` lacks a value of `from`: a number, an infinity, NaN or a sign. Returns false
// unless both are float types.
bool Narrows(ElementType from, ElementType to);

// Returns null for any other instruction.
std::unique_ptr<MixedMove> SplitMixedMove(const Instruction& instruction);

}  // namespace assay::analysis

#endif  // ASSAY_SPEC_ANALYSIS_MIXED_MOVE_H_
