// Golden values of single instructions on changing operands. An instruction is prepared once. Its
// kernel runs directly if it needs nothing else of the interpreter. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_GOLDEN_INSTRUCTIONS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_GOLDEN_INSTRUCTIONS_H_

#include <memory>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "evaluator/facts.h"
#include "interpreter/interpreter.h"
#include "runtime/parallel.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay::conformance {

// An instruction that is prepared when it first runs.
struct GoldenInstruction {
  const Instruction* instruction = nullptr;
  std::unique_ptr<evaluator::Kernel> kernel;  // otherwise a module of its own, if the interpreter
  std::unique_ptr<Module> module;             // has to run it or it belongs to no module
  std::unique_ptr<PlannedModule> planned;
  std::vector<double> counts;
};

// Evaluates instructions of modules, which must outlive the object. Callers hold a
// FloatEnvironmentGuard.
class GoldenInstructions {
 public:
  explicit GoldenInstructions(const RunBudget& budget);

  absl::StatusOr<Literal> Evaluate(const Instruction& instruction,
                                   absl::Span<const Literal> operands);
  // The same in two steps, without copying the operands. The reference that Of returns stays valid.
  GoldenInstruction& Of(const Instruction& instruction);
  absl::Status EvaluateAt(GoldenInstruction* golden, absl::Span<const Literal* const> operands,
                          Literal* value);
  // Evaluates a sum, dot or convolution in `type`, which is f32 or f64. Operands of another type
  // are converted to it.
  absl::StatusOr<Literal> EvaluateSums(const Instruction& instruction, ElementType type,
                                       absl::Span<const Literal> operands);
  // Returns CountTerms, cached if it does not depend on the operands. The span is valid until the
  // next call.
  absl::StatusOr<absl::Span<const double>> CountTerms(const Instruction& instruction,
                                                      absl::Span<const Literal> operands);
  // Evaluates any module.
  const evaluator::EvaluateModule& evaluate_module() const { return evaluate_module_; }

 private:
  absl::Status Prepare(GoldenInstruction* golden) const;
  absl::Status RunKernel(const GoldenInstruction& golden, absl::Span<const Literal* const> operands,
                         Literal* value);
  absl::StatusOr<Literal> Run(GoldenInstruction* golden, absl::Span<const Literal> operands);

  RunOptions options_;
  evaluator::EvaluateModule evaluate_module_;
  runtime::Budget budget_;
  runtime::WorkerPool workers_;
  absl::node_hash_map<const Instruction*, GoldenInstruction> alone_;
  absl::node_hash_map<std::pair<const Instruction*, ElementType>, GoldenInstruction> widened_;
};

}  // namespace assay::conformance

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_GOLDEN_INSTRUCTIONS_H_
