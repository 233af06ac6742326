#include "evaluator/ops/testing.h"

#include <cstring>
#include <utility>

namespace assay::evaluator {
namespace {

absl::StatusOr<std::vector<Literal>> RunInstruction(const Instruction& instruction,
                                                    const std::vector<Literal>& operands,
                                                    const PrepareFunction& prepare,
                                                    EvaluationContext& context) {
  absl::StatusOr<std::unique_ptr<Kernel>> kernel = prepare(instruction);
  if (!kernel.ok()) return kernel.status();
  std::vector<ArrayRef> inputs, zero_inputs;
  std::vector<Literal> zeros;
  for (const Literal& operand : operands) zeros.push_back(Literal::Zeros(operand.shape()));
  for (size_t k = 0; k < operands.size(); ++k) {
    inputs.push_back({&operands[k].shape(), operands[k].data()});
    zero_inputs.push_back({&operands[k].shape(), zeros[k].data()});
  }
  std::vector<Literal> results;
  std::vector<MutableArrayRef> outputs;
  const std::vector<const Shape*> leaves = Leaves(instruction.shape());
  for (const Shape* leaf : leaves) results.push_back(Literal::Zeros(*leaf));
  for (size_t k = 0; k < leaves.size(); ++k) {
    outputs.push_back({leaves[k], results[k].mutable_data()});
  }
  // A kernel runs many times: what it may have kept of the first run must not show in the second.
  for (const auto& run : {zero_inputs, inputs}) {
    for (Literal& result : results) {
      if (result.byte_size() > 0) std::memset(result.mutable_data(), 0xA5, result.byte_size());
    }
    if (absl::Status status = (*kernel)->Run(run, outputs, context); !status.ok()) return status;
  }
  return results;
}

absl::StatusOr<std::vector<Literal>> RunComputation(const Computation& computation,
                                                    absl::Span<const Literal> inputs,
                                                    const PrepareFunction& prepare,
                                                    EvaluationContext& context) {
  std::vector<std::vector<Literal>> values(computation.instruction_count());
  for (int64_t i = 0; i < computation.instruction_count(); ++i) {
    const Instruction& instruction = *computation.instruction(i);
    std::vector<Literal> operands;
    for (const Instruction* operand : instruction.operands()) {
      const std::vector<Literal>& leaves = values[operand->index()];
      operands.insert(operands.end(), leaves.begin(), leaves.end());
    }
    if (instruction.opcode() == Opcode::kParameter) {
      values[i] = Flatten(inputs[instruction.parameter_number()]);
    } else if (instruction.opcode() == Opcode::kTuple) {
      values[i] = std::move(operands);
    } else if (instruction.opcode() == Opcode::kGetTupleElement) {
      const absl::Span<const Shape> parts = instruction.operand(0)->shape().tuple_shapes();
      const int64_t index = instruction.GetInt(Attr::kIndex);
      auto first = operands.begin();
      for (int64_t k = 0; k < index; ++k) first += Leaves(parts[k]).size();
      values[i].assign(first, first + Leaves(parts[index]).size());
    } else {
      absl::StatusOr<std::vector<Literal>> results =
          RunInstruction(instruction, operands, prepare, context);
      if (!results.ok()) return results.status();
      values[i] = *std::move(results);
    }
  }
  return values[computation.root()->index()];
}

}  // namespace

absl::StatusOr<Literal> StraightCaller::Call(const Computation& computation,
                                             absl::Span<const Literal> arguments) {
  absl::StatusOr<std::vector<Literal>> leaves =
      RunComputation(computation, arguments, prepare_, context_);
  if (!leaves.ok()) return leaves.status();
  return Unflatten(computation.root()->shape(), *leaves);
}

absl::StatusOr<std::vector<Literal>> RunStraightLine(const Module& module,
                                                     absl::Span<const Literal> inputs,
                                                     const PrepareFunction& prepare,
                                                     EvaluationContext& context) {
  StraightCaller caller(prepare, context);
  context.caller = &caller;
  absl::StatusOr<std::vector<Literal>> results =
      RunComputation(*module.entry(), inputs, prepare, context);
  context.caller = nullptr;
  return results;
}

}  // namespace assay::evaluator
