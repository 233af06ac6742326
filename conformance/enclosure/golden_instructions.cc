#include "conformance/enclosure/golden_instructions.h"

#include <algorithm>
#include <utility>

#include "evaluator/facts/isolate.h"
#include "evaluator/facts/widened_fold.h"
#include "evaluator/real/float_environment.h"

namespace assay {
namespace {

// Whether nothing but its kernel is wanted of the interpreter: one array of static sizes out of
// such arrays, no computation that a scalar program cannot stand for.
bool IsKernelAlone(const Instruction& instruction) {
  const auto plain = [](const Shape& shape) { return shape.is_array() && !shape.is_dynamic(); };
  if (!plain(instruction.shape())) return false;
  for (const Instruction* operand : instruction.operands()) {
    if (!plain(operand->shape())) return false;
  }
  return instruction.info().elementwise() || instruction.info().family == Family::kMovement ||
         FoldKind(instruction) != ReducerKind::kOther;
}

}  // namespace

GoldenInstructions::GoldenInstructions(const RunBudget& budget)
    : budget_(-1, budget.seconds),
      workers_(budget.threads < 0
                   ? WorkerPool::DefaultThreads()
                   : std::clamp<int64_t>(budget.threads, 1, RunBudget::kMostThreads)) {
  options_.budget = budget;
  evaluate_module_ = [this](const Module& module, absl::Span<const Literal> arguments) {
    return Interpret(module, arguments, options_);
  };
}

absl::Status GoldenInstructions::Prepare(const Instruction& instruction, Alone* alone) const {
  if (alone->module == nullptr) alone->module = IsolateInstruction(instruction);
  if (IsKernelAlone(instruction)) {
    absl::StatusOr<std::unique_ptr<Kernel>> kernel = PrepareKernel(*alone->module->entry()->root());
    if (!kernel.ok()) return kernel.status();
    alone->kernel = *std::move(kernel);
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<PlannedModule>> planned = PlannedModule::Create(*alone->module);
  if (!planned.ok()) return planned.status();
  alone->planned = *std::move(planned);
  return absl::OkStatus();
}

absl::StatusOr<Literal> GoldenInstructions::RunKernel(const Alone& alone,
                                                      absl::Span<const Literal> operands) {
  std::vector<ArrayRef> arrays;
  for (const Literal& operand : operands) arrays.push_back({&operand.shape(), operand.data()});
  const int64_t most_bytes = options_.budget.bytes < 0 ? INT64_MAX : options_.budget.bytes;
  absl::StatusOr<Literal> result =
      Literal::Create(alone.module->entry()->root()->shape(), most_bytes);
  if (!result.ok()) return result;
  const MutableArrayRef out{&result->shape(), result->mutable_data()};
  EvaluationContext context;
  context.budget = &budget_;
  context.workers = &workers_;
  const FloatEnvironmentGuard guard;
  absl::Status status = alone.kernel->Run(arrays, absl::MakeConstSpan(&out, 1), context);
  if (!status.ok()) return status;
  return result;
}

absl::StatusOr<Literal> GoldenInstructions::Evaluate(const Instruction& instruction,
                                                     absl::Span<const Literal> operands) {
  Alone& alone = alone_[&instruction];
  if (alone.kernel == nullptr && alone.planned == nullptr) {
    absl::Status status = Prepare(instruction, &alone);
    if (!status.ok()) return status;
  }
  return alone.kernel != nullptr ? RunKernel(alone, operands)
                                 : alone.planned->Run(operands, options_);
}

absl::StatusOr<std::vector<double>> GoldenInstructions::CountTerms(
    const Instruction& instruction, absl::Span<const Literal> operands) {
  if (instruction.info().family != Family::kContraction) {
    return assay::CountTerms(instruction, operands, evaluate_module_);
  }
  Alone& alone = alone_[&instruction];
  if (!alone.counts.empty()) return alone.counts;
  absl::StatusOr<std::vector<double>> counts =
      assay::CountTerms(instruction, operands, evaluate_module_);
  if (counts.ok()) alone.counts = *counts;
  return counts;
}

}  // namespace assay
