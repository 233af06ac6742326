// What a module asks of its arguments so that running it says something: start indices and branch
// numbers in range, sort keys without ties, sizes of pieces that fit. Found by following each such
// use back to the parameters. Tests: random_inputs_test.cc.
#ifndef ASSAY_CONFORMANCE_INPUTS_INPUT_NEEDS_H_
#define ASSAY_CONFORMANCE_INPUTS_INPUT_NEEDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/ir/module.h"

namespace assay::conformance {

struct InputNeeds {
  // Integers in [low, high]: the intersection of all uses as an index.
  std::optional<int64_t> low, high;
  // No two elements equal.
  bool unique = false;
  // The elements are this operand of this operation (ragged_inputs.h); null: of none.
  const Instruction* ragged_use = nullptr;
  int64_t ragged_operand = 0;
};

// By parameter number, then by leaf of the parameter.
std::vector<std::vector<InputNeeds>> FindInputNeeds(const Module& module);

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_INPUTS_INPUT_NEEDS_H_
