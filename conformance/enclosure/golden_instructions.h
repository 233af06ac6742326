// Golden values of single instructions on operands that change: each is prepared once, and its
// kernel runs without a run's accounts where it needs none. Tests: enclosure_test.cc.
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

namespace assay {

// One of them, prepared when it first runs.
struct GoldenInstruction {
  const Instruction* instruction = nullptr;
  std::unique_ptr<Kernel> kernel;  // or a module of its own, where the interpreter
  std::unique_ptr<Module> module;  // has to run it, or where it stands in no other
  std::unique_ptr<PlannedModule> planned;
  std::vector<double> counts;
};

// Instructions of modules that the interpreter runs, which must outlive it. Callers hold a
// FloatEnvironmentGuard.
class GoldenInstructions {
 public:
  explicit GoldenInstructions(const RunBudget& budget);

  absl::StatusOr<Literal> Evaluate(const Instruction& instruction,
                                   absl::Span<const Literal> operands);
  // The same in two steps, of operands where they lie. What the first returns stays where it is.
  GoldenInstruction& Of(const Instruction& instruction);
  absl::Status EvaluateAt(GoldenInstruction* golden, absl::Span<const Literal* const> operands,
                          Literal* value);
  // Of a sum, that of a dot or convolution among them, in a type, f32 or f64, that its operands
  // have been brought to or are brought to here.
  absl::StatusOr<Literal> EvaluateSums(const Instruction& instruction, ElementType type,
                                       absl::Span<const Literal> operands);
  // CountTerms, remembered where they are the same for all operands; until the next call.
  absl::StatusOr<absl::Span<const double>> CountTerms(const Instruction& instruction,
                                                      absl::Span<const Literal> operands);
  // Any module.
  const EvaluateModule& evaluate_module() const { return evaluate_module_; }

 private:
  absl::Status Prepare(GoldenInstruction* golden) const;
  absl::Status RunKernel(const GoldenInstruction& golden, absl::Span<const Literal* const> operands,
                         Literal* value);
  absl::StatusOr<Literal> Run(GoldenInstruction* golden, absl::Span<const Literal> operands);

  RunOptions options_;
  EvaluateModule evaluate_module_;
  runtime::Budget budget_;
  runtime::WorkerPool workers_;
  absl::node_hash_map<const Instruction*, GoldenInstruction> alone_;
  absl::node_hash_map<std::pair<const Instruction*, ElementType>, GoldenInstruction> widened_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_GOLDEN_INSTRUCTIONS_H_
