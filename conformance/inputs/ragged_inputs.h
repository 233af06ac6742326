// Arguments that say how arrays are cut into pieces of different sizes. They make sense together
// only: the pieces lie inside, and what one process sends is what another expects.
// Source: reference ops_structural.md 7.3, ops_control_and_collectives.md 7.5.
// Tests: random_inputs_test.cc.
#ifndef ASSAY_CONFORMANCE_INPUTS_RAGGED_INPUTS_H_
#define ASSAY_CONFORMANCE_INPUTS_RAGGED_INPUTS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "interpreter/interpreter.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// Whether the operand of an operation is such an argument.
bool IsRaggedOperand(const Instruction& instruction, int64_t operand);

// What is known where an operand of one process is filled; the same seed for all processes.
struct RaggedUse {
  const Instruction* instruction = nullptr;
  int64_t operand = 0;
  ProcessId process;
  ProcessGrid grid;
  uint64_t seed = 0;
};
// Fills an array of integers that holds the operand's elements in their order. INVALID_ARGUMENT
// where the replica groups do not fit the grid.
absl::Status FillRagged(const RaggedUse& use, Literal* array);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_INPUTS_RAGGED_INPUTS_H_
