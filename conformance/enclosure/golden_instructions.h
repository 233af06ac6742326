// Golden values of single instructions on operands that change: each is prepared once, and its
// kernel runs without a run's accounts where it needs none. Tests: enclosure_test.cc.
#ifndef ASSAY_CONFORMANCE_ENCLOSURE_GOLDEN_INSTRUCTIONS_H_
#define ASSAY_CONFORMANCE_ENCLOSURE_GOLDEN_INSTRUCTIONS_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/evaluator.h"
#include "evaluator/facts.h"
#include "evaluator/parallel.h"
#include "interpreter/interpreter.h"
#include "spec/ir/literal.h"
#include "spec/ir/module.h"

namespace assay {

// Instructions of modules that the interpreter runs, which must outlive it. Callers hold a
// FloatEnvironmentGuard.
class GoldenInstructions {
 public:
  explicit GoldenInstructions(const RunBudget& budget);

  absl::StatusOr<Literal> Evaluate(const Instruction& instruction,
                                   absl::Span<const Literal> operands);
  // The same, of operands where they lie.
  absl::StatusOr<Literal> EvaluateAt(const Instruction& instruction,
                                     absl::Span<const Literal* const> operands);
  // Of a dot or convolution in a type, f32 or f64, that its operands have been brought to.
  absl::StatusOr<Literal> EvaluateProducts(const Instruction& instruction, ElementType type,
                                           absl::Span<const Literal> operands);
  // CountTerms, remembered where they are the same for all operands; until the next call.
  absl::StatusOr<absl::Span<const double>> CountTerms(const Instruction& instruction,
                                                      absl::Span<const Literal> operands);
  // Any module.
  const EvaluateModule& evaluate_module() const { return evaluate_module_; }

 private:
  struct Alone {
    std::unique_ptr<Module> module;
    std::unique_ptr<Kernel> kernel;          // or
    std::unique_ptr<PlannedModule> planned;  // null: not prepared yet
    std::vector<double> counts;
  };
  absl::Status Prepare(Alone* alone) const;
  absl::StatusOr<Literal> Run(Alone* alone, absl::Span<const Literal* const> operands);
  absl::StatusOr<Literal> RunKernel(const Alone& alone, absl::Span<const Literal* const> operands);

  RunOptions options_;
  EvaluateModule evaluate_module_;
  Budget budget_;
  WorkerPool workers_;
  absl::flat_hash_map<const Instruction*, Alone> alone_, widened_;
};

}  // namespace assay

#endif  // ASSAY_CONFORMANCE_ENCLOSURE_GOLDEN_INSTRUCTIONS_H_
