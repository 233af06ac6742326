// The instructions of a computation as the encloser runs them, and their values while it does.
// Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSED_VALUES_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSED_VALUES_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "conformance/enclosure/box.h"
#include "conformance/enclosure/excess_precision_encloser.h"
#include "conformance/enclosure/instruction_encloser.h"
#include "spec/ir/module.h"

namespace assay::conformance {

enum class StepKind : uint8_t {
  kParameter,
  kGetTupleElement,
  kTree,      // on values as they are, tuples among them
  kArrays,    // on the arrays of all operands
  kTogether,  // a call of any kind or a collective: all devices of a team take it together
};

// The kind of an instruction other than a map of elementwise operations, which is a kTree.
StepKind StepKindOf(const Instruction& instruction);

struct EnclosedStep {
  const Instruction* instruction = nullptr;
  StepKind kind = StepKind::kArrays;
  int64_t cost = 0;          // of one evaluation
  int64_t uses = 0;          // that of the root by the caller among them
  bool in_f32 = false;       // has types that are kept in f32 (excess_precision.h)
  bool is_constant = false;  // moved or computed out of constants alone
  bool is_known = false;
  BoxTree value;  // of a constant that is known
  // The prepared instruction, created on first use for instructions that take arrays.
  std::unique_ptr<const PreparedInstruction> prepared;
  F32Instruction f32_form;
};
using EnclosedSteps = std::vector<EnclosedStep>;  // of a computation, by instruction

// The values of a computation while it runs on one device, by instruction. A value is released
// after its last use.
struct EnclosedValues {
  explicit EnclosedValues(EnclosedSteps* known) : steps(*known), values(steps.size()) {
    uses.reserve(steps.size());
    for (const EnclosedStep& step : steps) uses.push_back(step.uses);
  }
  BoxTree& At(int64_t index) { return steps[index].is_known ? steps[index].value : values[index]; }
  // Stores the value of a step; a constant for all later runs.
  void Keep(EnclosedStep* step, BoxTree value) {
    if (step->is_constant) {
      step->value = std::move(value);
      step->is_known = true;
    } else if (step->uses > 0) {
      values[step->instruction->index()] = std::move(value);
    }
  }
  // Counts a use of a value.
  void Use(int64_t index) {
    if (!steps[index].is_constant && --uses[index] == 0) values[index] = BoxTree();
  }
  void UseAll(const Instruction& instruction) {
    for (const Instruction* operand : instruction.operands()) Use(operand->index());
  }
  // Returns the arrays of all operands.
  BoxPointers Leaves(const Instruction& instruction) {
    BoxPointers leaves;
    for (const Instruction* operand : instruction.operands()) {
      At(operand->index()).AppendLeaves(&leaves);
    }
    return leaves;
  }
  // Returns the operands, and counts their uses.
  std::vector<BoxTree> Take(const Instruction& instruction) {
    std::vector<BoxTree> operands;
    for (const Instruction* operand : instruction.operands()) {
      operands.push_back(At(operand->index()));
      Use(operand->index());
    }
    return operands;
  }

  EnclosedSteps& steps;
  std::vector<BoxTree> values;
  std::vector<int64_t> uses;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_ENCLOSED_VALUES_H_
